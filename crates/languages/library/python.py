"""The names of Python's library:

    python3 python.py > ../src/data/python/library.txt             those that an object of unknown type may have
    python3 python.py standard > ../src/data/python/standard.txt   all public ones, with the names of parameters
    python3 python.py modules > ../src/data/python/modules.txt     what is imported without being installed

The first are builtins, and what their types, files, streams, patterns, matches and collections have.
Made with CPython 3.11.
"""
import builtins
import collections
import importlib
import inspect
import io
import pkgutil
import re
import sys
import types
import warnings

TYPES = [getattr(builtins, name) for name in dir(builtins)]
TYPES = [one for one in TYPES if isinstance(one, type)]
TYPES += [io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BytesIO, io.StringIO, re.Pattern, re.Match]
TYPES += [collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict]
TYPES += [types.GeneratorType, types.CoroutineType, types.FunctionType, types.ModuleType]

# Importing these opens a window or a page, or prints.
NEVER = {"antigravity", "this", "idlelib", "lib2to3", "turtledemo", "test", "__main__"}


def of_objects():
    names = set(dir(builtins))
    for one in TYPES:
        names |= {name for name in dir(one) if not name.startswith("_")}
    return names


def modules():
    warnings.simplefilter("ignore")
    for name in sorted(sys.stdlib_module_names - NEVER):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield module
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), name + ".", lambda _: None):
            if not {"tests", "test", "__main__"} & set(found.name.split(".")):
                try:
                    yield importlib.import_module(found.name)
                except (ImportError, AttributeError):
                    continue


def parameters(one):
    try:
        return set(inspect.signature(one).parameters)
    except (TypeError, ValueError, AttributeError, NameError):
        return set()


def everything():
    names = of_objects() | set(sys.stdlib_module_names)
    for module in modules():
        names |= set(module.__name__.split("."))
        for name in dir(module):
            one = getattr(module, name, None)
            names |= {name} | parameters(one)
            if isinstance(one, type):
                for member in dir(one):
                    names |= {member} | parameters(getattr(one, member, None))
    return {name for name in names if not name.startswith("_")}


WANTED = {"library": of_objects, "standard": everything, "modules": lambda: sys.stdlib_module_names}
names = WANTED[sys.argv[1] if sys.argv[1:] else "library"]()
print("\n".join(sorted(name for name in names if name.isidentifier())))
