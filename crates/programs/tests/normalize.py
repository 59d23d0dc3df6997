"""Whether texts have the same tree but for docstrings: a list of pairs on stdin, the indices of those that differ.

With {"library": true} it prints the texts of every third file of the standard library instead."""

import ast
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
BLOCKS = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def bare(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, BLOCKS):
            had = bool(node.body)
            while node.body and is_string(node.body[0]):
                node.body.pop(0)
            if had and not node.body:
                node.body.append(ast.Pass())
    return ast.dump(tree)


def is_string(statement):
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def library():
    folder = os.path.dirname(os.__file__)
    for root, folders, names in os.walk(folder):
        skipped = ("site-packages", "test", "lib2to3")
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in sorted(names):
            if name.endswith(".py"):
                try:
                    with open(os.path.join(root, name), encoding="utf-8", newline="") as file:
                        text = file.read()
                    ast.parse(text)
                except (UnicodeDecodeError, SyntaxError, ValueError):
                    continue
                if len(text) < 200_000:
                    yield text


given = json.load(sys.stdin)
if isinstance(given, dict):
    json.dump(list(library())[::3], sys.stdout)
else:
    json.dump([index for index, (a, b) in enumerate(given) if bare(a) != bare(b)], sys.stdout)
