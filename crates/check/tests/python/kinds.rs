//! The four kinds of tests, and what travels between tests and program.

use barecode_check::Ran;
use barecode_records::python::{Fault, TestKind, Tests};

use crate::{asserts, cases, fails, is_not_separable, passes, pytest, python, stdio};

#[test]
fn standard_input_is_read_in_every_way() {
    let tests = stdio(&[("3\n1 2\n", "6\n"), ("0\n\n", "0")]);
    for program in [
        "import sys\nprint(sum(map(int, sys.stdin.read().split())))",
        "n = int(input())\nprint(n + sum(map(int, input().split())))",
        "print(sum(int(x) for line in open(0) for x in line.split()))",
        "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))",
        "import os\nprint(sum(map(int, os.read(0, 10**6).split())))",
        "import sys\nsys.stdout.write(str(sum(int(x) for l in sys.stdin.readlines() for x in l.split())))",
        "import threading, sys\nsys.setrecursionlimit(10**6)\nthreading.stack_size(1 << 26)\ndef main(): print(int(input()) + sum(map(int, input().split())))\nthreading.Thread(target=main).start()",
        "import atexit, io, sys\nout = io.StringIO()\natexit.register(lambda: sys.__stdout__.write(out.getvalue()))\nprint(int(input()) + sum(map(int, input().split())), file=out)",
        "def main():\n    print(int(input()) + sum(map(int, input().split())))\nif __name__ == '__main__':\n    main()\n    exit()",
        "import os\nos.write(1, str(int(input()) + sum(map(int, input().split()))).encode())\nos._exit(0)",
    ] {
        passes(&tests, program, 2);
    }
    let unicode = stdio(&[("größe ☃\n", "☃ größe")]);
    passes(&unicode, "print(*reversed(input().split()))", 1);
    assert_eq!(
        fails(&tests, "import sys\nprint(6)\nsys.exit(1)", "SystemExit: 1"),
        (Fault::Exception, Some(1))
    );
    assert_eq!(
        fails(&tests, "print(6)\ninput()\ninput()\ninput()", "EOFError").0,
        Fault::Exception
    );
}

#[test]
fn values_of_every_kind_travel_both_ways() {
    let setup = "\
import array, collections, datetime, decimal, fractions, math
Point = collections.namedtuple('Point', 'x y')
VALUES = [
    None, True, False, 0, -1, 2**70, -2**200, 1.5, -0.0, math.inf, 1 + 2j, '', 'ä☃\\ud800', b'', b'\\0\\xff',
    bytearray(b'ab'), [], [1, 2, 3, 4, 5, 6], [1.0, 2.0, 3.0, 4.0, 5.0], [1, 2, 3, 4, 2**70], [True, False] * 3,
    ['a', 'b', 'c', 'd', 'e'], (), (1, (2, [3])), {}, {1: 'a', 'b': [2]}, set(), {1, 2}, frozenset({1, (2, 3)}),
    range(1, 10, 3), collections.deque([1, 2], maxlen=3), collections.Counter('abca'),
    collections.OrderedDict([('b', 1), ('a', 2)]), collections.defaultdict(list, {1: [2]}), Point(1, [2]),
    decimal.Decimal('1.10'), fractions.Fraction(1, 3), datetime.date(2020, 2, 29), datetime.timedelta(1, 2, 3),
    datetime.datetime(2020, 2, 29, 1, 2, 3, 4, tzinfo=datetime.timezone.utc), datetime.time(1, 2),
    array.array('i', [1, 2]), Ellipsis, int, ValueError, math.sqrt, len, math,
]
";
    let tests = Tests {
        setup: setup.to_owned(),
        ..asserts(
            "for value in VALUES:\n    back = same(value)\n    assert type(back).__name__ == type(value).__name__ and back == value, value\nassert str(same(-0.0)) == '-0.0'\nassert same(math.nan) != same(math.nan)\nassert list(same(VALUES[31])) == ['a', 'b', 'c']\nassert same(VALUES[34]).y == [2]\nassert same({1: 2}.keys()) == {1}\nassert list(same({1: 2}.values())) == [2]\nassert same({1: 2}.items()) == {(1, 2)}\n",
        )
    };
    passes(&tests, "def same(x): return x\n", 8);
    // Deep and shared.
    let deep = asserts(
        "x = []\nfor _ in range(3000): x = [x]\ny = same(x)\nfor _ in range(3000): y = y[0]\nassert y == []\na = [1]\nb = same([a, a])\nassert b[0] is b[1]\nassert b[0] is a\nc = [1]\nc.append(c)\nassert same(c) is c\nassert fresh()[0] is not fresh()[0]\n",
    );
    passes(
        &deep,
        "def same(x): return x\ndef fresh(): return [[]]\n",
        5,
    );
}

#[test]
fn what_the_program_changes_in_place_is_changed() {
    let tests = asserts(
        "a = [3, 1, 2]\nassert change(a) is None\nassert a == [1, 2, 3, 'new']\nd = {'a': [1]}\ninner = d['a']\nchange(d)\nassert d == {'a': [1, 2], 'b': 3} and d['a'] is inner\ns = {1}\nchange(s)\nassert s == {1, 9}\nb = bytearray(b'a')\nchange(b)\nassert b == b'ab'\nimport collections\nq = collections.deque([1])\nchange(q)\nassert list(q) == [0, 1]\nkept = [1, 2]\nassert keep(kept) == 3 and kept == [1, 2]\ntry:\n    change([])\nexcept IndexError: pass\nrow = [0]\ngrid = [row, row]\nfill(grid)\nassert row == [1] and grid == [[1], [1]]\n",
    );
    let program = "\
def change(x):
    if isinstance(x, list):
        x[0]
        x.sort()
        x.append('new')
    elif isinstance(x, dict):
        x['a'].append(2)
        x['b'] = 3
    elif isinstance(x, set): x.add(9)
    elif isinstance(x, bytearray): x.extend(b'b')
    else: x.appendleft(0)
def keep(x): return sum(x)
def fill(grid): grid[0][0] = 1
";
    passes(&tests, program, 8);
}

#[test]
fn objects_of_the_program_are_used_where_they_are() {
    let tests = asserts(
        "s = Stack(limit=2)\ns.push(1)\ns.push([2])\nassert len(s) == 2 and 1 in s and s[0] == 1\nassert list(s) == [1, [2]]\nassert s.pop() == [2] and s.size == 1\nassert repr(s) == 'Stack(1)' and f'{s}' == 'Stack(1)'\ns.size = 5\nassert s.size == 5\nassert isinstance(s, Stack) and not isinstance(3, Stack)\nassert s == Stack.of(1) and s != Stack.of(2) and s is s.me()\nassert s + s == Stack.of(1)\nwith s as t:\n    assert t is s\nassert s.closed\nassert hash(s) == 7 and bool(s)\ntry:\n    s[99]\n    assert False\nexcept IndexError: pass\ntry:\n    s.fail()\n    assert False\nexcept StackError as error:\n    assert str(error) == 'full' and error.code == 5 and isinstance(error, ValueError)\nassert Color.RED is Color.RED and Color.RED != Color.BLUE and Color(1) is Color.RED\nassert Color.RED.name == 'RED'\nassert make(3)(4) == 7\ng = count()\nassert next(g) == 0 and next(g) == 1\nassert [x for x, _ in zip(g, range(3))] == [2, 3, 4]\nassert list(map(str, squares(3))) == ['0', '1', '4']\nassert PI == 3 and NAMES == ['a']\n",
    );
    let program = "\
import enum
PI, NAMES = 3, ['a']
class StackError(ValueError):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code
class Stack:
    def __init__(self, limit): self.items, self.size, self.closed = [], 0, False
    @classmethod
    def of(cls, *items):
        made = cls(9)
        made.items = list(items)
        return made
    def push(self, x):
        self.items.append(x)
        self.size += 1
    def pop(self):
        self.size -= 1
        return self.items.pop()
    def me(self): return self
    def fail(self): raise StackError('full', 5)
    def __len__(self): return len(self.items)
    def __contains__(self, x): return x in self.items
    def __getitem__(self, n): return self.items[n]
    def __repr__(self): return f'Stack({len(self.items)})'
    def __eq__(self, other): return self.items == other.items
    def __hash__(self): return 7
    def __add__(self, other): return self
    def __enter__(self): return self
    def __exit__(self, *error): self.closed = True
class Color(enum.Enum):
    RED = 1
    BLUE = 2
def make(n): return lambda x: x + n
def count():
    n = 0
    while True:
        yield n
        n += 1
def squares(n): return (x * x for x in range(n))
";
    passes(&tests, program, 19);
}

#[test]
fn helper_classes_of_the_setup_are_rebuilt_on_the_other_side() {
    let setup = "\
class ListNode:
    def __init__(self, val=0, next=None):
        self.val, self.next = val, next
def linked(values):
    head = None
    for value in reversed(values): head = ListNode(value, head)
    return head
def values(node):
    found = []
    while node:
        found.append(node.val)
        node = node.next
    return found
";
    let tests = Tests {
        setup: setup.to_owned(),
        entry: Some("Solution().reverse".to_owned()),
        ..asserts(
            "def check(candidate):\n    assert values(candidate(linked([1, 2, 3]))) == [3, 2, 1]\n    assert candidate(head=None) is None\n    assert values(candidate(linked(range(2000))))[0] == 1999\n",
        )
    };
    let program = "class Solution:\n    def reverse(self, head: ListNode):\n        done = None\n        while head: head.next, done, head = done, head, head.next\n        return done\n";
    passes(&tests, program, 3);
    let wrong = program.replace("return done", "return head");
    assert_eq!(
        fails(&tests, &wrong, "[3, 2, 1]"),
        (Fault::WrongAnswer, Some(1))
    );
    // The program's own class of the same name is another class.
    let own = format!(
        "class ListNode:\n    def __init__(self, val=0, next=None): self.val, self.next = val, next\n{program}"
    );
    passes(&tests, &own, 3);
    // What the setup defines stays the tests' own.
    let forged = format!("def values(node): return [3, 2, 1]\n{wrong}");
    assert_eq!(fails(&tests, &forged, "[3, 2, 1]").0, Fault::WrongAnswer);
}

#[test]
fn functions_of_the_tests_are_called_back() {
    let tests = asserts(
        "assert apply(lambda x: x + 1, 2) == 3\nseen = []\ndef note(x):\n    seen.append(x)\n    return apply(lambda y: y * 2, x)\nassert apply(note, 4) == 8 and seen == [4]\ndef bad(x): raise KeyError(x)\ntry:\n    apply(bad, 1)\n    assert False\nexcept KeyError as error:\n    assert error.args == (1,)\nassert caught(bad) == 'KeyError'\nclass Shape:\n    def area(self): return 5\nassert area(Shape()) == 5\nassert total(x for x in [1, 2]) == 3\nassert order(['b', 'A'], key=str.lower) == ['A', 'b']\n",
    );
    let program = "\
def apply(f, x): return f(x)
def caught(f):
    try: f(1)
    except Exception as error: return type(error).__name__
def area(shape): return shape.area()
def total(items): return sum(items)
def order(items, key): return sorted(items, key=key)
";
    passes(&tests, program, 7);
}

#[test]
fn pytest_and_unittest_files_run() {
    let tests = pytest(
        "solution",
        "import unittest\nimport pytest\nimport solution\nfrom solution import add, fail, Error\n\n@pytest.fixture\ndef two():\n    return 2\n\ndef test_add(two):\n    assert add(two, 2) == 4\n\n@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])\ndef test_many(a, b):\n    assert solution.add(a, b) == pytest.approx(a + b)\n\ndef test_raises():\n    with pytest.raises(Error, match='no'):\n        fail()\n\nclass TestMore:\n    def test_zero(self):\n        assert add(0, 0) == 0\n\nclass Cases(unittest.TestCase):\n    def setUp(self):\n        self.one = 1\n    def test_equal(self):\n        self.assertEqual(add(self.one, 1), 2)\n    def test_raises(self):\n        with self.assertRaises(TypeError):\n            add(1, 'x')\n",
    );
    let program = "class Error(Exception): pass\ndef add(a, b): return a + b\ndef fail(): raise Error('no')\n";
    passes(&tests, program, 7);
    let wrong = program.replace("a + b", "a + b + (a == 3)");
    assert_eq!(
        fails(&tests, &wrong, "AssertionError"),
        (Fault::WrongAnswer, Some(3))
    );
    let quiet = program.replace("raise Error('no')", "pass");
    assert_eq!(
        fails(&tests, &quiet, "DID NOT RAISE"),
        (Fault::WrongAnswer, Some(4))
    );
    let missing = program.replace("add", "plus");
    assert_eq!(
        fails(&tests, &missing, "cannot import name 'add'"),
        (Fault::Exception, None)
    );
    let derived = pytest(
        "solution",
        "from solution import A\nclass B(A): pass\ndef test_it(): pass\n",
    );
    is_not_separable(&derived, "class A: pass\n", "derive");
}

#[test]
fn examples_of_docstrings_run_in_order() {
    let tests = cases(
        TestKind::Doctest,
        &[
            ("x = twice(2)\n", ""),
            ("x\n", "4\n"),
            ("print('a\\n\\nb')\n", "a\n<BLANKLINE>\nb\n"),
            (
                "twice(None)\n",
                "Traceback (most recent call last):\n    ...\nTypeError: unsupported operand type(s) for +: 'NoneType' and 'NoneType'\n",
            ),
            ("for i in range(2):\n    print(twice(i))\n", "0\n2\n"),
        ],
    );
    passes(&tests, "def twice(x): return x + x\n", 5);
    assert_eq!(
        fails(&tests, "def twice(x): return x * 3\n", "printed `6`"),
        (Fault::WrongAnswer, Some(2))
    );
    assert_eq!(
        fails(&tests, "def twice(x): return 2 * x\n", "TypeError"),
        (Fault::Exception, Some(4))
    );
    assert_eq!(
        fails(&tests, "import nowhere\n", "nowhere"),
        (Fault::Exception, None)
    );
}

#[test]
fn covered_lines_are_those_that_the_tests_run() {
    let program = "def f(x):\n    if x > 1:\n        return 1\n    return 2\n\n\ndef unused():\n    return 3\n";
    let lines = |tests: &Tests, program: &str| python().coverage(tests, program).unwrap();
    assert_eq!(lines(&asserts("assert f(0) == 2\n"), program), [1, 2, 4, 7]);
    assert_eq!(lines(&asserts("assert f(5) == 1\n"), program), [1, 2, 3, 7]);
    assert_eq!(lines(&asserts("assert f(5) == 2\n"), program), [0; 0]);
    let script = "x = int(input())\nif x:\n    print(1)\nelse:\n    print(2)\n";
    assert_eq!(lines(&stdio(&[("0", "2")]), script), [1, 2, 5]);
    assert_eq!(
        lines(&stdio(&[("0", "2"), ("1", "1")]), script),
        [1, 2, 3, 5]
    );
    let example = cases(TestKind::Doctest, &[("f(0)\n", "2\n")]);
    assert_eq!(lines(&example, program), [1, 2, 4, 7]);
}

#[test]
fn a_function_that_hides_a_builtin_one_is_tested_if_it_is_what_is_tested() {
    passes(
        &asserts("assert sum(1, 2) == 3\n"),
        "def sum(a, b): return a + b\n",
        1,
    );
    let helper = "def max(a, b): return a\ndef f(a, b): return max(a, b)\n";
    let ran = crate::run(
        &asserts("assert f(2, 1) == max(2, 1)\nassert f(1, 1) == 1"),
        helper,
    );
    assert_eq!(ran, Ran::Passed { tests: 2 });
}
