"""The tests' process: it runs the test code and says how it went; the program is in another process."""

import ast
import json
import os
import random
import struct
import sys
import types

import barecode_link as links
import barecode_program as program
import barecode_wire as wire

FILE = "<tests>"
# Test code that looks at, or changes, what only the process of the program has.
OUT_OF_REACH = frozenset(
    "redirect_stdout redirect_stderr redirect_stdin capsys capfd capsysbinary capfdbinary monkeypatch mock patch "
    "MagicMock Mock tmp_path tmpdir getsource settrace exec eval globals".split()
)
STREAMS = ("stdout", "stderr", "stdin")
_length = struct.Struct("<I")


class Orders:
    """What the supervisor says; it is trusted."""

    def __init__(self, fd):
        self.fd = fd
        self.buffer = bytearray()
        self.run = 0

    def frame(self):
        while len(self.buffer) < 4 or len(self.buffer) < 4 + _length.unpack_from(self.buffer)[0]:
            more = os.read(self.fd, 1 << 16)
            if not more:
                os._exit(0)
            self.buffer += more
        end = 4 + _length.unpack_from(self.buffer)[0]
        frame = json.loads(bytes(self.buffer[4:end]))
        del self.buffer[:end]
        return frame

    def next_run(self):
        while True:
            order = self.frame()
            if "run" in order:
                self.run = order["run"]
                return order

    def __call__(self):
        """Whether the program of this run is gone; an order that came late is about another."""
        return self.frame().get("gone") == self.run


class Test:
    """The test code, compiled once."""

    def __init__(self, order):
        self.kind, self.entry = order["kind"], order["entry"]
        self.setup = compile(order["setup"], "<setup>", "exec", dont_inherit=True)
        tree = ast.parse(order["code"], FILE)
        self.source, self.asserts, self.names, out_of_reach = order["code"], [], set(), set()
        bodies = []
        for node in nodes(tree, bodies):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    self.names.add(node.id)
            elif isinstance(node, ast.Assert):
                self.asserts.append(node)
            elif isinstance(node, ast.Attribute):
                if node.attr in OUT_OF_REACH:
                    out_of_reach.add(node.attr)
                elif node.attr in STREAMS and isinstance(node.value, ast.Name) and node.value.id == "sys":
                    out_of_reach.add(f"sys.{node.attr}")
            elif isinstance(node, ast.arg):
                self.names.add(node.arg)
            elif isinstance(node, ast.alias):
                self.names.add(node.name.rpartition(".")[2])
        out_of_reach |= self.names & OUT_OF_REACH
        if out_of_reach:
            raise wire.Unserved(f"the tests use {', '.join(sorted(out_of_reach))}")
        self.names = sorted(self.names - bound(tree))
        self.asserts.sort(key=lambda node: (node.lineno, node.col_offset))
        self.calls_check = any(
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name) and node.value.func.id == "check"
            for node in tree.body
        )
        if self.asserts:
            count(bodies, self.asserts)
        self.code = compile(tree, FILE, "exec", dont_inherit=True)

    def number(self, trace):
        """The assert statement, from 1, that the deepest line of the tests belongs to, or comes before."""
        line = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == FILE:
                line = trace.tb_lineno
            trace = trace.tb_next
        return self.at(line)

    def at(self, line):
        if line is None:
            return None
        for number, node in enumerate(self.asserts):
            if line <= node.end_lineno:
                return number + 1
        return len(self.asserts) or None

    def text(self, number):
        return ast.get_source_segment(self.source, self.asserts[number - 1])


def bound(tree):
    """Names that the test code binds at its top."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def nodes(tree, bodies):
    """The nodes of a tree that may say something, and the lists of statements in which something is asserted."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                parts = [part for part in value if isinstance(part, ast.AST)]
                waiting += parts
                if any(type(part) is ast.Assert for part in parts):
                    bodies.append(value)
            elif isinstance(value, ast.AST) and name != "ctx" and name != "op":
                waiting.append(value)


def count(bodies, asserts):
    """Has each assert statement say that it is reached."""
    numbers = {id(node): number for number, node in enumerate(asserts)}
    for body in bodies:
        statements = []
        for node in body:
            number = numbers.get(id(node))
            if number is not None:
                at = {name: getattr(node, name) for name in node._attributes}
                reach = ast.Call(ast.Name(REACHED, ast.Load(), **at), [ast.Constant(number, **at)], [], **at)
                statements.append(ast.Expr(reach, **at))
            statements.append(node)
        body[:] = statements


REACHED = "reached by barecode"


class Run:
    """The test code against one program."""

    def __init__(self, test, orders, fds, wants_lines):
        self.test, self.wants_lines = test, wants_lines
        self.setup = wire.Setup()
        self.link = links.Link(links.Pipes(fds["answers"][0], fds["calls"][1], orders), self.setup, False)
        self.reached, self.functions, self.gone_at = set(), 0, None
        pipes, receive = self.link.pipes, self.link.pipes.receive

        def watched():
            try:
                return receive()
            except links.Gone:
                frame = sys._getframe()
                while frame is not None and frame.f_code.co_filename != FILE:
                    frame = frame.f_back
                self.gone_at = self.position(frame.f_lineno if frame is not None else None)
                raise

        pipes.receive = watched

    def position(self, line):
        return self.functions or None if self.test.kind == "pytest" else self.test.at(line)

    def verdict(self):
        link = self.link
        try:
            self.whole()
            outcome = {"passed": self.functions if self.test.kind == "pytest" else len(self.reached)}
            if self.wants_lines:
                outcome["lines"] = link.ask("lines")
        except BaseException as error:
            outcome = self.failed(error)
        # Test code may catch everything; what it cannot do is undo this.
        if link.gone:
            return {"gone": self.gone_at}
        if link.garbage is not None:
            return {"failed": "crash", "test": outcome.get("test"), "message": f"the program answered with {link.garbage}"}
        if link.unserved is not None:
            return {"unserved": link.unserved}
        return outcome

    def whole(self):
        test, link = self.test, self.link
        for name in [name for name in sys.modules if name == links.TESTS or name == test.entry]:
            del sys.modules[name]
        namespace = program.module(links.TESTS).__dict__
        try:
            exec(test.setup, namespace)
        except BaseException as error:
            raise wire.Unserved(f"the setup of the tests fails: {type(error).__name__}: {error}") from None
        self.setup.learn(namespace)
        own = set(namespace)
        link.ask("start")
        if test.kind == "pytest":
            collector()
        if test.kind == "pytest" and test.entry:
            sys.modules[test.entry] = RemoteModule(test.entry, link)
        found = link.ask("names", [name for name in test.names if name not in own])
        namespace.update(chosen(found, test.entry))
        namespace[REACHED] = self.reached.add
        exec(test.code, namespace)
        if test.kind == "pytest":
            for function in collector().collect(namespace):
                self.functions += 1
                function()
        elif test.entry and "check" in namespace and not test.calls_check:
            namespace["check"](link.ask("entry", test.entry))

    def failed(self, error):
        test, link = self.test, self.link
        if isinstance(error, (wire.Unserved, wire.Garbage, links.Gone)):
            if isinstance(error, wire.Unserved):
                link.unserved = link.unserved or str(error)
            return {}
        number = self.functions or None if test.kind == "pytest" else test.number(error.__traceback__)
        text = wire.safe_text(error)
        name = type(error).__name__
        if getattr(error, "barecode_is_remote", False):
            name, text = getattr(error, "barecode", (name, text, None))[:2]
            kind = program.fault(error)
        elif isinstance(error, MemoryError):
            kind = "memory"
        elif isinstance(error, (NameError, ImportError)):
            kind = "exception"
        else:
            kind = "wrong-answer"
            if isinstance(error, AssertionError) and test.kind != "pytest" and number:
                stated, said = test.text(number), text
                return {"failed": kind, "test": number, "message": f"{stated} ({said})" if said else stated}
        return {"failed": kind, "test": number, "message": f"{name}: {text}" if text else name}


def chosen(found, entry):
    """What of the program the tests see: a function of the program hides a built-in one only if it is what is tested."""
    import builtins

    hiding = {name for name in found if hasattr(builtins, name)}
    if len(hiding) == len(found) or not hiding:
        return found
    return {name: value for name, value in found.items() if name not in hiding or name == entry}


# The source of `collect`, which imports unittest; the zygote sets it.
COLLECT = ""


def collector():
    if "barecode_collect" not in sys.modules:
        exec(compile(COLLECT, "barecode_collect", "exec"), program.module("barecode_collect").__dict__)
    return sys.modules["barecode_collect"]


class RemoteModule(types.ModuleType):
    """The program, as test code imports it."""

    def __init__(self, name, link):
        super().__init__(name)
        self.__dict__["_barecode_link"] = link

    def __getattr__(self, name):
        link = self.__dict__["_barecode_link"]
        if name == "__all__":
            return link.ask("public")
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return link.ask("name", name)
        except KeyError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None

    def __setattr__(self, name, value):
        raise wire.Unserved("the tests set a global variable of the program")


def run(fds, lock):
    orders = Orders(fds["judge_in"])
    order = orders.frame()
    lock()

    def report(value):
        program.write_frame(fds["judge_out"], value)

    sys.stdout = sys.__stdout__ = sys.stderr
    test, reason = None, None
    try:
        test = Test(order)
    except wire.Unserved as error:
        reason = str(error)
    except (SyntaxError, ValueError, RecursionError) as error:
        reason = f"the tests do not compile: {program.describe(error)['text']}"
    while True:
        go = orders.next_run()
        if test is None:
            report({"unserved": reason})
            continue
        random.seed(0)
        report(Run(test, orders, fds, go["lines"]).verdict())
