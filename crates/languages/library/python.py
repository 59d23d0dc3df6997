"""The names of Python's library that an object of unknown type may have: python3 python.py > ../src/data/python/library.txt

Builtins, and what their types, files, streams, patterns, matches and collections have.
Made with CPython 3.11.
"""
import builtins
import collections
import io
import re
import types

TYPES = [getattr(builtins, name) for name in dir(builtins)]
TYPES = [one for one in TYPES if isinstance(one, type)]
TYPES += [io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BytesIO, io.StringIO, re.Pattern, re.Match]
TYPES += [collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict]
TYPES += [types.GeneratorType, types.CoroutineType, types.FunctionType, types.ModuleType]

names = set(dir(builtins))
for one in TYPES:
    names |= {name for name in dir(one) if not name.startswith("_")}
print("\n".join(sorted(name for name in names if name.isidentifier())))
