"""Test functions and classes, as pytest and unittest find them: the part of pytest that small test files use."""

import inspect
import itertools
import sys
import types
import unittest

import barecode_link as links
import barecode_wire as wire


def collect(namespace):
    """The tests of a module, each as something to call."""
    functions = {name: value for name, value in namespace.items() if isinstance(value, types.FunctionType)}
    fixtures = {name: value for name, value in functions.items() if hasattr(value, "barecode_fixture")}
    for name, value in list(namespace.items()):
        if isinstance(value, links.Remote):
            continue
        if isinstance(value, types.FunctionType) and name.startswith("test"):
            yield from variants(value, fixtures)
        elif isinstance(value, type) and value.__module__ == links.TESTS:
            if issubclass(value, unittest.TestCase):
                yield from cases(value)
            elif name.startswith("Test"):
                yield from methods(value, fixtures)


def cases(kind):
    names = unittest.TestLoader().getTestCaseNames(kind)
    for number, name in enumerate(names):

        def one(name=name, is_first=number == 0):
            if is_first:
                kind.setUpClass()
            case = kind(name)
            case.setUp()
            try:
                getattr(case, name)()
            except unittest.SkipTest:
                pass
            finally:
                case.tearDown()
                case.doCleanups()

        yield one
    if names:
        kind.tearDownClass()


def methods(kind, fixtures):
    for name, function in list(vars(kind).items()):
        if name.startswith("test") and isinstance(function, types.FunctionType):
            for variant in variants(function, fixtures, kind):
                yield variant


def variants(function, fixtures, kind=None):
    sets = getattr(function, "barecode_parameters", [])
    for chosen in itertools.product(*sets):
        given = {}
        for part in chosen:
            given.update(part)

        def one(given=given):
            arguments = []
            if kind is not None:
                instance = kind()
                getattr(instance, "setup_method", lambda *_: None)(*[function][: 1 if takes_method(instance) else 0])
                arguments.append(instance)
            open_fixtures, values = [], {}
            needed = [name for name in inspect.signature(function).parameters if name not in given and name != "self"]
            for name in needed:
                values[name] = fixture(name, fixtures, values, open_fixtures)
            try:
                function(*arguments, **given, **{name: values[name] for name in needed})
            except unittest.SkipTest:
                pass
            finally:
                for generator in reversed(open_fixtures):
                    next(generator, None)

        yield one


def takes_method(instance):
    setup = getattr(instance, "setup_method", None)
    return setup is not None and len(inspect.signature(setup).parameters) > 0


def fixture(name, fixtures, values, open_fixtures):
    if name not in values:
        if name not in fixtures:
            raise wire.Unserved(f"the tests use the fixture `{name}`")
        function = fixtures[name]
        needed = [fixture(need, fixtures, values, open_fixtures) for need in inspect.signature(function).parameters]
        value = function(*needed)
        if inspect.isgenerator(value):
            open_fixtures.append(value)
            value = next(value)
        values[name] = value
    return values[name]


class Pytest(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise wire.Unserved(f"the tests use pytest.{name}")


class Raises:
    def __init__(self, expected, match=None):
        self.expected, self.match, self.value = expected, match, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        import re

        if error is None:
            raise AssertionError(f"DID NOT RAISE {self.expected}")
        if not isinstance(error, self.expected) or isinstance(error, (wire.Unserved, wire.Garbage, links.Gone)):
            return False
        self.value, self.type = error, kind
        if self.match is not None and not re.search(self.match, str(error)):
            raise AssertionError(f"{str(error)!r} does not match {self.match!r}")
        return True


def raises(expected, *arguments, match=None, **named):
    context = Raises(expected, match)
    if not arguments:
        return context
    with context:
        arguments[0](*arguments[1:], **named)
    return context


class Approximately:
    """A number, or numbers, within a tolerance, as `pytest.approx` has it."""

    def __init__(self, expected, rel=None, abs=None):
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, value):
        return self.near(value, self.expected)

    def near(self, value, expected):
        if isinstance(expected, dict):
            return isinstance(value, dict) and value.keys() == expected.keys() and all(
                self.near(value[key], expected[key]) for key in expected)
        if isinstance(expected, (list, tuple)):
            return type(value) is type(expected) and len(value) == len(expected) and all(
                map(self.near, value, expected))
        if isinstance(value, links.Remote) or not isinstance(value, (int, float, complex)):
            return value == expected
        if value == expected:
            return True
        if value != value or expected != expected or abs(expected) == float("inf"):
            return False
        absolute = 1e-12 if self.abs is None else self.abs
        relative = (0 if self.abs is not None else 1e-6) if self.rel is None else self.rel
        return abs(value - expected) <= max(relative * abs(expected), absolute)


def parametrize(names, sets, ids=None):
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

    def decorate(function):
        given = [dict(zip(names, [one] if len(names) == 1 else one)) for one in sets]
        function.barecode_parameters = [given, *getattr(function, "barecode_parameters", [])]
        return function

    return decorate


def mark_fixture(function=None, **named):
    if function is None:
        return mark_fixture
    function.barecode_fixture = True
    return function


def fail(reason=""):
    raise AssertionError(reason)


def skip(reason=""):
    raise unittest.SkipTest(reason)


def install():
    pytest, mark = Pytest("pytest"), Pytest("pytest.mark")
    mark.parametrize = parametrize
    pytest.raises, pytest.approx, pytest.mark, pytest.fixture = raises, Approximately, mark, mark_fixture
    pytest.fail, pytest.skip = fail, skip
    sys.modules["pytest"] = pytest


install()
