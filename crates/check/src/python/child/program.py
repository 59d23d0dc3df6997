"""The program's process: it runs the program and answers; it never learns what is expected."""

import atexit
import contextlib
import io
import json
import os
import struct
import sys
import traceback
import types

import barecode_link as links
import barecode_wire as wire

FILE = "<program>"


def module(name):
    made = types.ModuleType(name)
    sys.modules[name] = made
    return made


def load(namespace, setup, text, learn=None):
    exec(compile(setup, "<setup>", "exec", dont_inherit=True), namespace)
    if learn is not None:
        learn(namespace)
    exec(compile(text, FILE, "exec", dont_inherit=True), namespace)


def serve(order, fds, report):
    """Runs the program as a module, then answers questions about it until the end."""
    setup = wire.Setup()
    name = order["name"]
    namespace = module(name).__dict__
    lines = Lines() if order["lines"] else None

    def names(wanted):
        found = {}
        for name in wanted:
            if name in namespace:
                found[name] = namespace[name]
        return found

    served = {
        "names": names,
        "entry": lambda text: eval(text, namespace),
        "name": lambda name: namespace[name],
        "public": lambda: [name for name in namespace.get("__all__", namespace) if not name.startswith("_")],
        "lines": lambda: sorted(lines.seen) if lines else [],
    }
    link = links.Link(links.Pipes(fds["calls"][0], fds["answers"][1]), setup, True, served)

    def start():
        if lines:
            lines.start()
        load(namespace, order["setup"], order["text"], setup.learn)

    link.served["start"] = start
    while True:
        kind, payload = link.pipes.receive()
        if kind != links.ASK:
            raise wire.Garbage("an answer to nothing")
        link.answer(payload)


def stdio(order, fds, report):
    """Runs the program as a script."""
    namespace = module("__main__").__dict__
    lines = Lines() if order["lines"] else None
    if lines:
        lines.start()
    code, error = 0, None
    try:
        load(namespace, order["setup"], order["text"])
    except SystemExit as end:
        code = end.code
        if code is None or type(code) is int:
            code = (code or 0) & 255
        else:
            code = 1
        error = end if code else None
    except BaseException as raised:
        code, error = 1, raised
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException as raised:
        code, error = 1, error or raised
    report({"error": describe(error), "lines": sorted(lines.seen) if lines else []})
    os._exit(code)


def doctest(order, fds, report):
    """Runs the program as a module, then the examples, one after the other, in its name space."""
    namespace = module(order["name"]).__dict__
    lines = Lines() if order["lines"] else None
    if lines:
        lines.start()
    try:
        load(namespace, order["setup"], order["text"])
    except BaseException as error:
        report({"load": describe(error)})
        os._exit(0)
    for number, source in enumerate(order["examples"]):
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(source, f"<example {number + 1}>", "single", dont_inherit=True), namespace)
            except BaseException as raised:
                error = raised
        said = "".join(traceback.format_exception_only(type(error), error)) if error is not None else None
        report({"printed": printed.getvalue(), "error": describe(error), "said": said})
    report({"lines": sorted(lines.seen) if lines else []})
    os._exit(0)


def compiles(order, fds, report):
    """Says whether the text is Python."""
    error = None
    try:
        compile(order["text"], FILE, "exec", dont_inherit=True)
    except BaseException as raised:
        error = raised
    report({"error": describe(error)})
    os._exit(0)


def describe(error):
    if error is None:
        return None
    text = wire.safe_text(error)
    if isinstance(error, SyntaxError) and error.lineno:
        text = f"{error.msg} (line {error.lineno})"
    return {"type": type(error).__name__, "text": text, "fault": fault(error)}


def fault(error):
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError) and error.errno in (1, 13):
        return "forbidden"
    return "exception"


class Lines:
    """The lines of the program that run."""

    def __init__(self):
        self.seen = set()

    def start(self):
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            sys.settrace(self.call)
            import threading

            threading.settrace(self.call)
            return
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "barecode")

        def line(code, number):
            if code.co_filename == FILE:
                self.seen.add(number)
            return monitoring.DISABLE

        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def call(self, frame, event, argument):
        return self.line if frame.f_code.co_filename == FILE else None

    def line(self, frame, event, argument):
        if event == "line":
            self.seen.add(frame.f_lineno)
        return self.line


MODES = {"serve": serve, "stdio": stdio, "doctest": doctest, "compile": compiles}
_length = struct.Struct("<I")


def read_frame(fd):
    """A frame of the supervisor, which is trusted."""
    data = bytearray()
    while len(data) < 4 or len(data) < 4 + _length.unpack_from(data)[0]:
        more = os.read(fd, 1 << 16 if len(data) < 4 else 4 + _length.unpack_from(data)[0] - len(data))
        if not more:
            os._exit(0)
        data += more
    return json.loads(bytes(data[4:]))


def write_frame(fd, value):
    # A text of Python may have half of a pair of surrogates, which is no text anywhere else.
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    data = memoryview(_length.pack(len(data)) + data)
    while data:
        data = data[os.write(fd, data):]


def run(fds, lock):
    order = read_frame(fds["program_in"])
    if "input" in order:
        # A file, so that the program meets its end, and may read it as it likes.
        stdin = os.memfd_create("stdin")
        data = memoryview(order["input"].encode("utf-8", "surrogatepass"))
        while data:
            data = data[os.write(stdin, data):]
        os.lseek(stdin, 0, os.SEEK_SET)
        os.dup2(stdin, 0)
        os.close(stdin)
    sys.argv = ["program"]
    lock()
    report_fd = fds["report"]
    MODES[order["mode"]](order, fds, lambda value: write_frame(report_fd, value))
