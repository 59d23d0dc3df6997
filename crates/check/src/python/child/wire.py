"""Values as bytes, for two processes that do not trust each other.

Only the types below travel as values. A subclass of a built-in type travels as the built-in value, so that none of its
methods is ever called by the receiver. What else there is travels as a handle: its owner is asked.

Containers that can change are numbered in the order in which they are met; `Table` holds them for one call. An answer
refers to the containers of its question by number, and lists the contents of those that were changed meanwhile.
"""

import array
import builtins
import collections
import datetime
import decimal
import fractions
import itertools
import operator
import struct
import sys
import types

# Modules whose functions and classes may be named instead of sent. None of them holds an object that is equal to
# things that it is not.
NAMED = frozenset(
    "bisect cmath collections copy datetime decimal fractions functools heapq itertools json math operator random re "
    "statistics string time typing".split()
)
NOT_NAMED = frozenset("exec eval compile open input __import__ breakpoint exit quit globals locals vars help".split())
DEEPEST = 20_000
_count = struct.Struct("<I")
_double = struct.Struct("<d")
_numbers = {int: "q", float: "d"}


class Unserved(BaseException):
    """Something that two processes cannot do together."""


class Garbage(BaseException):
    """Bytes that no honest sender sends."""


class Table:
    """The containers of one question, by number."""

    def __init__(self):
        self.objects = []
        self.numbers = {}

    def add(self, value):
        self.numbers[id(value)] = len(self.objects)
        self.objects.append(value)


class Setup:
    """The classes that the tests' setup defines: both sides have them."""

    def __init__(self):
        self.classes = {}
        self.names = {}

    def learn(self, namespace):
        for name, value in namespace.items():
            if isinstance(value, type) and value.__module__ == namespace["__name__"]:
                self.classes[name] = value
                self.names[value] = name


def contents(value):
    """What a container holds, to see later whether it was changed."""
    kind = type(value)
    if kind is bytearray or kind is array.array:
        return bytes(value)
    if isinstance(value, dict):
        return list(itertools.chain(value.keys(), value.values()))
    if kind is set:
        return frozenset(value)
    if isinstance(value, (list, collections.deque)):
        return list(value)
    state = value.__dict__
    return list(itertools.chain(state.keys(), state.values()))


def same(before, after):
    if isinstance(before, list):
        return len(before) == len(after) and all(map(operator.is_, before, after))
    if isinstance(before, frozenset):
        return len(before) == len(after) and set(map(id, before)) == set(map(id, after))
    return before == after


class Writer:
    def __init__(self, side, table):
        self.side = side
        self.table = table
        self.out = bytearray()

    def count(self, number):
        self.out += _count.pack(number)

    def raw(self, data):
        self.out += _count.pack(len(data))
        self.out += data

    def text(self, text):
        self.raw(text.encode("utf-8", "surrogatepass"))

    def value(self, value):
        writer = WRITERS.get(type(value))
        if writer is not None:
            return writer(self, value)
        if self.side.comes_home(value) is not None:
            return self.handle(value)
        for kind in BUILTINS:
            if isinstance(value, kind):
                if kind is tuple and is_named_tuple(value):
                    return self.named_tuple(value)
                return WRITERS[kind](self, value)
        name = self.side.setup.names.get(type(value))
        if name is not None and hasattr(value, "__dict__") and not isinstance(value, BaseException):
            return self.instance(name, value)
        if isinstance(value, type):
            return self.type(value)
        if isinstance(value, BaseException):
            return self.exception(value)
        name = global_name(value)
        if name is not None:
            return self.named(*name)
        self.handle(value)

    def values(self, values):
        self.count(len(values))
        for value in values:
            self.value(value)

    def handle(self, value):
        home = self.side.comes_home(value)
        if home is not None:
            self.out += b"h"
            return self.count(home)
        number, is_iterator = self.side.lend(value)
        self.out += b"J" if is_iterator else b"H"
        self.count(number)

    def named(self, module, name):
        self.out += b"G"
        self.text(module)
        self.text(name)

    def type(self, value):
        name = self.side.setup.names.get(value)
        if name is not None:
            self.out += b"U"
            return self.text(name)
        name = global_name(value)
        if name is not None:
            return self.named(*name)
        if not issubclass(value, BaseException) or self.side.comes_home(value) is not None:
            return self.handle(value)
        # The class of an exception: the other side makes one that is caught by the same name and the same base.
        self.out += b"V"
        self.count(self.side.lend(value)[0])
        self.text(value.__name__)
        bases = [base for base in value.__mro__[1:] if base is not object]
        self.type(bases[0])

    def exception(self, value):
        self.out += b"e"
        self.type(type(value))
        arguments = value.args if type(value.args) is tuple else ()
        plain = all(type(argument) in PLAIN for argument in arguments)
        if not plain:
            arguments = (safe_text(value),)
        self.value(arguments)
        self.text(safe_text(value))
        if self.side.is_program and (not plain or value.__dict__):
            self.handle(value)
        else:
            self.value(None)

    def named_tuple(self, value):
        self.out += b"P"
        self.text(type(value).__name__)
        self.values(list(type(value)._fields))
        self.values(list(tuple.__iter__(value)))

    def known(self, value):
        number = self.table.numbers.get(id(value))
        if number is None:
            self.table.add(value)
            return False
        self.out += b"R"
        self.count(number)
        return True

    def container(self, value):
        if not self.known(value):
            self.body(value)

    def instance(self, name, value):
        if not self.known(value):
            self.body(value)

    def body(self, value):
        """A container with its tag; the receiver makes it, or fills the one that it has."""
        kind = type(value)
        if kind is bytearray:
            self.out += b"B"
            self.raw(value)
        elif kind is array.array:
            self.out += b"A"
            self.text(value.typecode)
            self.raw(value.tobytes())
        elif isinstance(value, list):
            self.list(value)
        elif isinstance(value, (set, collections.deque)):
            if isinstance(value, set):
                self.out += b"S"
                self.values(list(set.__iter__(value)))
            else:
                self.out += b"Q"
                self.value(value.maxlen)
                self.values(list(collections.deque.__iter__(value)))
        elif isinstance(value, dict):
            if isinstance(value, collections.defaultdict):
                self.out += b"M"
                factory = value.default_factory
                self.value(factory if factory is None or global_name(factory) else None)
            elif isinstance(value, collections.Counter):
                self.out += b"C"
            elif isinstance(value, collections.OrderedDict):
                self.out += b"O"
            else:
                self.out += b"D"
            self.values(list(dict.keys(value)))
            self.values(list(dict.values(value)))
        else:
            self.out += b"I"
            self.text(self.side.setup.names[kind])
            state = value.__dict__
            self.values(list(state.keys()))
            self.values(list(state.values()))

    def list(self, value):
        items = list(list.__iter__(value))
        kinds = set(map(type, items)) if len(items) > 4 else ()
        code = _numbers.get(next(iter(kinds))) if len(kinds) == 1 else None
        if code is not None:
            try:
                packed = struct.pack(f"<{len(items)}{code}", *items)
            except struct.error:
                pass
            else:
                self.out += b"l" + code.encode()
                return self.raw(packed)
        self.out += b"L"
        self.values(items)

    def changed(self, snapshots):
        """The containers of the question whose contents changed, with their contents now."""
        objects = self.table.objects
        numbers = [n for n, before in enumerate(snapshots) if not same(before, contents(objects[n]))]
        self.count(len(numbers))
        for number in numbers:
            self.count(number)
            self.body(objects[number])


def write_int(self, value):
    data = int.to_bytes(value, int.bit_length(value) // 8 + 1, "little", signed=True)
    self.out += b"i"
    self.raw(data)


def write_float(self, value):
    self.out += b"f" + _double.pack(value)


def write_complex(self, value):
    self.out += b"c" + _double.pack(value.real) + _double.pack(value.imag)


def write_str(self, value):
    self.out += b"s"
    self.text(str.__str__(value))


def write_bytes(self, value):
    self.out += b"b"
    self.raw(value)


def write_tuple(self, value):
    self.out += b"t"
    self.values(list(tuple.__iter__(value)))


def write_frozenset(self, value):
    self.out += b"Z"
    self.values(list(frozenset.__iter__(value)))


def write_range(self, value):
    self.out += b"r"
    self.values([value.start, value.stop, value.step])


def write_decimal(self, value):
    self.out += b"d"
    self.text(decimal.Decimal.__str__(value))


def write_fraction(self, value):
    self.out += b"q"
    self.values([value.numerator, value.denominator])


def write_time(self, value):
    """Dates and times, without the time zones that are more than a difference."""
    zone = getattr(value, "tzinfo", None)
    if zone is not None and type(zone) is not datetime.timezone:
        raise Unserved(f"a time with a zone of type {type(zone).__name__}")
    self.out += b"w"
    if isinstance(value, datetime.timedelta):
        parts = ["timedelta", value.days, value.seconds, value.microseconds]
    else:
        kind = next(k for k in (datetime.datetime, datetime.date, datetime.time) if isinstance(value, k))
        parts = [kind.__name__, kind.isoformat(value)]
    self.values(parts)


def write_view(self, value):
    tag = {KEYS: b"k", VALUES: b"v", ITEMS: b"y"}[type(value)]
    self.out += tag
    self.values(list(value))


def write_module(self, value):
    name = value.__name__
    if name in NAMED:
        self.out += b"m"
        self.text(name)
    else:
        self.handle(value)


def write_tag(tag):
    def write(self, value):
        self.out += tag

    return write


KEYS, VALUES, ITEMS = type({}.keys()), type({}.values()), type({}.items())
PLAIN = (type(None), bool, int, float, str, bytes)
# Tried in this order for subclasses.
BUILTINS = (
    int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque, decimal.Decimal,
    fractions.Fraction, datetime.datetime, datetime.date, datetime.time, datetime.timedelta, types.ModuleType,
)
WRITERS = {
    type(None): write_tag(b"N"), type(Ellipsis): write_tag(b"E"),
    bool: lambda self, value: self.out.extend(b"T" if value else b"F"),
    int: write_int, float: write_float, complex: write_complex, str: write_str, bytes: write_bytes,
    tuple: write_tuple, frozenset: write_frozenset, range: write_range, decimal.Decimal: write_decimal,
    fractions.Fraction: write_fraction, datetime.datetime: write_time, datetime.date: write_time,
    datetime.time: write_time, datetime.timedelta: write_time, KEYS: write_view, VALUES: write_view,
    ITEMS: write_view, types.ModuleType: write_module, type: Writer.type,
    **dict.fromkeys(
        (list, dict, set, bytearray, array.array, collections.deque, collections.Counter, collections.OrderedDict,
         collections.defaultdict), Writer.container),
}


def is_named_tuple(value):
    fields = getattr(type(value), "_fields", None)
    return type(fields) is tuple and len(fields) == tuple.__len__(value) and all(type(f) is str for f in fields)


def safe_text(error):
    try:
        return str(error)[:2000]
    except BaseException:
        return "(its text raises an exception)"


def global_name(value):
    """The module and the name under which both sides have it."""
    module = getattr(value, "__module__", None) or getattr(getattr(value, "__self__", None), "__name__", None)
    name = getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or "." in name:
        return None
    # Functions written in C give the name of the accelerator as their module.
    for module in (module, module.lstrip("_")):
        if (module in NAMED or module == "builtins" and name not in NOT_NAMED) and module in sys.modules:
            try:
                if sys.modules[module].__dict__.get(name) is value:
                    return module, name
            except Exception:
                return None
    return None


class Reader:
    def __init__(self, side, data, table):
        self.side = side
        self.data = data
        self.at = 0
        self.table = table

    def take(self, length):
        start = self.at
        self.at += length
        if self.at > len(self.data):
            raise Garbage("a value that ends early")
        return self.data[start:self.at]

    def count(self):
        return _count.unpack(self.take(4))[0]

    def raw(self):
        return bytes(self.take(self.count()))

    def text(self):
        return self.raw().decode("utf-8", "surrogatepass")

    def values(self):
        number = self.count()
        if number > len(self.data) - self.at:
            raise Garbage("more values than bytes")
        return [self.value() for _ in range(number)]

    def value(self):
        reader = READERS.get(self.take(1)[0])
        if reader is None:
            raise Garbage("a value of no type")
        return reader(self)

    def new(self, value):
        self.table.add(value)
        return value

    def fill(self, tag, value):
        """Gives a container its contents."""
        if tag == b"B":
            value[:] = self.raw()
        elif tag == b"A":
            data = self.raw()
            del value[:]
            value.frombytes(data)
        elif tag == b"l":
            code = self.take(1).decode()
            data = self.raw()
            if code not in ("q", "d"):
                raise Garbage("numbers of no type")
            value[:] = struct.unpack(f"<{len(data) // 8}{code}", data)
        elif tag == b"L":
            value[:] = self.values()
        elif tag in (b"S", b"Q"):
            items = self.values()
            value.clear()
            (value.update if tag == b"S" else value.extend)(items)
        elif tag in (b"D", b"C", b"O", b"M"):
            keys, values = self.values(), self.values()
            dict.clear(value) if tag != b"O" else value.clear()
            for key, item in zip(keys, values):
                value[key] = item
        else:
            keys, values = self.values(), self.values()
            if not all(type(key) is str for key in keys):
                raise Garbage("an attribute without a name")
            value.__dict__.clear()
            value.__dict__.update(zip(keys, values))
        return value

    def changes(self):
        """Brings the containers of the question to the state that they have on the other side."""
        kinds = {b"B": bytearray, b"A": array.array, b"l": list, b"L": list, b"S": set, b"D": dict, b"C": dict,
                 b"O": collections.OrderedDict, b"M": dict, b"Q": collections.deque}
        for _ in range(self.count()):
            number, tag = self.count(), bytes(self.take(1))
            if number >= len(self.table.objects):
                raise Garbage("a change of nothing")
            value = self.table.objects[number]
            kind = kinds.get(tag)
            if tag == b"I":
                kind = self.side.setup.classes.get(self.text())
            if kind is None or not isinstance(value, kind):
                raise Garbage("a change of another type")
            if tag == b"A":
                self.text()
            elif tag in (b"Q", b"M"):
                self.value()
            self.fill(tag, value)


def reads(make, tag):
    def read(self):
        return self.fill(tag, self.new(make(self)))

    return read


def read_reference(self):
    number = self.count()
    if number >= len(self.table.objects):
        raise Garbage("a reference to nothing")
    return self.table.objects[number]


def read_instance(self):
    kind = self.side.setup.classes.get(self.text())
    if kind is None:
        raise Garbage("an instance of no class")
    return self.fill(b"I", self.new(kind.__new__(kind)))


def read_array(self):
    code = self.text()
    if code not in array.typecodes:
        raise Garbage("an array of no type")
    return self.fill(b"A", self.new(array.array(code)))


def read_range(self):
    start, stop, step = integers(self.values(), 3)
    return range(start, stop, step)


def read_fraction(self):
    return fractions.Fraction(*integers(self.values(), 2))


def integers(values, number):
    if len(values) != number or not all(type(value) is int for value in values):
        raise Garbage("something else than integers")
    return values


def read_time(self):
    name, *parts = self.values()
    if name == "timedelta":
        return datetime.timedelta(*integers(parts, 3))
    if name not in ("datetime", "date", "time") or len(parts) != 1 or type(parts[0]) is not str:
        raise Garbage("no time")
    return getattr(datetime, name).fromisoformat(parts[0])


def read_global(self):
    module, name = self.text(), self.text()
    known = module in NAMED or module == "builtins" and name not in NOT_NAMED
    value = getattr(__import__(module), name, None) if known and not name.startswith("_") else None
    if value is None or isinstance(value, types.ModuleType):
        raise Garbage("no name of a library")
    return value


def read_module(self):
    name = self.text()
    if name not in NAMED:
        raise Garbage(f"no known module: {name}")
    return __import__(name)


def read_setup_class(self):
    kind = self.side.setup.classes.get(self.text())
    if kind is None:
        raise Garbage("no class of the setup")
    return kind


def read_exception_class(self):
    number, name, base = self.count(), self.text(), self.value()
    if not (isinstance(base, type) and issubclass(base, BaseException)):
        raise Garbage("no class of exceptions")
    return self.side.stand_in(number, name, base)


def read_exception(self):
    kind, arguments, text, remote = self.value(), self.value(), self.text(), self.value()
    if not (isinstance(kind, type) and issubclass(kind, BaseException)) or type(arguments) is not tuple:
        raise Garbage("no exception")
    try:
        error = kind.__new__(kind, *arguments)
        error.args = arguments
    except Exception:
        error = Exception(text)
    error.barecode = (kind.__name__, text, remote)
    return error


def read_named_tuple(self):
    name, fields, values = self.text(), self.values(), self.values()
    if len(fields) != len(values) or not all(type(field) is str for field in fields):
        raise Garbage("no named tuple")
    try:
        return collections.namedtuple(name, fields)(*values)
    except ValueError:
        raise Garbage("no named tuple") from None


def read_items(self):
    return dict(self.values()).items()


READERS = {
    tag[0]: reader
    for tag, reader in {
        b"N": lambda self: None, b"T": lambda self: True, b"F": lambda self: False, b"E": lambda self: Ellipsis,
        b"i": lambda self: int.from_bytes(self.raw(), "little", signed=True),
        b"f": lambda self: _double.unpack(self.take(8))[0],
        b"c": lambda self: complex(_double.unpack(self.take(8))[0], _double.unpack(self.take(8))[0]),
        b"s": Reader.text, b"b": Reader.raw, b"t": lambda self: tuple(self.values()),
        b"Z": lambda self: frozenset(self.values()), b"r": read_range,
        b"d": lambda self: decimal.Decimal(self.text()), b"q": read_fraction, b"w": read_time,
        b"k": lambda self: dict.fromkeys(self.values()).keys(),
        b"v": lambda self: dict(enumerate(self.values())).values(), b"y": read_items,
        b"L": reads(lambda self: [], b"L"), b"l": reads(lambda self: [], b"l"), b"S": reads(lambda self: set(), b"S"),
        b"D": reads(lambda self: {}, b"D"), b"B": reads(lambda self: bytearray(), b"B"),
        b"Q": reads(lambda self: collections.deque(maxlen=self.value()), b"Q"),
        b"C": reads(lambda self: collections.Counter(), b"C"),
        b"O": reads(lambda self: collections.OrderedDict(), b"O"),
        b"M": reads(lambda self: collections.defaultdict(self.value()), b"M"),
        b"A": read_array, b"I": read_instance, b"R": read_reference, b"P": read_named_tuple, b"G": read_global,
        b"m": read_module, b"U": read_setup_class, b"V": read_exception_class, b"e": read_exception,
        b"H": lambda self: self.side.borrow(self.count(), False),
        b"J": lambda self: self.side.borrow(self.count(), True),
        b"h": lambda self: self.side.own(self.count()),
    }.items()
}


def unlimited(work, *arguments):
    """Does something with values that may be nested more deeply than the program may call."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        return work(*arguments)
    except RecursionError:
        raise Unserved("a value that is nested too deeply") from None
    finally:
        sys.setrecursionlimit(limit)
