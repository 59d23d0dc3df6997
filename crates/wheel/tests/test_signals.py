"""Ctrl-C, callbacks that raise, and threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import barecode

SLOW = """
import signal, sys, time, barecode
# A shell that starts a program in the background has it ignore Ctrl-C, and what it starts too.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
start = time.time()
try:
    recipe = {"settings": {"names": ["standard", "neutralized", "assembly-o2"], "randomized-seeds": 2}}
    while True:
        functions = barecode.extract("path:testdata/repos/shelf").kept
        barecode.vary(barecode.check(functions, recipe=recipe, no_cache=True).kept, recipe=recipe, no_cache=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
# The calls that come work.
barecode.extract("path:testdata/repos/shelf")
print("works", flush=True)
"""


def test_ctrl_c_ends_a_call_and_the_next_one_works():
    child = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.5)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped\n"
        assert child.stdout.readline() == "works\n"
        assert child.wait(timeout=60) == 0
    finally:
        child.kill()
        child.wait()


def test_a_callback_that_raises_ends_the_call():
    def progress(*step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        barecode.build(
            {"source": [{"from": "path:testdata/repos/shelf"}], "retriever": [{"name": "bm25", "kind": "bm25"}]},
            out=os.path.join(os.environ["BARECODE_PACKAGE"], "run"),
            progress=progress,
        )
    assert len(barecode.extract("path:testdata/repos/shelf").kept) > 10


def test_the_interpreter_goes_on_while_a_call_works():
    """Other threads of Python run while a call is under way."""
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.time()
    while time.time() - start < 1:
        barecode.extract("path:testdata/repos/shelf", threads=1)
    done.set()
    thread.join()
    assert counted > 50


def test_calls_of_several_threads_do_not_mix():
    answers = {}

    def work(name, score):
        run = {f"q{i}": {"a": 1.0, "b": score} for i in range(50)}
        answers[name] = [barecode.score({f"q{i}": {"a": 1} for i in range(50)}, run, "RR")["RR"] for _ in range(5)]

    threads = [threading.Thread(target=work, args=(name, score)) for name, score in (("high", 2.0), ("low", 0.5))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {"high": [0.5] * 5, "low": [1.0] * 5}
