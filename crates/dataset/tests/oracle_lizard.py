"""Cyclomatic complexity by lizard for the texts named on stdin; JSON on stdout.

In:  {"codes": [text, each one function]}
Out: {"complexity": [number, or null where lizard does not find exactly one function]}
"""
import json
import sys

from lizard import analyze_file

given = json.load(sys.stdin)
found = [analyze_file.analyze_source_code("text.cpp", code).function_list for code in given["codes"]]
json.dump({"complexity": [one[0].cyclomatic_complexity if len(one) == 1 else None for one in found]}, sys.stdout)
