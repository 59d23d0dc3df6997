"""The scopes of Python files as CPython's `symtable` knows them: {path: [scope, ...]}, each scope a line of text.

Input: {"folder": a folder, or null for the standard library}. Files that are not UTF-8 or do not compile are left out.
Not said, because it is bookkeeping and no meaning: the parameter `.0` of comprehensions, `__class__`, free names that
only pass through a scope, and what a module calls global. Python 3.12 and later answer null.
"""

import json
import os
import pathlib
import symtable
import sys
import sysconfig
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)

# From 3.12 on comprehensions are part of the function around them as far as `symtable` says (PEP 709).
if sys.version_info >= (3, 12):
    json.dump(None, sys.stdout)
    sys.exit()


def flags(table, symbol):
    if table.get_type() == "module":
        found = "b" if symbol.is_local() else ""
    elif symbol.is_free():
        found = "f"
    else:
        found = "l" if symbol.is_local() else "g"
    found += "p" if symbol.is_parameter() else ""
    return found + ("i" if symbol.is_imported() else "")


def passes_through(table, symbol):
    if table.get_type() == "module":
        # Functions that declare a name global add it to the module.
        return not symbol.is_local() and not symbol.is_referenced()
    uses = (symbol.is_referenced(), symbol.is_assigned(), symbol.is_parameter(), symbol.is_imported())
    return not any(uses) and not symbol.is_annotated() and not symbol.is_declared_global() and not symbol.is_nonlocal()


def walk(table, path, found):
    symbols = table.get_symbols()
    if any(symbol.get_name() == ".0" for symbol in symbols):
        name = "<comprehension>"
    else:
        name = "<lambda>" if table.get_name() == "lambda" else table.get_name()
        if table.get_type() == "module":
            name = "<module>"
    path = f"{path}/{table.get_type()}:{name}"
    names = []
    for symbol in symbols:
        if symbol.get_name() in (".0", "__class__") or passes_through(table, symbol):
            continue
        names.append(f"{symbol.get_name()}={flags(table, symbol)}")
    found.append(" ".join([path, *sorted(names)]))
    for child in table.get_children():
        walk(child, path, found)


def main():
    folder = json.load(sys.stdin)["folder"] or sysconfig.get_path("stdlib")
    result = {}
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        try:
            text = path.read_bytes().decode()
            found = []
            walk(symtable.symtable(text, str(path), "exec"), "", found)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        result[os.fspath(path)] = sorted(found)
    json.dump(result, sys.stdout)


main()
