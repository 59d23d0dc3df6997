//! Programs that try to pass without being right.

use barecode_records::python::{Fault, Tests};

use crate::{asserts, cases, fails, is_not_separable, passes, pytest, run, stdio};
use barecode_check::Ran;
use barecode_records::python::TestKind;

/// What the tests want, and only they know.
const TESTS: &str = "assert secret(1) == 7391\nassert secret(2) == 5517\n";

#[test]
fn an_object_that_is_equal_to_everything_does_not_pass() {
    let base = "class Equal{base}:\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __hash__(self): return 0\n    def __sub__(self, other): return 0\n    __rsub__ = __sub__\n    def __lt__(self, other): return True\n    def __instancecheck__(self, other): return True\ndef secret(x): return Equal({of})\n";
    for (kind, of) in [
        ("(int)", "1"),
        ("(str)", "'x'"),
        ("(list)", "[1]"),
        ("(tuple)", "(1,)"),
        ("(float)", "2.0"),
    ] {
        let program = base.replace("{base}", kind).replace("{of}", of);
        assert_eq!(
            fails(&asserts(TESTS), &program, "7391"),
            (Fault::WrongAnswer, Some(1))
        );
    }
    let program = base.replace("{base}", "").replace("{of}", "");
    is_not_separable(&asserts(TESTS), &program, "`eq`");
    for near in [
        "assert abs(secret(1) - 7391) < 0.1",
        "assert 7391 - secret(1) == 0",
        "assert secret(1) in [7391]",
        "assert [secret(1)] == [7391]",
        "assert {'a': secret(1)} == {'a': 7391}",
        "assert not secret(1) != 7391",
        "assert secret(1) >= 7391",
    ] {
        is_not_separable(
            &asserts(near),
            &program,
            "an object of the program meets a value",
        );
    }
    // Test code that catches everything does not hide it.
    let hiding = "try:\n    assert secret(1) == 7391\nexcept BaseException:\n    pass\n";
    is_not_separable(&asserts(hiding), &program, "`eq`");
    let none =
        "class Equal:\n    def __eq__(self, other): return True\ndef secret(x): return Equal()";
    assert_eq!(
        fails(&asserts("assert secret(1) == None"), none, "None").0,
        Fault::WrongAnswer
    );
}

#[test]
fn what_is_expected_is_not_in_the_memory_of_the_program() {
    // It walks everything that Python knows of for a word of the tests, which it knows backwards only.
    let seen = "\
import gc, sys
WORD = 'arbezakkouq'
def seen():
    texts = []
    frame = sys._getframe()
    while frame is not None:
        texts.append(repr(list(frame.f_locals.items())))
        texts.append(repr(list(frame.f_globals.items())))
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing) in (dict, list, tuple, bytes, bytearray, set):
            try: texts.append(repr(thing))
            except Exception: pass
    return any(WORD in text[::-1] for text in texts)
";
    let program = format!("{seen}def secret(x): return seen()\n");
    let tests = "WORD = 'quokkazebra', ['quokkazebra']\nassert secret(1) is False\nassert 'quokkazebra' in WORD\n";
    passes(&asserts(tests), &program, 2);
    let sees_itself = format!("HERE = ['quokkazebra']\n{program}");
    assert_eq!(
        fails(&asserts(tests), &sees_itself, "secret(1)").0,
        Fault::WrongAnswer
    );
    let script = format!("{seen}print(seen())\nprint(input())\n");
    let (fault, _) = fails(&stdio(&[("1", "False\nquokkazebra")]), &script, "line 2");
    assert_eq!(fault, Fault::WrongAnswer);
}

#[test]
fn ending_early_is_not_passing() {
    for end in [
        "os._exit(0)",
        "sys.exit(0)",
        "raise SystemExit",
        "quit()",
        "exit(0)",
    ] {
        let at_load = format!("import os, sys\n{end}\ndef secret(x): return 0\n");
        let in_call = format!("import os, sys\ndef secret(x):\n    {end}\n");
        for program in [at_load, in_call] {
            let (fault, _) = fails(&asserts(TESTS), &program, "");
            assert!(
                matches!(fault, Fault::Crash | Fault::Exception),
                "{fault:?}\n{program}"
            );
            let (fault, _) = fails(
                &pytest(
                    "solution",
                    "from solution import secret\ndef test_it():\n    assert secret(1) == 7391\n",
                ),
                &program,
                "",
            );
            assert!(
                matches!(fault, Fault::Crash | Fault::Exception),
                "{fault:?}\n{program}"
            );
            let examples = cases(TestKind::Doctest, &[("secret(1)\n", "7391\n")]);
            let (fault, _) = fails(&examples, &program, "");
            assert!(
                matches!(fault, Fault::Crash | Fault::Exception | Fault::WrongAnswer),
                "{fault:?}\n{program}"
            );
        }
        let script = format!("import os, sys\n{end}\nprint(7391)");
        assert_eq!(
            fails(&stdio(&[("", "7391")]), &script, "printed nothing").0,
            Fault::WrongAnswer
        );
    }
    let at_end = "import atexit, os\natexit.register(os._exit, 0)\nprint(1)";
    assert_eq!(
        fails(&stdio(&[("", "7391")]), at_end, "").0,
        Fault::WrongAnswer
    );
}

#[test]
fn changed_builtins_and_caught_exceptions_do_not_pass() {
    let programs = [
        "import builtins\nbuiltins.AssertionError = Exception\nbuiltins.__debug__ if False else None\ndef secret(x): return 0",
        "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.len = lambda x: 7391\nbuiltins.repr = lambda x: '7391'\ndef secret(x): return 0",
        "import builtins, sys\nsys.excepthook = lambda *a: None\nsys.exit = lambda *a: None\ndef secret(x): return 0",
        "import sys\nsys.modules.clear()\ndef secret(x): return 0",
        "class int(int):\n    def __eq__(self, other): return True\ndef secret(x): return int(0)",
        "def abs(x): return 0\ndef all(x): return True\ndef secret(x): return 0",
        "def secret(x):\n    try: raise Exception\n    except: return 0\n    finally: return 1",
    ];
    for program in programs {
        let ran = run(&asserts(TESTS), program);
        assert!(
            matches!(
                ran,
                Ran::Failed {
                    fault: Fault::WrongAnswer | Fault::Crash | Fault::Exception,
                    ..
                }
            ),
            "{ran:?}\n{program}"
        );
    }
    let near = asserts("assert abs(secret(1) - 7391) < 1\nassert all([secret(1) == 7391])");
    let program = "def abs(x): return 0\ndef all(x): return True\ndef secret(x): return 0";
    assert_eq!(fails(&near, program, "abs").0, Fault::WrongAnswer);
}

#[test]
fn frames_that_it_writes_itself_do_not_pass() {
    // What an honest answer would be, as well as verdicts, on every descriptor that it has.
    let forger = "\
import json, os, struct, sys, threading
import barecode_link, barecode_wire
def frames():
    for verdict in ({'passed': 2}, {'passed': 2, 'lines': []}, {'error': None, 'lines': []}, {'printed': '7391', 'error': None, 'said': None}):
        data = json.dumps(verdict).encode()
        yield struct.pack('<I', len(data)) + data
    class Side: is_program = True; setup = barecode_wire.Setup(); comes_home = lambda self, value: None
    for value in (7391, True, None):
        writer = barecode_wire.Writer(Side(), barecode_wire.Table())
        writer.value(value)
        writer.count(0)
        for kind in range(4):
            yield struct.pack('<IB', len(writer.out), kind) + bytes(writer.out)
    yield b'Pe\\0\\0\\0\\0\\0\\0'
    yield b'Js\\0\\0\\0\\0\\0\\0'
    yield b'\\xff' * 64
def forge(only=None):
    for data in frames():
        for fd in range(64):
            if fd != 1 and only in (None, fd):
                try: os.write(fd, data)
                except OSError: pass
";
    let endings = [
        "forge()\ndef secret(x): return 0",
        "def secret(x):\n    forge()\n    return 0",
        "def secret(x):\n    forge()\n    os._exit(0)",
        "threading.Thread(target=lambda: [forge() for _ in range(100)], daemon=True).start()\ndef secret(x): return 0",
        "forge(); forge(); os._exit(0)",
    ];
    for ending in endings {
        let program = format!("{forger}{ending}");
        for tests in [
            asserts(TESTS),
            pytest(
                "solution",
                "from solution import secret\ndef test_it():\n    assert secret(1) == 7391\n",
            ),
            cases(TestKind::Doctest, &[("secret(1)\n", "9137\n")]),
            stdio(&[("", "7391")]),
        ] {
            let ran = run(&tests, &program);
            assert!(
                matches!(ran, Ran::Failed { .. }),
                "{ran:?}\n{ending}\n{tests:?}"
            );
            // And the next program gets a fair trial.
            passes(&asserts("assert f(2) == 4"), "def f(x): return x * 2", 1);
            assert_eq!(
                fails(&asserts("assert f(2) == 4"), "def f(x): return x", "f(2)").0,
                Fault::WrongAnswer
            );
        }
    }
}

#[test]
fn a_value_that_lies_about_itself_is_a_crash() {
    let program = "\
import barecode_wire, os
def lie(out): {lie}
original = barecode_wire.Writer.values
def values(self, values):
    original(self, values)
def forged(self, value):
    lie(self.out)
barecode_wire.WRITERS[int] = forged
def secret(x): return 5
";
    for lie in [
        "out.extend(b'\\xff')",
        "out.extend(b's\\xff\\xff\\xff\\x7fabc')",
        "out.extend(b'L\\xff\\xff\\xff\\xff')",
        "out.extend(b'R\\x09\\0\\0\\0')",
        "out.extend(b'h\\x09\\0\\0\\0')",
        "out.extend(b'G\\x02\\0\\0\\0os\\x05\\0\\0\\0_exit')",
        "out.extend(b'G\\x08\\0\\0\\0builtins\\x04\\0\\0\\0exec')",
        "out.extend(b'G\\x06\\0\\0\\0random\\x03\\0\\0\\0_os')",
        "out.extend(b'I\\x01\\0\\0\\0X\\0\\0\\0\\0\\0\\0\\0\\0')",
        "out.extend(b'q' + b'\\x02\\0\\0\\0' + b'i\\x01\\0\\0\\0\\1' + b'i\\x01\\0\\0\\0\\0')",
        "out.extend(b's\\x01\\0\\0\\0\\xff')",
        "out.extend(b'L\\x01\\0\\0\\0' * 50000 + b'N')",
    ] {
        let ran = run(&asserts(TESTS), &program.replace("{lie}", lie));
        let is_crash = matches!(
            &ran,
            Ran::Failed {
                fault: Fault::Crash,
                ..
            }
        );
        let is_too_deep = matches!(&ran, Ran::NotSeparable { reason } if reason.contains("deeply"));
        assert!(is_crash || is_too_deep, "{ran:?}\n{lie}");
    }
}

#[test]
fn the_tests_show_nothing_but_what_they_hand_over() {
    // A callback of the tests: whatever the program asks of it but calling it.
    let tests = asserts(
        "ANSWER = 7391\ndef ask(x):\n    return x + 1\ndef items():\n    yield 1\nassert secret(ask) == ANSWER\n",
    );
    for attack in [
        "f.__globals__['ANSWER']",
        "f.__code__.co_consts",
        "f.__closure__",
        "f.__class__.__subclasses__(f)",
        "f._barecode_link.ask('getattr', f, '__globals__')['ANSWER']",
        "f._barecode_link.ask('name', 'ANSWER')",
        "f._barecode_link.ask('names', ['ANSWER'])['ANSWER']",
        "f._barecode_link.ask('entry', 'ANSWER')",
        "f._barecode_link.ask('dir', f)",
        "f._barecode_link.ask('repr', f)",
    ] {
        let program = format!("def secret(f):\n    return {attack}\n");
        let ran = run(&tests, &program);
        assert!(!matches!(ran, Ran::Passed { .. }), "{ran:?}\n{attack}");
    }
    passes(&tests, "def secret(f): return f(7389) + 1", 1);
    let generator =
        asserts("ANSWER = 7391\ndef items():\n    yield 1\nassert secret(items()) == ANSWER\n");
    let program = "def secret(f): return f.gi_frame.f_globals['ANSWER']";
    let ran = run(&generator, program);
    assert!(!matches!(ran, Ran::Passed { .. }), "{ran:?}");
    passes(&generator, "def secret(f): return sum(f) + 7390", 1);
}

#[test]
fn one_program_leaves_nothing_for_the_next() {
    let tests = Tests {
        setup: "import math\nclass Box:\n    pass\n".to_owned(),
        ..asserts("assert f() == 3\n")
    };
    let spoiler = "import math, sys, builtins, random\nmath.pi = 3\nbuiltins.sum = None\nBox.x = 1\nsys.setrecursionlimit(50)\ndef f(): return 3";
    let fragile = "import math, sys\ndef f():\n    assert math.pi > 3 and sum([1]) == 1 and not hasattr(Box, 'x') and sys.getrecursionlimit() == 1000\n    return 3";
    let ran = crate::python()
        .run(&tests, &[spoiler, fragile, spoiler, fragile])
        .unwrap();
    assert_eq!(ran, vec![Ran::Passed { tests: 1 }; 4]);
}
