//! Attacks on the machine, as root (where the tests run as root) and as an ordinary user.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};

use barecode_check::{CheckError, Python, PythonConfig, Ran};
use barecode_records::python::{Fault, Tests};
use barecode_testing::needs::not_here;

use crate::{config, python, stdio};

const ATTACKS: &str = include_str!("attacks.py");

/// The functions of the file that attack.
fn names() -> Vec<&'static str> {
    let functions = ATTACKS.lines().filter_map(|line| line.strip_prefix("def "));
    let names = functions.filter_map(|line| line.strip_suffix("():"));
    names.collect()
}

/// The attacks that were not stopped, each with what became of it.
fn not_stopped(python: &Python) -> Vec<String> {
    // Something listens, so that a connection would be made.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let tests = Tests {
        setup: format!("PORT = {port}"),
        ..stdio(&[("", "stopped\n")])
    };
    let programs: Vec<String> = names()
        .iter()
        .map(|name| format!("{ATTACKS}\n\nattempt({name})\n"))
        .collect();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    let ran = python.run(&tests, &programs).unwrap();
    let mut list = Vec::new();
    for (name, ran) in names().iter().zip(ran) {
        if ran != (Ran::Passed { tests: 1 }) {
            list.push(format!("{name}: {ran:?}"));
        }
    }
    list
}

#[test]
fn every_attack_on_the_machine_is_stopped() {
    assert!(names().len() >= 45, "{}", names().len());
    assert_eq!(not_stopped(python()), [""; 0]);
    assert!(!fs::exists("/tmp/barecode-attack").unwrap());
    let level = python().level();
    assert!(level.landlock && level.seccomp, "{level}");
    assert_eq!(level.succeeded, [""; 0]);
    assert!(level.to_string().contains("landlock, seccomp"), "{level}");
    assert!(
        level.to_string().contains("10 of 10 attacks stopped"),
        "{level}"
    );
}

#[test]
fn every_attack_works_outside_or_is_refused_by_the_system_itself() {
    // Without this the test above could pass because the attacks are written wrongly.
    let works = [
        "write_to_tmp",
        "read_passwd",
        "start_a_program",
        "fork",
        "signal_the_parent",
        "read_the_parents_environment",
        "pair_of_sockets",
        "abstract_socket",
        "read_its_own_memory_by_file",
        "change_flags_of_shared_pipes",
        "shared_memory_of_system_v",
        "make_a_ring",
        "write_executable_memory_and_call_the_kernel",
    ];
    for name in works {
        assert!(names().contains(&name), "{name}");
        if cfg!(not(target_arch = "x86_64")) && name.starts_with("write_executable") {
            continue;
        }
        let outside = ATTACKS.replace("barecode-attack", "barecode-outside");
        let output = Command::new("/usr/bin/python3")
            .arg("-c")
            .arg(format!("{outside}\n\nattempt({name})\n"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("reached"), "{name}: {output:?}");
    }
    let _ = fs::remove_file("/tmp/barecode-outside");
}

/// Attacks on what a process has: its time, its memory, its output, its threads.
#[test]
fn limits_hold() {
    let config = PythonConfig {
        seconds: 3,
        memory_mb: 512,
        output_kb: 64,
        ..config()
    };
    let python = Python::open(&config, None).unwrap();
    let attacks = [
        ("x = bytearray(4 << 30)", Fault::Memory, "MemoryError"),
        (
            "x = []\nwhile True: x.append('x' * 10**6)",
            Fault::Memory,
            "MemoryError",
        ),
        (
            "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
            Fault::Timeout,
            "3 s",
        ),
        ("import time\ntime.sleep(1000)", Fault::Timeout, "3 s"),
        (
            "while True: print('x' * 1000)",
            Fault::Output,
            "prints more",
        ),
        (
            "import threading, time\nfor _ in range(2000): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()",
            Fault::Exception,
            "can't start new thread",
        ),
        (
            "import ctypes\nctypes.string_at(0)",
            Fault::Crash,
            "signal 11",
        ),
        ("import os\nos.abort()", Fault::Crash, "signal"),
        (
            "import sys\nsys.stdin.close()\nwhile True: pass",
            Fault::Timeout,
            "3 s",
        ),
        (
            "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass",
            Fault::Timeout,
            "3 s",
        ),
    ];
    for (program, expected, says) in attacks {
        match python
            .run(&stdio(&[("", "")]), &[program])
            .unwrap()
            .remove(0)
        {
            Ran::Failed { fault, message, .. } => {
                assert_eq!(fault, expected, "{message}\n{program}");
                assert!(message.contains(says), "{message}\n{program}");
            }
            other => panic!("{other:?}\n{program}"),
        }
    }
    // All of that leaves the next program alone.
    let ran = python
        .run(&stdio(&[("1", "1")]), &["print(input())"])
        .unwrap();
    assert_eq!(ran, [Ran::Passed { tests: 1 }]);
}

/// Set for the part of a test that runs as another user.
const AS_USER: &str = "BARECODE_TEST_AS_USER";

#[test]
fn every_attack_is_stopped_as_an_ordinary_user_too() {
    let user = fs::metadata("/proc/self").unwrap().uid();
    if std::env::var_os(AS_USER).is_some() {
        assert_eq!(user, NOBODY);
        assert_eq!(not_stopped(python()), [""; 0]);
        return;
    }
    if user != 0 {
        // The tests run as an ordinary user anyway.
        return assert_eq!(not_stopped(python()), [""; 0]);
    }
    let Ok(setpriv) = fs::canonicalize("/usr/bin/setpriv") else {
        return not_here("setpriv is not installed");
    };
    // The user may not be able to look into the folder of this program.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let copy = folder.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let output = Command::new(setpriv)
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&copy)
        .args([
            "--exact",
            "attacks::every_attack_is_stopped_as_an_ordinary_user_too",
        ])
        .env(AS_USER, "1")
        .env("TMPDIR", folder.path())
        .current_dir("/")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{errors}");
    assert!(printed.contains("1 passed"), "{printed}");
}

const NOBODY: u32 = 65534;

#[test]
fn without_landlock_programs_run_only_where_that_is_asked_for() {
    let tests = stdio(&[("", "root")]);
    let program = "print(open('/etc/passwd').read()[:4])";
    let confined = python().digest();
    let ended = std::thread::spawn(move || {
        without_landlock();
        let error = Python::open(&config(), None).unwrap_err();
        assert!(matches!(error, CheckError::NoSandbox { .. }), "{error}");
        assert!(error.to_string().contains("landlock"), "{error}");
        let hint = error.hint().unwrap();
        assert!(
            hint.contains("--unsafe-no-sandbox") && hint.contains("macOS"),
            "{hint}"
        );
        let asked = PythonConfig {
            unsafe_no_sandbox: true,
            ..config()
        };
        let python = Python::open(&asked, None).unwrap();
        assert!(!python.level().landlock);
        assert!(
            python.level().succeeded.contains(&"read_a_file".to_owned()),
            "{}",
            python.level()
        );
        let ran = python.run(&tests, &[program]).unwrap();
        assert_eq!(ran, [Ran::Passed { tests: 1 }]);
        python.digest()
    });
    assert_ne!(ended.join().unwrap(), confined);
    // Where there is a sandbox, asking to go without changes nothing.
    let asked = PythonConfig {
        unsafe_no_sandbox: true,
        ..config()
    };
    let python = Python::open(&asked, None).unwrap();
    assert_eq!(python.digest(), confined);
    let ran = python.run(&stdio(&[("", "root")]), &[program]).unwrap();
    assert!(
        matches!(
            ran[0],
            Ran::Failed {
                fault: Fault::Forbidden,
                ..
            }
        ),
        "{ran:?}"
    );
}

/// Hides landlock from this thread and what it starts, as an old kernel or a container does.
#[expect(unsafe_code, reason = "the kernel takes a filter by address")]
fn without_landlock() {
    let ends = |k| libc::sock_filter {
        code: 0x06,
        jt: 0,
        jf: 0,
        k,
    };
    let landlock = u32::try_from(libc::SYS_landlock_create_ruleset).unwrap();
    let mut filter = [
        // The number of the system call.
        libc::sock_filter {
            code: 0x20,
            jt: 0,
            jf: 0,
            k: 0,
        },
        libc::sock_filter {
            code: 0x15,
            jt: 0,
            jf: 1,
            k: landlock,
        },
        ends(0x0005_0000 | libc::ENOSYS.unsigned_abs()),
        ends(0x7fff_0000),
    ];
    let program = libc::sock_fprog {
        len: 4,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the kernel copies the filter during the call; both calls change this thread alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(
            libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program),
            0
        );
    }
}

#[test]
fn an_interpreter_that_is_none_is_an_error_with_a_hint() {
    let missing = PythonConfig {
        python: Some("/nowhere/python3".into()),
        ..config()
    };
    let error = Python::open(&missing, None).unwrap_err();
    assert!(
        matches!(error, CheckError::InterpreterMissing { .. }),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("apt-get install"));
    let other = PythonConfig {
        python: Some("/bin/true".into()),
        ..config()
    };
    let error = Python::open(&other, None).unwrap_err();
    assert!(
        matches!(error, CheckError::InterpreterUnusable { .. }),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("CPython"));
}

#[test]
fn a_program_sees_its_interpreter_and_nothing_of_the_user() {
    let program = "import os, sys\nprint(sorted(os.environ), sys.argv, os.getcwd(), 'site' in sys.modules, sys.path and all('/lib' in p for p in sys.path), len(os.environ.get('HOME', '')))";
    let printed = "['LC_ALL', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONUTF8'] ['program'] / False True 0";
    crate::passes(&stdio(&[("", printed)]), program, 1);
}
