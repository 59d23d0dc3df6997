"""Ctrl-C, callbacks that raise, and threads."""

import http.server
import json
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


class Slow(http.server.BaseHTTPRequestHandler):
    """A server of vectors that takes longer than anybody waits, and counts what it is asked."""

    asked = 0

    def do_POST(self):
        Slow.asked += 1
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        time.sleep(4)
        data = [{"object": "embedding", "index": at, "embedding": [1.0, 0.0]} for at in range(len(body["input"]))]
        answer = json.dumps({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *words):
        pass


def test_nothing_is_asked_after_a_call_was_ended(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model = barecode.Model(f"openai+http://127.0.0.1:{server.server_port}/v1#m", no_cache=True)
    texts = [f"text {at} " + "word " * 4000 for at in range(400)]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            model.encode(texts)
        asked = Slow.asked
        assert asked > 0
        # What comes next waits until the old work is gone, and is not stopped with it.
        assert model.encode(["one"]).shape == (1, 2)
        assert Slow.asked == asked + 1
    finally:
        signal.signal(signal.SIGINT, before)
        server.shutdown()


def test_a_build_that_was_ended_does_no_further_stage(tmp_path):
    recipe = {
        "source": [{"from": "path:testdata/repos/shelf"}],
        "settings": {"names": ["standard", "neutralized"]},
        "retriever": [{"name": "bm25", "kind": "bm25"}],
    }

    def progress(verb, *_):
        if verb == "check":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        barecode.build(recipe, out=tmp_path / "run", progress=progress, no_cache=True)
    time.sleep(1)
    assert not (tmp_path / "run" / "04-queries").exists()
    barecode.extract("path:testdata/repos/shelf")
    assert not (tmp_path / "run" / "05-dataset").exists()
