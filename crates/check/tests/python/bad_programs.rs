//! Programs as they come: each failure is named for what it is.

use barecode_check::{Python, PythonConfig, Ran};
use barecode_records::python::{Fault, TestKind, Tests};

use crate::{asserts, cases, config, fails, passes, pytest, python, run, stdio};

const TEST: &str = "assert f(1) == 2\n";

#[test]
fn a_program_that_does_not_parse_is_an_exception_with_its_line() {
    let program = "def f(x):\n    return (x\n";
    assert_eq!(
        fails(&asserts(TEST), program, "SyntaxError"),
        (Fault::Exception, None)
    );
    assert_eq!(
        fails(&stdio(&[("", "")]), program, "line 2"),
        (Fault::Exception, Some(1))
    );
    assert_eq!(python().compiles("x = 1\n").unwrap(), Ok(()));
    let error = python().compiles(program).unwrap().unwrap_err();
    assert!(
        error.starts_with("SyntaxError: ") && error.ends_with("(line 2)"),
        "{error}"
    );
    let error = python().compiles("return 1\n").unwrap().unwrap_err();
    assert!(error.contains("'return' outside function"), "{error}");
    let two = python().compiles("print 'two'\n").unwrap().unwrap_err();
    assert!(
        two.contains("Missing parentheses in call to 'print'"),
        "{two}"
    );
    let zero = python().compiles("x = '\0'\n").unwrap().unwrap_err();
    assert!(zero.contains("null bytes"), "{zero}");
    let deep = format!("x = {}1{}\n", "(".repeat(5000), ")".repeat(5000));
    assert!(python().compiles(&deep).unwrap().is_err());
}

#[test]
fn half_a_pair_of_surrogates_in_what_a_program_says_is_a_failure_of_it_alone() {
    let raises = "def f(x):\n    raise ValueError('half \\ud800 of it')\n";
    let half = "half \u{fffd}";
    for tests in [
        asserts(TEST),
        pytest(
            "made",
            "from made import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
        ),
    ] {
        assert_eq!(fails(&tests, raises, half).0, Fault::Exception);
    }
    let script = "raise ValueError('half \\udfff of it')\n";
    assert_eq!(fails(&stdio(&[("", "")]), script, half).0, Fault::Exception);
    // In place of the half stands nothing that a test could expect.
    let prints = asserts("assert f(1) == '?'\n");
    assert_eq!(
        fails(&prints, "def f(x): return '\\ud800'\n", "").0,
        Fault::WrongAnswer
    );
    passes(&asserts(TEST), "def f(x): return x + 1\n", 1);
}

#[test]
fn a_program_that_needs_what_is_not_there_says_so() {
    let package = "import numpy\ndef f(x): return x + 1\n";
    let says = "ModuleNotFoundError: No module named 'numpy'";
    assert_eq!(
        fails(&asserts(TEST), package, says),
        (Fault::Exception, None)
    );
    let file = "def f(x): return len(open('/etc/passwd').read())\n";
    assert_eq!(
        fails(&asserts(TEST), file, "PermissionError"),
        (Fault::Forbidden, Some(1))
    );
    let written = "open('out.txt', 'w').write('x')\ndef f(x): return x + 1\n";
    assert_eq!(
        fails(&asserts(TEST), written, "out.txt"),
        (Fault::Forbidden, None)
    );
    let forks = "import os\ndef f(x):\n    os.fork()\n    return x + 1\n";
    assert_eq!(
        fails(&asserts(TEST), forks, "PermissionError"),
        (Fault::Forbidden, Some(1))
    );
    let process = "import multiprocessing\nprocess = multiprocessing.Process(target=print)\nprocess.start()\n";
    assert_eq!(
        fails(&stdio(&[("", "")]), process, "Error").0,
        Fault::Forbidden
    );
    let network = "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')\n";
    let (fault, _) = fails(&stdio(&[("", "")]), network, "Error");
    assert!(
        matches!(fault, Fault::Forbidden | Fault::Exception),
        "{fault:?}"
    );
}

#[test]
fn endless_and_greedy_programs_reach_their_limits() {
    let config = PythonConfig {
        seconds: 2,
        memory_mb: 256,
        output_kb: 64,
        ..config()
    };
    let python = Python::open(&config, None).unwrap();
    let endless = "def f(x):\n    while True:\n        try: pass\n        except: pass\n";
    let late = "while True: pass\ndef f(x): return 0\n";
    let greedy = "def f(x): return [0] * 10**9\n";
    let talkative = "def f(x):\n    while True: print('x' * 10**6)\n";
    let huge = "def f(x): return 'x' * (70 << 20)\n";
    let deep = "def f(x): return f(x) + 1\n";
    let right = "def f(x): return x + 1\n";
    let two = asserts("assert True\nassert f(1) == 2\n");
    let programs = [endless, right, late, greedy, talkative, huge, deep, right];
    let ran = python.run(&two, &programs).unwrap();
    let fault = |ran: &Ran| match ran {
        Ran::Failed { fault, test, .. } => Some((*fault, *test)),
        _ => None,
    };
    let faults: Vec<_> = ran.iter().map(fault).collect();
    assert_eq!(faults[0], Some((Fault::Timeout, Some(2))), "{ran:?}");
    assert_eq!(ran[1], Ran::Passed { tests: 2 });
    assert_eq!(faults[2], Some((Fault::Timeout, None)), "{ran:?}");
    assert_eq!(faults[3], Some((Fault::Memory, Some(2))), "{ran:?}");
    assert_eq!(faults[4], Some((Fault::Output, Some(2))), "{ran:?}");
    assert!(
        matches!(faults[5], None | Some((Fault::Memory, Some(2)))),
        "{ran:?}"
    );
    assert_eq!(faults[6], Some((Fault::Exception, Some(2))), "{ran:?}");
    assert!(matches!(&ran[6], Ran::Failed { message, .. } if message.contains("RecursionError")));
    assert_eq!(ran[7], Ran::Passed { tests: 2 });
    // Test code that does not end because of what the program answers.
    let waiting = asserts("while f(1) != 2: pass\n");
    let ran = python
        .run(&waiting, &["def f(x): return 1\n", right])
        .unwrap();
    assert!(
        matches!(
            ran[0],
            Ran::Failed {
                fault: Fault::Timeout,
                ..
            }
        ),
        "{ran:?}"
    );
    assert_eq!(ran[1], Ran::Passed { tests: 0 });
    let stuck = asserts("x = f(1)\nwhile x != 2: pass\n");
    let ran = python
        .run(&stuck, &["def f(x): return 1\n", right])
        .unwrap();
    assert!(
        matches!(
            ran[0],
            Ran::Failed {
                fault: Fault::Timeout,
                ..
            }
        ),
        "{ran:?}"
    );
    assert_eq!(ran[1], Ran::Passed { tests: 0 });
}

#[test]
fn a_gigabyte_on_standard_output_is_cut() {
    let program = "import sys\nfor _ in range(1024): sys.stdout.write('x' * (1 << 20))\n";
    assert_eq!(
        fails(&stdio(&[("", "x")]), program, "more than allowed").0,
        Fault::Output
    );
    let silent = "def f(x):\n    import os\n    for _ in range(1024): os.write(1, b'x' * (1 << 20))\n    return 2\n";
    assert_eq!(
        fails(&asserts(TEST), silent, "more than allowed").0,
        Fault::Output
    );
    let examples = cases(TestKind::Doctest, &[("print('x' * 10**8)\n", "x\n")]);
    let (fault, _) = fails(&examples, "x = 1\n", "");
    assert!(matches!(fault, Fault::Crash | Fault::Output), "{fault:?}");
}

#[test]
fn crashes_are_named() {
    let segfault = "import ctypes\ndef f(x): ctypes.string_at(0)\n";
    assert_eq!(
        fails(&asserts(TEST), segfault, "signal 11"),
        (Fault::Crash, Some(1))
    );
    let leaves = "import os\ndef f(x): os._exit(3)\n";
    assert_eq!(
        fails(&asserts(TEST), leaves, "exit status 3"),
        (Fault::Crash, Some(1))
    );
    let nothing = "";
    assert_eq!(
        fails(
            &asserts(TEST),
            nothing,
            "NameError: name 'f' is not defined"
        )
        .0,
        Fault::Exception
    );
    assert_eq!(
        fails(&stdio(&[("", "1")]), nothing, "printed nothing"),
        (Fault::WrongAnswer, Some(1))
    );
    let deep = "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __getattr__(self, n): return getattr(self, n + 'x')\ndef f(x): return A().a\n";
    let (fault, _) = fails(&asserts(TEST), deep, "");
    assert!(
        matches!(fault, Fault::Crash | Fault::Memory | Fault::Exception),
        "{fault:?}"
    );
}

#[test]
fn the_first_failing_test_is_named_and_the_last() {
    let tests = asserts(
        "for x in range(3):\n    assert f(x) >= 0\nassert f(3) == 4\nassert (f(4)\n        == 5), 'five'\ny = f(5)\nassert y == 6\n",
    );
    passes(&tests, "def f(x): return x + 1\n", 4);
    let failing = |text: &str, says| fails(&tests, &format!("def f(x): return {text}\n"), says);
    assert_eq!(
        failing("-1", "assert f(x) >= 0"),
        (Fault::WrongAnswer, Some(1))
    );
    assert_eq!(
        failing("x", "assert f(3) == 4"),
        (Fault::WrongAnswer, Some(2))
    );
    assert_eq!(
        failing("x + (x < 4)", "(five)"),
        (Fault::WrongAnswer, Some(3))
    );
    assert_eq!(
        failing("x + 1 if x < 5 else 1 // 0", "ZeroDivisionError"),
        (Fault::Exception, Some(4))
    );
    let uneven = stdio(&[("1", "1"), ("2", "2"), ("3", "3")]);
    assert_eq!(
        fails(&uneven, "x = input(); print(x if x < '3' else 0)", "line 1").1,
        Some(3)
    );
}

#[test]
fn messages_are_one_line_without_addresses_and_always_the_same() {
    let program =
        "class A: pass\ndef f(x):\n    raise ValueError(A(), f, {'b', 'a', 'c'}, 'two\\nlines')\n";
    let first = run(&asserts(TEST), program);
    let Ran::Failed { message, .. } = &first else {
        panic!("{first:?}");
    };
    assert!(
        !message.contains('\n') && message.contains("0x…"),
        "{message}"
    );
    let other = Python::open(&config(), None).unwrap();
    for python in [python(), &other] {
        assert_eq!(
            python.run(&asserts(TEST), &[program, program]).unwrap(),
            [first.clone(), first.clone()]
        );
    }
    let random = "import random\ndef f(x): return random.random()\n";
    let tests = asserts("x = f(1)\nassert not x, x\n");
    let first = run(&tests, random);
    assert!(matches!(first, Ran::Failed { .. }));
    for _ in 0..3 {
        assert_eq!(run(&tests, random), first);
    }
    let long = "def f(x): raise ValueError('x' * 10**6)\n";
    let Ran::Failed { message, .. } = run(&asserts(TEST), long) else {
        panic!("it fails");
    };
    assert!(message.chars().count() <= 310, "{}", message.len());
}

#[test]
fn tests_that_look_over_the_border_are_not_separable() {
    let program = "def f(x): print(x)\n";
    for (code, says) in [
        (
            "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()): f(1)\n",
            "redirect_stdout",
        ),
        ("import sys\nsys.stdout.write('x')\n", "sys.stdout"),
        ("from unittest.mock import patch\n", "patch"),
        (
            "import threading\nassert f(threading.Lock()) is None\n",
            "lock",
        ),
        ("def f(x: return 1\n", "do not compile"),
    ] {
        crate::is_not_separable(&asserts(code), program, says);
    }
    let fixture = pytest("solution", "def test_it(capsys):\n    pass\n");
    crate::is_not_separable(&fixture, program, "capsys");
    let unknown = pytest(
        "solution",
        "import pytest\n@pytest.mark.asyncio\ndef test_it():\n    pass\n",
    );
    crate::is_not_separable(&unknown, program, "pytest.asyncio");
    let setup = Tests {
        setup: "import numpy\n".to_owned(),
        ..asserts("assert True\n")
    };
    crate::is_not_separable(&setup, program, "setup");
    let directive = cases(
        TestKind::Doctest,
        &[("f(1)  # doctest: +ELLIPSIS\n", "...\n")],
    );
    crate::is_not_separable(&directive, program, "ELLIPSIS");
}

#[test]
fn a_program_that_waits_for_a_processor_has_its_time() {
    // Two seconds of work, of three that it may take, on a machine that has five times as much to do as it can.
    let program = "import time\ndef f(x):\n    while time.process_time() < 2:\n        pass\n    return x + 1\n";
    let python = Python::open(
        &PythonConfig {
            seconds: 3,
            ..config()
        },
        None,
    )
    .unwrap();
    let processors = std::thread::available_parallelism().unwrap().get();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let over = || is_over.load(std::sync::atomic::Ordering::Relaxed);
    let ran = std::thread::scope(|scope| {
        for _ in 0..4 * processors {
            scope.spawn(|| {
                while !over() {
                    std::hint::spin_loop();
                }
            });
        }
        let ran = python.run(&asserts(TEST), &[program]);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        ran.unwrap()
    });
    assert_eq!(ran, [Ran::Passed { tests: 1 }]);
}
