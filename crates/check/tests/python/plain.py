"""Runs programs with their tests as anyone would: one text, one process. Prints a JSON list of the failures."""

import json
import os
import signal
import sys

failed = []
for line in sys.stdin:
    case = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        try:
            exec(compile(case["text"], case["name"], "exec"), {"__name__": "plain"})
        except BaseException:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        failed.append(case["name"])
print(json.dumps(failed))
