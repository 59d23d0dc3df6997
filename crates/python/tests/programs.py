"""What tests need of Python: programs with their tests, files of the standard library, and runs of programs.

Input: {"do": "list", "folder": ...}, {"do": "files"} or {"do": "run", "seconds": ..., "programs": [...]}, where
"together": n runs as many in one process, and "doctests": a folder runs the examples of the programs' docstrings, with
modules of the folder at hand. Otherwise a program runs in a process of its own. Time and memory have limits. The answer
is what a program prints and the exception that ends it.
"""

import contextlib
import gzip
import io
import json
import os
import pathlib
import resource
import signal
import sys
import sysconfig
import time


def lines(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def programs(folder):
    folder = pathlib.Path(folder)
    for row in lines(folder / "HumanEval.jsonl.gz"):
        tests = f"{row['test']}\ncheck({row['entry_point']})\n"
        text = row["prompt"] + row["canonical_solution"]
        yield {"id": row["task_id"], "text": text, "tests": tests, "entry": row["entry_point"]}
    for row in lines(folder / "mbpp.jsonl"):
        tests = "\n".join([row["test_setup_code"], *row["test_list"], ""])
        yield {"id": f"MBPP/{row['task_id']}", "text": row["code"], "tests": tests, "entry": ""}


def files():
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        with contextlib.suppress(UnicodeDecodeError):
            path.read_bytes().decode()
            yield os.fspath(path)


def doctests(text, folder):
    """Runs the examples, and prints how many there are and which fail."""
    import doctest
    import types

    sys.path.insert(0, folder)
    os.chdir(folder)
    module = types.ModuleType("program")
    sys.modules["program"] = module
    exec(compile(text, "<program>", "exec"), module.__dict__)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    found = doctest.DocTestFinder(exclude_empty=True).find(module, "program")
    # Not by name, which changes.
    for test in sorted(found, key=lambda test: (test.lineno or 0, len(test.examples))):
        failed = runner.run(test, out=lambda _: None).failed
        print(test.lineno, len(test.examples), failed)


def late(*_):
    raise TimeoutError("late")


def outcome(text, seconds, folder):
    printed = io.StringIO()
    error = None
    signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        with contextlib.redirect_stdout(printed):
            if folder:
                doctests(text, folder)
            else:
                exec(compile(text, "<program>", "exec"), {"__name__": "__main__"})
    except BaseException as caught:
        error = type(caught).__name__
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {"printed": printed.getvalue()[:10000], "error": error}


def run(texts, seconds, folder):
    """Runs programs in one process, as far as it comes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        sys.stdin = io.StringIO("")
        sys.stderr = io.StringIO()
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        # What catches everything, sleeps or waits for ever is ended from outside.
        for text in texts:
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 3, resource.RLIM_INFINITY))
            signal.alarm(int(seconds) * 6 + 5)
            answer = json.dumps(outcome(text, seconds, folder)) + "\n"
            os.write(writing, answer.encode(errors="replace"))
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        answers = [json.loads(line) for line in pipe if line.endswith("\n")]
    os.waitpid(child, 0)
    return answers


def run_all(texts, seconds, folder, together):
    answers = []
    while len(answers) < len(texts):
        start = len(answers)
        answers += run(texts[start : start + together], seconds, folder)
        if len(answers) == start:
            answers.append({"printed": "", "error": "killed"})
    return answers


def main():
    wish = json.load(sys.stdin)
    if wish["do"] == "list":
        answer = list(programs(wish["folder"]))
    elif wish["do"] == "files":
        answer = list(files())
    else:
        folder = wish.get("doctests")
        answer = run_all(wish["programs"], wish["seconds"], folder, wish.get("together", 1))
    json.dump(answer, sys.stdout)


# A program that starts processes imports this file again.
if __name__ == "__main__":
    main()
