"""Calls between the program's process and the tests' process, in both directions.

A frame is a length, a kind and a value of `wire`. Who has asked waits for the answer, and meanwhile answers what the
other side asks: a test may hand a lambda to the program. An object that does not travel is lent: the other side holds a
`Remote`, whose every use is a question to the owner.

The program's side answers everything about its own objects. The tests' side answers little: that its functions are
called, its iterators advanced, and public attributes of its own classes read. Nothing else of it can be reached.
"""

import copy
import operator
import os
import select
import struct
import types

import barecode_wire as wire
from barecode_wire import Garbage, Reader, Table, Unserved, Writer, unlimited

ASK, GIVE, RAISE, REFUSE = range(4)
LONGEST = 64 << 20
TOO_LONG = "a value of more than 64 MiB"
_head = struct.Struct("<IB")


class Gone(BaseException):
    """The other side has ended, or was ended."""


class Pipes:
    """Frames over two pipes; `orders` is a pipe that may say that the other side is gone."""

    def __init__(self, read, write, is_gone=None):
        self.reading, self.writing, self.is_gone = read, write, is_gone
        self.poll = select.poll()
        self.poll.register(read, select.POLLIN)
        if is_gone is not None:
            self.poll.register(is_gone.fd, select.POLLIN)
        self.buffer = bytearray()

    def send(self, kind, payload):
        if len(payload) > LONGEST:
            raise Unserved(TOO_LONG)
        head = _head.pack(len(payload), kind)
        # One write for the many that are small, and no copy of the few that are large.
        parts = (head + payload,) if len(payload) < 1 << 16 else (head, payload)
        for data in map(memoryview, parts):
            while data:
                data = data[os.write(self.writing, data):]

    def receive(self):
        while True:
            if len(self.buffer) >= _head.size:
                length, kind = _head.unpack_from(self.buffer)
                if length > LONGEST or kind > REFUSE:
                    raise Garbage("a frame that is none")
                end = _head.size + length
                if len(self.buffer) >= end:
                    payload = bytes(self.buffer[_head.size:end])
                    del self.buffer[:end]
                    return kind, payload
            if self.is_gone is not None:
                ready = {fd for fd, _ in self.poll.poll()}
                if self.is_gone.fd in ready and self.is_gone():
                    raise Gone()
                if self.reading not in ready:
                    continue
            data = os.read(self.reading, 1 << 16)
            if not data:
                raise Gone()
            self.buffer += data


class Link:
    def __init__(self, pipes, setup, is_program, served=None):
        self.pipes, self.setup, self.is_program, self.served = pipes, setup, is_program, served or {}
        self.lent, self.numbers = [], {}
        self.borrowed = {}
        # Why the run is void, whatever the test code makes of the exception.
        self.unserved = None
        self.garbage = None
        self.gone = False

    # What `wire` asks.

    def lend(self, value):
        is_iterator = hasattr(type(value), "__next__") and hasattr(type(value), "__iter__")
        if not self.is_program and not is_iterator and not may_lend(value):
            raise Unserved(f"the tests hand an object of type {type(value).__name__} to the program")
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = len(self.lent)
            self.lent.append(value)
        return number, is_iterator

    def own(self, number):
        if number >= len(self.lent):
            raise Garbage("a handle of nothing")
        return self.lent[number]

    def borrow(self, number, is_iterator):
        found = self.borrowed.get(number)
        if found is None:
            found = self.borrowed[number] = (RemoteIterator if is_iterator else Remote)(self, number)
        return found

    def stand_in(self, number, name, base):
        found = self.borrowed.get(number)
        if found is None:
            try:
                found = type(name, (base,), {"__module__": "program", "__getattr__": remote_attribute})
            except TypeError as error:
                raise Garbage("no class of exceptions") from error
            self.borrowed[number] = found
        return found

    def comes_home(self, value):
        if isinstance(value, Remote):
            return value._barecode_number
        if isinstance(value, type) and issubclass(value, BaseException):
            for number, found in self.borrowed.items():
                if found is value:
                    return number
        return None

    # Questions and answers.

    def ask(self, *question):
        if self.gone:
            raise Gone()
        try:
            return self.exchange(question)
        except Unserved as error:
            self.unserved = self.unserved or str(error)
            raise
        except Garbage as error:
            self.garbage = self.garbage or str(error)
            raise
        except Gone:
            self.gone = True
            raise

    def exchange(self, question):
        table = Table()
        writer = Writer(self, table)
        unlimited(writer.value, question)
        self.pipes.send(ASK, writer.out)
        while True:
            kind, payload = self.pipes.receive()
            if kind == ASK:
                self.answer(payload)
                continue
            reader = Reader(self, payload, table)
            value = self.read(reader.value)
            if kind == REFUSE:
                raise Unserved(str(value))
            self.read(reader.changes)
            if kind == GIVE:
                return value
            if not isinstance(value, BaseException):
                raise Garbage("an exception that is none")
            value.barecode_is_remote = True
            raise value

    def read(self, read):
        try:
            return unlimited(read)
        except (MemoryError, Garbage, Unserved, Gone):
            raise
        except Exception as error:
            raise Garbage(f"{type(error).__name__} in a value") from None

    def answer(self, payload):
        table = Table()
        reader = Reader(self, payload, table)
        question = self.read(reader.value)
        before = [wire.contents(value) for value in table.objects]
        try:
            if type(question) is not tuple or not question:
                raise Garbage("a question that is none")
            value, kind = self.do(*question), GIVE
        except (Gone, Garbage):
            raise
        except Unserved as error:
            value, kind = str(error), REFUSE
        except BaseException as error:
            value, kind = error, RAISE
        writer = Writer(self, table)
        try:
            unlimited(writer.value, value)
            if kind != REFUSE:
                unlimited(writer.changed, before)
            if len(writer.out) > LONGEST:
                raise Unserved(TOO_LONG)
        except Unserved as error:
            self.unserved = self.unserved or str(error)
            kind, writer = REFUSE, Writer(self, Table())
            writer.value(str(error))
        except MemoryError:
            kind, writer = RAISE, Writer(self, Table())
            writer.value(MemoryError())
            writer.count(0)
        self.pipes.send(kind, writer.out)

    def do(self, name, *parts):
        if name in self.served:
            return self.served[name](*parts)
        if name not in OPERATIONS or not parts:
            raise Garbage("a question about nothing")
        if not self.is_program and not may_answer(name, *parts):
            raise Unserved("the program asks for more of an object of the tests than they may show")
        return OPERATIONS[name](*parts)


TESTS = "tests"
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType, type)


def may_lend(value):
    return isinstance(value, FUNCTIONS) or type(value).__module__ == TESTS


def may_answer(name, target, *parts):
    if isinstance(target, FUNCTIONS):
        return name == "call"
    if type(target).__module__ != TESTS:
        return name in ("iter", "next")
    return name != "getattr" or not str(parts[0]).startswith("_")


BINARY = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift divmod iadd isub imul iand ior ixor"
).split()
COMPARED = "eq ne lt le gt ge".split()
UNARY = "neg pos abs invert".split()
OPERATIONS = {
    "call": lambda function, arguments, named: function(*arguments, **named),
    "getattr": getattr, "setattr": setattr, "delattr": delattr,
    "getitem": operator.getitem, "setitem": operator.setitem, "delitem": operator.delitem,
    "contains": operator.contains, "len": len, "iter": iter, "reversed": reversed, "next": next, "bool": bool,
    "repr": repr, "str": str, "format": format, "hash": hash, "int": int, "float": float, "complex": complex,
    "index": operator.index, "round": round, "dir": dir, "copy": copy.copy, "deepcopy": copy.deepcopy,
    "enter": lambda context: type(context).__enter__(context),
    "exit": lambda context, *error: type(context).__exit__(context, *error),
    "isinstance": isinstance, "issubclass": issubclass, "divmod": divmod,
    **{name: getattr(operator, name) for name in BINARY + COMPARED + UNARY if name != "divmod"},
}


class Remote:
    """An object of the other side."""

    __slots__ = ("_barecode_link", "_barecode_number", "__weakref__")

    def __init__(self, link, number):
        object.__setattr__(self, "_barecode_link", link)
        object.__setattr__(self, "_barecode_number", number)

    def __call__(self, *arguments, **named):
        return self._barecode_link.ask("call", self, arguments, named)

    def __getattr__(self, name):
        return self._barecode_link.ask("getattr", self, name)

    def __setattr__(self, name, value):
        self._barecode_link.ask("setattr", self, name, value)

    def __delattr__(self, name):
        self._barecode_link.ask("delattr", self, name)

    def __exit__(self, kind, error, trace):
        return self._barecode_link.ask("exit", self, kind, error, None)

    def __instancecheck__(self, value):
        return isinstance(value, Remote) and bool(self._barecode_link.ask("isinstance", value, self))

    def __subclasscheck__(self, value):
        return isinstance(value, Remote) and bool(self._barecode_link.ask("issubclass", value, self))

    def __deepcopy__(self, memo):
        return self._barecode_link.ask("deepcopy", self)

    def __mro_entries__(self, bases):
        raise Unserved("the tests derive a class from one of the program")


class RemoteIterator(Remote):
    """An iterator of the other side: compared by identity, as iterators are."""

    __slots__ = ()

    def __iter__(self):
        return self

    def __next__(self):
        return self._barecode_link.ask("next", self)


def asks(name):
    def method(self, *parts):
        return self._barecode_link.ask(name, self, *parts)

    return method


def compares(name, is_reflected=False):
    """An operation of two objects. With a value of this side it would show the other side what is expected."""

    def method(self, other):
        if self is other and name == "eq":
            return True
        if other is None or other is NotImplemented:
            return NotImplemented
        if not isinstance(other, Remote):
            link = self._barecode_link
            if link.is_program:
                return NotImplemented
            reason = f"an object of the program meets a value of the tests (`{name.rstrip('_')}`)"
            link.unserved = link.unserved or reason
            raise Unserved(reason)
        left, right = (other, self) if is_reflected else (self, other)
        return self._barecode_link.ask(name, left, right)

    return method


def remote_attribute(error, name):
    """An attribute of an exception that the other side has raised."""
    remote = error.__dict__.get("barecode", (None, None, None))[2]
    if remote is None or name.startswith("__"):
        raise AttributeError(name)
    return getattr(remote, name)


for _name in (
    "getitem setitem delitem contains len iter reversed next bool repr str format hash int float complex index round "
    "dir copy enter"
).split():
    if _name != "next":
        setattr(Remote, f"__{_name}__", asks(_name))
for _name in COMPARED + BINARY:
    setattr(Remote, f"__{_name.rstrip('_')}__", compares(_name))
    if _name in BINARY and not _name.startswith("i"):
        setattr(Remote, f"__r{_name.rstrip('_')}__", compares(_name, is_reflected=True))
for _name in UNARY:
    setattr(Remote, f"__{_name}__", asks(_name))
RemoteIterator.__eq__ = object.__eq__
RemoteIterator.__ne__ = object.__ne__
RemoteIterator.__hash__ = object.__hash__
