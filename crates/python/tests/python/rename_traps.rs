//! Programs that a careless renaming breaks: they print the same under other names, and end the same way.

use barecode_python::{Applying, Context, apply};

use crate::common::run;
use crate::rename_programs::strategies;

/// Each prints something that depends on what its names mean.
const TRAPS: &[&str] = &[
    // Keyword arguments, by calls, dictionaries and partial.
    "def f(first, second=2):\n    return first * 10 + second\nprint(f(1), f(second=3, first=4))\n",
    "def f(first, second):\n    return first - second\nprint(f(**{'first': 9, 'second': 4}))\n",
    "from functools import partial\ndef f(first, second):\n    return first - second\nprint(partial(f, second=1)(5))\n",
    "def g(a, b):\n    return a - b\ndef f(*args, **kwargs):\n    return g(*args, **kwargs)\nprint(f(1, b=2))\n",
    "from threading import Thread\ndef f(out, value):\n    out.append(value)\nout = []\nt = Thread(target=f, kwargs={'out': out, 'value': 3})\nt.start(); t.join()\nprint(out)\n",
    "class A:\n    def __init_subclass__(cls, tag=None):\n        cls.tag = tag\nclass B(A, tag='x'):\n    pass\nprint(B.tag)\n",
    "k = lambda first, second=3: first + second\nprint(k(second=1, first=2))\n",
    "d = {'alpha': 1}\ndef f(alpha):\n    return alpha\nimport json\nprint(f(**json.loads('{\"al' 'pha\": 5}')))\n",
    // Text of names.
    "value = 3\nother = 4\nprint(f'{value=} {other}')\nprint(f'{value + other = }')\n",
    "value = 3\nprint(eval('value + 1'))\nexec('value = 7')\nprint(value)\n",
    "count = 2\ndef f():\n    inner = 5\n    return sorted(locals()), 'count' in globals()\nprint(f())\n",
    "def f(inner):\n    return '%(inner)s' % locals()\nprint(f(3))\n",
    "def f(inner):\n    size = 4\n    return '{inner} {size}'.format(**locals())\nprint(f(3))\n",
    "name = 'Ann'\nprint('Hello %(name)s' % vars())\n",
    "def area():\n    return 7\nprint(globals()['area']())\n",
    "e = eval\nhidden = 4\nprint(e('hidden'))\n",
    "print(list(map(eval, ['left', 'right'])) if (left := 1) and (right := 2) else 0)\n",
    "import sys\nshown = 5\nprint(getattr(sys.modules[__name__], 'shown', 'gone'))\n",
    "import sys\ndef caller():\n    return sys._getframe().f_code.co_name\nprint(caller())\n",
    "import timeit\ndef work():\n    return 1\nprint(timeit.timeit('work()', setup='from __main__ import work', number=1) > 0 if False else 'ok')\n",
    "import inspect\ndef work(alpha, beta):\n    pass\nprint(inspect.signature(work))\n",
    // Names that are shown.
    "def work():\n    pass\nprint(work.__name__, work.__qualname__)\n",
    "def work():\n    pass\nprint(getattr(work, '__name__'))\n",
    "class Point:\n    pass\nprint(type(Point()).__name__, Point)\n",
    "class Point:\n    pass\nprint(type(Point()))\n",
    "class Point:\n    pass\nprint(Point().__class__)\n",
    "class Point:\n    pass\nprint([Point])\n",
    "class Bad(Exception):\n    pass\ntry:\n    raise Bad('no')\nexcept Bad as error:\n    print(repr(error))\n",
    "class Bad(ValueError):\n    pass\nraise Bad('no')\n",
    "from dataclasses import dataclass\n@dataclass\nclass Point:\n    width: int\n    height: int = 2\nprint(Point(1), Point(width=3))\n",
    "from typing import NamedTuple\nclass Point(NamedTuple):\n    width: int\n    height: int\np = Point(1, height=2)\nprint(p, p._asdict())\n",
    "from collections import namedtuple\nPoint = namedtuple('Point', 'width height')\nprint(Point(1, 2))\n",
    "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\nprint(Color.RED, [c.name for c in Color], Color['BLUE'])\n",
    "class Slim:\n    __slots__ = ('width',)\n    def __init__(self, width):\n        self.width = width\nprint(Slim(3).width, Slim.__slots__)\n",
    "class Plain:\n    def hello(self):\n        return 'hello'\nclass Child(Plain):\n    def hello(self):\n        return super().hello() + '!'\nprint(Child().hello(), isinstance(Child(), Plain))\n",
    "class Plain:\n    def __repr__(self):\n        return self.__class__.__name__\nprint(Plain())\n",
    "def tag(function):\n    print(function.__name__)\n    return function\n@tag\ndef work():\n    return 1\nwork()\n",
    "routes = {}\ndef route(function):\n    routes[function.__name__] = function\n    return function\n@route\ndef home():\n    return 'home'\nprint(routes['home']())\n",
    "import functools\n@functools.lru_cache(maxsize=None)\ndef fib(number):\n    return number if number < 2 else fib(number - 1) + fib(number - 2)\nprint(fib(20))\n",
    "class Safe:\n    def __init__(self):\n        self.__value = 3\nbox = Safe()\nprint(box._Safe__value)\n",
    // Scopes.
    "x = 1\nclass A:\n    x = x + 1\n    y = x\nprint(x, A.x, A.y)\n",
    "value = 'module'\ndef f():\n    value = 'function'\n    class A:\n        value = value\n    return A.value\nprint(f())\n",
    "value = 'module'\ndef f():\n    value = 'function'\n    class A:\n        other = value\n    return A.other\nprint(f())\n",
    "class A:\n    size = 3\n    def get(self):\n        return size\nsize = 5\nprint(A().get(), A.size)\n",
    "class A:\n    items = [1, 2]\n    doubled = [item * 2 for item in items]\nprint(A.doubled)\n",
    "total = 0\ndef add(number):\n    global total\n    total += number\nadd(4); add(5)\nprint(total)\n",
    "def make():\n    global born\n    born = 3\nmake()\nprint(born)\n",
    "def counter():\n    count = 0\n    def step():\n        nonlocal count\n        count += 1\n        return count\n    return step\nstep = counter()\nprint(step(), step())\n",
    "item = 'outer'\nitems = [item for item in range(3)]\nprint(item, items)\n",
    "print([(last := n) for n in range(4)], last)\n",
    "def f():\n    found = any((hit := n) > 2 for n in range(9))\n    return found, hit\nprint(f())\n",
    "x = 5\nprint((lambda x=x: x + 1)(), (lambda x: x)(2), x)\n",
    "functions = [lambda n, i=i: n * i for i in range(3)]\nprint([f(2) for f in functions])\n",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    kept = error\nprint(type(kept) is ZeroDivisionError)\ntry:\n    print(error)\nexcept NameError:\n    print('gone')\n",
    "def f(point):\n    match point:\n        case [first, *rest] if first:\n            return first, rest\n        case {'x': x, **others}:\n            return x, others\n        case str() as text:\n            return text\n        case _:\n            return None\nprint(f([1, 2, 3]), f({'x': 1, 'y': 2}), f('s'), f(0))\n",
    "class A:\n    def __init__(self, __hidden):\n        self.__hidden = __hidden\n    def get(self):\n        __local = 3\n        return self.__hidden + __local\nprint(A(4).get())\n",
    "class A:\n    __count = 3\n    def get(self):\n        return A.__count\nprint(A().get())\n",
    "def f():\n    print(x)\n    x = 3\nx = 1\ntry:\n    f()\nexcept UnboundLocalError:\n    print('unbound')\n",
    "for i in range(2):\n    for j in range(2):\n        print(i, j)\nprint(i + j)\n",
    "a = [0, 1]\ni, a[i] = 1, 5\nprint(i, a)\n",
    "with open(__import__('os').devnull) as handle, open(__import__('os').devnull) as other:\n    print(handle.read(), other.read())\n",
    "import os.path\nimport os.path as where\nprint(os.path.join('a', 'b'), where.join('c', 'd'))\n",
    "from math import gcd as divide, sqrt\nprint(divide(12, 8), sqrt(16))\n",
    "try:\n    import nothing_such as fast\nexcept ImportError:\n    fast = None\nprint(fast)\n",
    "def outer(a):\n    b = a\n    def inner(c):\n        return lambda d: [a + b + c + d + e for e in range(2)]\n    return inner\nprint(outer(1)(2)(3))\n",
    "def f(a, /, b, *args, c, **rest):\n    return a, b, args, c, rest\nprint(f(1, 2, 3, c=4, d=5))\n",
    "def gen():\n    sent = yield 1\n    print(sent)\n    yield 2\ng = gen()\nnext(g)\nprint(g.send('hi'))\n",
    "async def f(value):\n    return [item async for item in g(value)]\nasync def g(value):\n    for item in range(value):\n        yield item\nimport asyncio\nprint(asyncio.run(f(3)))\n",
    "def f(n):\n    return n and f(n - 1)\nf2 = f\ndef f(n):\n    return 'new'\nprint(f2(3), f(1))\n",
    "x = 1\ndel x\ntry:\n    x\nexcept NameError:\n    print('deleted')\n",
    // Builtins and star imports.
    "print(sum([1, 2]))\nsum = 5\nprint(sum)\n",
    "numbers = list(range(3))\nlist = [9]\nprint(numbers, list)\n",
    "try:\n    unicode\nexcept NameError:\n    unicode = str\nprint(unicode(3))\n",
    "from math import *\nradius = 2\nprint(round(pi * radius ** 2, 3), floor(e))\n",
    "def log(x):\n    return 'mine'\nfrom math import *\nprint(log(1))\n",
    "class Cell:\n    input = 3\n    def read(self, id):\n        return id\nprint(Cell.input, Cell().read(4))\n",
    "input = iter(['a', 'b']).__next__\nprint(input(), input())\n",
    // Attributes, dispatch, annotations, strings.
    "class Visitor:\n    def visit(self, kind):\n        return getattr(self, 'visit_' + kind)()\n    def visit_a(self):\n        return 'A'\nprint(Visitor().visit('a'))\n",
    "class Box:\n    pass\nbox = Box()\nbox.width = 3\nwidth = 4\nsetattr(box, 'height', 5)\nprint(box.width, width, box.height, vars(box))\n",
    "import typing\nclass Node:\n    def __init__(self, next: 'Node' = None):\n        self.next = next\n    def f(self, other: 'typing.Optional[Node]') -> 'Node':\n        return other\nprint(typing.get_type_hints(Node.f)['return'] is Node)\n",
    "from __future__ import annotations\ndef f(a: Missing) -> Missing:\n    return a\nprint(f(3))\n",
    "__all__ = ['work']\ndef work():\n    return 3\nprint([globals()[name]() for name in __all__])\n",
    "def double(number):\n    '''\n    >>> double(3)\n    6\n    >>> double(number=4)\n    8\n    '''\n    return number * 2\nimport doctest\nprint(doctest.testmod())\n",
    "def helper(a):\n    return a\ndef main():\n    '''\n    >>> x = helper(3)\n    >>> for i in range(2):\n    ...     print(helper(i) + x)\n    3\n    4\n    '''\nimport doctest\nprint(doctest.testmod())\n",
    "import unittest\nclass TestIt(unittest.TestCase):\n    def setUp(self):\n        self.value = 3\n    def test_value(self):\n        self.assertEqual(self.value, 3)\nresult = unittest.TestResult()\nunittest.defaultTestLoader.loadTestsFromTestCase(TestIt).run(result)\nprint(result)\n",
    "import json\nclass Coder(json.JSONEncoder):\n    def default(self, o):\n        return 'x'\nprint(json.dumps({'a': object()}, cls=Coder))\n",
    "class Context:\n    def __enter__(self):\n        return 3\n    def __exit__(self, kind, value, trace):\n        return True\nwith Context() as got:\n    print(got)\n    raise ValueError\nprint('after')\n",
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--size', type=int, default=3)\noptions = parser.parse_args([])\nsize = options.size\nprint(size)\n",
    "word = 'word'\nprint({word: 'word'}, word == 'word', 'word' in {'word': 1})\n",
    "match = 3\ncase = 4\ntype = 5\nprint(match, case, type)\n",
    "été = 3\nprint(été)\nﬁne = 4\nprint(fine)\n",
    "_ = 3\n__ = 4\nprint(_, __)\n",
    "l = 1; O = 2; I = 3\nprint(l, O, I)\n",
    "from string import Template\nwho = 'you'\nprint(Template('$who').substitute(who=who))\n",
    "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(funcName)s %(message)s', force=True)\ndef work():\n    logging.warning('hi')\nwork()\n",
    "import cProfile, pstats, io\ndef work():\n    return 3\nglobals_ok = 'work' in dir()\nprint(globals_ok)\n",
    "def apply(function, *rest):\n    return function(*rest)\ndef minus(left, right):\n    return left - right\nprint(apply(minus, 3, 1), sorted([3, 1], key=lambda item: -item))\n",
    "def f(x, y=[]):\n    y.append(x)\n    return y\nprint(f(1), f(2), f.__defaults__)\n",
    "data = {'x': 1}\nprint('{x} {0}'.format(2, **data), '{0.real}'.format(3))\n",
    "import operator\nclass P:\n    def __init__(self, rank):\n        self.rank = rank\nitems = sorted([P(3), P(1)], key=operator.attrgetter('rank'))\nprint([item.rank for item in items])\n",
    "from typing import TypeVar, Generic\nT = TypeVar('T')\nclass Stack(Generic[T]):\n    def __init__(self) -> None:\n        self.items: list[T] = []\n    def push(self, item: T) -> 'Stack[T]':\n        self.items.append(item)\n        return self\nprint(Stack[int]().push(3).items)\n",
    "class Meta(type):\n    def __new__(mcs, name, bases, space):\n        space['made'] = name\n        return super().__new__(mcs, name, bases, space)\nclass Made(metaclass=Meta):\n    pass\nprint(Made.made)\n",
    "class Base:\n    seen = []\n    def __init_subclass__(cls):\n        Base.seen.append(cls.__name__)\nclass First(Base):\n    pass\nprint(Base.seen)\n",
    "class Desc:\n    def __set_name__(self, owner, name):\n        self.name = name\nclass Uses:\n    field = Desc()\nprint(Uses.__dict__['field'].name)\n",
    "import pickle\nclass Kept:\n    pass\nprint(b'Kept' in pickle.dumps(Kept()))\n",
];

#[test]
fn where_the_texts_of_errors_are_caught_only_tests_vouch_for_new_names() {
    let shows = "def go(first):\n    return first\ntry:\n    go()\nexcept TypeError as error:\n    print(error)\n";
    let hides = shows
        .replace(" as error", "")
        .replace("print(error)", "print(1)");
    for (text, by_tests) in [(shows, true), (&*hides, false)] {
        let applying = Applying {
            sample_p: 1.0,
            seed: 5,
        };
        let made = apply(&strategies()[0], text, &Context::default(), applying);
        let (_, applied, _) = made.unwrap().expect("names change");
        assert_eq!(applied.by_tests_only > 0, by_tests, "{text}");
    }
}

#[test]
fn programs_print_the_same_under_other_names() {
    let originals: Vec<String> = TRAPS.iter().map(|text| (*text).to_owned()).collect();
    let Some(before) = run(&originals, 5.0) else {
        return;
    };
    let (mut symbols, mut wrong) = (0, Vec::new());
    for strategy in strategies() {
        let renamed = |text: &String| {
            let applying = Applying {
                sample_p: 1.0,
                seed: 5,
            };
            let made = apply(&strategy, text, &Context::default(), applying).unwrap();
            made.map_or_else(
                || (text.clone(), 0),
                |(text, applied, _)| (text, applied.applied),
            )
        };
        let texts: Vec<(String, u32)> = originals.iter().map(renamed).collect();
        symbols += texts.iter().map(|(_, applied)| applied).sum::<u32>();
        let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
        let after = run(&texts, 5.0).unwrap();
        for ((before, after), text) in before.iter().zip(&after).zip(&texts) {
            if before != after {
                wrong.push(format!("{strategy:?}\n{text}\n{before:?}\n{after:?}"));
            }
        }
    }
    println!("{} programs, {symbols} symbols renamed", TRAPS.len());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(symbols > 700, "only {symbols} symbols");
}

/// What must change, and what must stay, in one text.
#[test]
fn names_change_in_the_scope_that_binds_them() {
    let text = "\
import os
import numpy as np
limit = 3
def total(items, *, start=0):
    limit = start
    return [limit + item for item in items if item is not np]
class Box:
    limit = 4
    def size(self, scale):
        return self.limit * scale * limit
print(total([1], start=2), Box().size(2), os.sep)
";
    let applying = Applying {
        sample_p: 1.0,
        seed: 3,
    };
    let shortest = strategies()[5];
    let (made, applied, places) = apply(&shortest, text, &Context::default(), applying)
        .unwrap()
        .unwrap();
    // `np`, two `limit`s, `total`, `items`, `item`, `Box`, `scale`.
    assert_eq!(applied.nodes, 8, "{made}");
    assert_eq!(places.len(), 17, "{made}");
    for stays in [
        "import os\n",
        "numpy as ",
        "start=0",
        "self.limit",
        "def size(self, ",
        "    limit = 4",
    ] {
        assert!(made.contains(stays), "`{stays}` in {made}");
    }
    for gone in ["total", "items", "item", "scale", "Box", " np"] {
        assert!(!made.contains(gone), "`{gone}` in {made}");
    }
}

#[test]
fn options_of_names_are_kept() {
    let text = "def readFile_at(Some_Path, _x1):\n    return Some_Path + _x1\n";
    let of = |strategy| {
        let applying = Applying {
            sample_p: 1.0,
            seed: 3,
        };
        let made = apply(&strategy, text, &Context::default(), applying);
        made.unwrap().unwrap().0
    };
    let all = strategies();
    let matched = of(all[2]);
    let shape = |text: &str| -> String {
        let of = |c: char| match c {
            c if c.is_ascii_uppercase() => 'A',
            c if c.is_ascii_lowercase() || c.is_ascii_digit() => 'a',
            c => c,
        };
        text.chars().map(of).collect()
    };
    assert_ne!(matched, text);
    assert_eq!(shape(&matched), shape(text));
    let fixed = of(all[6]);
    assert!(fixed.len() < text.len() && !fixed.contains("Some_Path"));
    assert_eq!(of(all[3]).len(), text.len());
    // Small letters by default.
    assert!(!of(all[1]).contains(char::is_uppercase), "{}", of(all[1]));
}
