"""Rewrites of Python beside libcst and mutmut, on functions of the standard library of this interpreter.

usage: python.py PROGRAM [--functions N] [--rounds N]

PROGRAM is the example `rewrite_speed` of the crate `python`. Both sides do two tasks on one thread, from the text of
each function to new texts, and imports do not count:

rename   Every local name gets another one. libcst parses, finds the places with its ScopeProvider, and generates the
         code; it renames the names that barecode renamed, to the same new ones, and has not to look for new names.
mutants  All texts with one comparison changed. mutmut makes its nodes for comparisons only, then one text of all mutants
         of a function, as it does for a file. "nodes" is the same without the text.

The sides take turns, and the best time of each function counts. Of the peers it is processor time, for what takes them
milliseconds is interrupted by whatever else the machine does. That both did the same is shown by counts, and by the
texts of functions in which no two variables share a name.
"""
import argparse
import ast
import json
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
import warnings

import libcst as cst
from libcst.metadata import ComprehensionScope, FunctionScope, MetadataWrapper, ScopeProvider
from mutmut.mutation import file_mutation, mutators

SHORTEST = 5
SEED = 20


def functions(number):
    """Functions and methods of the standard library without its tests, each a text that compiles by itself."""
    found = []
    root = sysconfig.get_path("stdlib")
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - {"site-packages", "dist-packages", "test", "tests", "idle_test"})
        for name in sorted(file for file in files if file.endswith(".py")):
            path = os.path.join(folder, name)
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                tree = ast.parse(text)
            except (UnicodeDecodeError, SyntaxError):
                continue
            lines = text.splitlines(keepends=True)
            for node in ast.walk(tree):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                if node.end_lineno - node.lineno + 1 < SHORTEST:
                    continue
                own = textwrap.dedent("".join(lines[node.lineno - 1:node.end_lineno]))
                try:
                    compile(own, name, "exec", dont_inherit=True)
                except SyntaxError:
                    continue
                found.append({"name": node.name, "text": own})
    drawn = random.Random(SEED).sample(found, min(number, len(found)))
    print(f"{len(drawn)} of {len(found)} functions, {sum(len(one['text']) for one in drawn) / 2**20:.2f} MiB")
    return drawn


class Rename(cst.CSTTransformer):
    def __init__(self, targets):
        super().__init__()
        self.targets, self.places = targets, 0

    def leave_Name(self, original_node, updated_node):
        new = self.targets.get(original_node)
        if new is None:
            return updated_node
        self.places += 1
        return updated_node.with_changes(value=new)


def rename(text, names):
    """The text with other names for local variables, and the number of places."""
    # Without a copy of the tree, which libcst would make to be safe.
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    targets = {}
    for scope in set(wrapper.resolve(ScopeProvider).values()):
        if not isinstance(scope, (FunctionScope, ComprehensionScope)):
            continue
        for assignment in scope.assignments:
            new = names.get(assignment.name)
            if new is None:
                continue
            for node in [assignment.node, *(access.node for access in assignment.references)]:
                # A parameter, a function: what has the name is a node inside. An import stays.
                while not isinstance(node, (cst.Name, cst.Import, cst.ImportFrom)):
                    node = node.name
                targets[node] = new
    renaming = Rename(targets)
    return wrapper.module.visit(renaming).code, renaming.places


COMPARISONS = [
    (cst.ComparisonTarget, mutators.operator_swap_op),
    ((cst.Is, cst.IsNot, cst.In, cst.NotIn), mutators.operator_keywords),
]


def mutants(text):
    """The number of comparison mutants, the seconds of their nodes, and of their text besides."""
    start = time.process_time()
    module, mutations, classes, names = file_mutation.create_mutations("function.py", text)
    made = time.process_time()
    file_mutation.combine_mutations_to_source(module, mutations, classes, names)
    end = time.process_time()
    return len(mutations), made - start, end - made


def peers(drawn, ours):
    """One round of libcst and of mutmut: the seconds of each function, and what was made."""
    seconds = {"rename": [], "nodes": [], "mutants": []}
    renamed, number = [], 0
    for function, one in zip(drawn, ours["renamed"]):
        start = time.process_time()
        renamed.append(rename(function["text"], one["new"]))
        seconds["rename"].append(time.process_time() - start)
    for function in drawn:
        made, nodes, texts = mutants(function["text"])
        number += made
        seconds["nodes"].append(nodes)
        seconds["mutants"].append(nodes + texts)
    return seconds, renamed, number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    file_mutation.mutation_operators = COMPARISONS
    drawn = functions(given.functions)
    ours_best = {"rename": float("inf"), "mutants": float("inf")}
    theirs_best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "functions.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(drawn, file)
        # mutmut asks where the code is, though it is handed texts.
        with open(os.path.join(folder, "setup.cfg"), "w", encoding="utf-8") as file:
            file.write("[mutmut]\nsource_paths=.\n")
        program = os.path.abspath(given.program)
        os.chdir(folder)
        for _ in range(given.rounds):
            ours = json.loads(subprocess.run([program, path], check=True, stdout=subprocess.PIPE).stdout)
            for task in ours_best:
                ours_best[task] = min(ours_best[task], ours[task]["seconds"])
            for one in ours["renamed"]:
                one["new"] = dict(one["names"])
            seconds, renamed, number = peers(drawn, ours)
            for task, times in seconds.items():
                theirs_best[task] = [min(pair) for pair in zip(times, theirs_best.get(task, times))]
        os.chdir(os.path.dirname(program))
    best = {task: sum(times) for task, times in theirs_best.items()}
    alike = [one for one in zip(ours["renamed"], renamed) if len(one[0]["new"]) == len(one[0]["names"])]
    equal = sum(one["text"] == text for one, (text, _) in alike)
    places = sum(places for _, places in renamed)
    print(f"renamed {ours['rename']['names']} names: {ours['rename']['places']} places by barecode, {places} by libcst")
    print(f"        {equal} of {len(alike)} texts without a shared name are the same byte for byte")
    print(f"mutants {ours['mutants']['mutants']} by barecode, {number} by mutmut")
    print(f"{'task':38} {'seconds':>8} {'a second':>9} {'times ours':>11}")
    rate = ours["mutants"]["mutants"] / ours_best["mutants"]
    count = len(drawn)
    for name, seconds, made, what, base in [
        ("barecode: rename", ours_best["rename"], count, "functions", None),
        ("libcst: rename", best["rename"], count, "functions", count / ours_best["rename"]),
        ("barecode: mutants", ours_best["mutants"], ours["mutants"]["mutants"], "mutants", None),
        ("mutmut: mutants with their text", best["mutants"], number, "mutants", rate),
        ("mutmut: mutants as nodes", best["nodes"], number, "mutants", rate),
    ]:
        ratio = "" if base is None else f"{base / (made / seconds):11.0f}"
        print(f"{name:38} {seconds:8.3f} {made / seconds:9.0f} {ratio}  {what}")


main()
