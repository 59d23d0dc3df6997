"""Cyclomatic complexity by lizard for the texts named on stdin; JSON on stdout.

In:  {"codes": [text]}
Out: {"complexity": [number, or null where lizard does not find exactly one function],
      "sums": [over all functions of the text]}
"""
import json
import sys

from lizard import analyze_file

given = json.load(sys.stdin)
found = [analyze_file.analyze_source_code("text.cpp", code).function_list for code in given["codes"]]
numbers = [[function.cyclomatic_complexity for function in functions] for functions in found]
out = {
    "complexity": [one[0] if len(one) == 1 else None for one in numbers],
    "sums": [sum(some) for some in numbers],
}
json.dump(out, sys.stdout)
