"""Runs programs that come as JSON on stdin, each in a process of its own, and says what each printed and raised.

A program is {"code": …, "input": …}; an answer is {"out": …, "error": …}, where the error is the name of an exception
type, "timeout", or null.
"""

import io
import json
import os
import resource
import signal
import sys

# What most programs import, before the first fork.
import bisect, collections, copy, datetime, decimal, enum, fractions, functools, heapq, itertools, math, operator  # noqa
import dataclasses, random, re, statistics, string, typing  # noqa

SECONDS = 10
BYTES = 1 << 20


def child(program, write):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    sys.stdin = io.StringIO(program.get("input") or "")
    sys.stdout = io.StringIO()
    sys.stderr = io.StringIO()
    # Files that its `open` would make stay out of the way.
    error = None
    try:
        scope = {"__name__": "__main__", "__builtins__": __builtins__}
        exec(compile(program["code"], "<program>", "exec"), scope)
    except BaseException as raised:
        error = type(raised).__name__
    answer = {"out": sys.stdout.getvalue()[:BYTES], "error": error}
    with os.fdopen(write, "w") as pipe:
        pipe.write(json.dumps(answer))


def run(program):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            child(program, write)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(answer) if answer else {"out": "", "error": "timeout"}


def main():
    programs = json.load(sys.stdin)
    sys.setrecursionlimit(1000)
    print(json.dumps([run(program) for program in programs]))


main()
