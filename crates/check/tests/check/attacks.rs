//! What a hostile text may try.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, Question, Verdict, has_landlock};
use barecode_testing::needs::not_here;

use crate::{config, judge, judge_of_both, of_c, of_cpp, verdict_of};

fn verdict_with(config: &CheckConfig, text: &str) -> Verdict {
    verdict_of(&judge(config), text, "f").unwrap()
}

fn refusal(text: &str) -> String {
    match verdict_with(&config(), text) {
        Verdict::Refused { message } => message,
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn an_endless_include_is_refused() {
    let message = refusal(include_str!("attacks/endless_include.c"));
    assert!(message.contains("nested"), "{message}");
}

#[test]
fn macros_that_take_forever_reach_the_time_limit() {
    let start = Instant::now();
    let config = CheckConfig {
        seconds: 1,
        ..config()
    };
    assert_eq!(
        verdict_with(&config, include_str!("attacks/slow_macros.c")),
        Verdict::TimeLimit
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "took {:?}",
        start.elapsed()
    );
}

#[test]
fn macros_that_eat_memory_reach_the_memory_limit() {
    let config = CheckConfig {
        memory_mib: 256,
        ..config()
    };
    assert_eq!(
        verdict_with(&config, include_str!("attacks/hungry_macros.c")),
        Verdict::MemoryLimit
    );
}

#[test]
fn a_flood_of_messages_reaches_the_output_limit() {
    let config = CheckConfig {
        output_kib: 1024,
        ..config()
    };
    assert_eq!(
        verdict_with(&config, include_str!("attacks/talkative.c")),
        Verdict::OutputLimit
    );
}

#[test]
fn a_huge_object_reaches_the_output_limit() {
    assert_eq!(
        verdict_with(&config(), include_str!("attacks/huge_object.c")),
        Verdict::OutputLimit
    );
}

/// A hostile text among good ones: each good one keeps its verdict, and the hostile one gets its limit.
fn among_neighbors(
    config: &CheckConfig,
    hostile: Question,
    neighbor: &dyn Fn(u32) -> Question,
) -> Verdict {
    let Some(judge) = judge_of_both(config) else {
        return Verdict::TimeLimit;
    };
    let mut questions: Vec<Question> = (0..12).map(neighbor).collect();
    questions.insert(5, hostile);
    let mut verdicts = judge.judge_all(&questions).unwrap();
    let hostile = verdicts.remove(5);
    questions.remove(5);
    for (question, verdict) in questions.iter().zip(verdicts) {
        assert!(
            matches!(verdict, Verdict::Compiled { code_bytes } if code_bytes > 0),
            "{verdict:?}\n{}",
            question.text
        );
    }
    hostile
}

#[test]
fn neighbors_of_a_text_that_takes_forever_keep_their_verdicts() {
    let config = CheckConfig {
        seconds: 2,
        memory_mib: 8192,
        ..config()
    };
    let c = |number: u32| of_c(&format!("int f(int a) {{ return a + {number}; }}"), "f");
    let slow = of_c(include_str!("attacks/slow_macros.c"), "f");
    assert_eq!(among_neighbors(&config, slow, &c), Verdict::TimeLimit);
    let cpp = |number: u32| of_cpp(&format!("int f(int a) {{ return a + {number}; }}"), "int f");
    for hostile in [
        "template <int N, int M> struct t { static const long v = t<N - 1, 2 * M>::v + t<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct t<0, M> { static const long v = M; };\nlong f() { return t<28, 1>::v; }",
        "constexpr long g(long n) { long s = 0; for (long i = 0; i < n; i++) for (long j = 0; j < 200000; j++) s += i ^ j; return s; }\nlong f() { constexpr long v = g(200000); return v; }",
    ] {
        let verdict = among_neighbors(&config, of_cpp(hostile, "long f()"), &cpp);
        // g++ counts the steps of a constant expression itself, and may give up before the clock does.
        let refused =
            matches!(&verdict, Verdict::Refused { message } if message.contains("constexpr"));
        assert!(verdict == Verdict::TimeLimit || refused, "{verdict:?}");
    }
}

#[test]
fn neighbors_of_a_text_that_eats_memory_keep_their_verdicts() {
    let config = CheckConfig {
        seconds: 20,
        memory_mib: 320,
        ..config()
    };
    let c = |number: u32| of_c(&format!("int f(int a) {{ return a + {number}; }}"), "f");
    let hungry = of_c(include_str!("attacks/hungry_macros.c"), "f");
    if among_neighbors(&config, hungry, &c) == Verdict::TimeLimit {
        assert!(
            judge_of_both(&config).is_none(),
            "the limit is one of memory"
        );
    }
    let cpp = |number: u32| of_cpp(&format!("int f(int a) {{ return a + {number}; }}"), "int f");
    let template = "template <int N> struct t { t<N - 1> one; char two[N + 1]; static int v(int a) { return t<N - 1>::v(a) + N; } };\ntemplate <> struct t<0> { static int v(int a) { return a; } };\n#define A(n) t<n>::v(1) + t<n + 890>::v(2)\nint f() { return A(1) ; }\n";
    let verdict = among_neighbors(&config, of_cpp(template, "int f()"), &cpp);
    assert!(
        !matches!(verdict, Verdict::OutputLimit | Verdict::TimeLimit)
            || judge_of_both(&config).is_none(),
        "{verdict:?}"
    );
    // An initializer of sixteen million numbers.
    let initializer = "#define A(x) x, x, x, x, x, x, x, x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\nint big[] = { B(1) };\nint f() { return big[5]; }\n";
    let verdict = among_neighbors(&config, of_cpp(initializer, "int f()"), &cpp);
    assert!(
        verdict == Verdict::MemoryLimit || judge_of_both(&config).is_none(),
        "{verdict:?}"
    );
}

#[test]
fn files_of_the_machine_are_not_read_and_not_shown() {
    if !has_landlock() {
        return not_here(
            "no landlock in this kernel, so the compiler reads what the user can read",
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.h");
    fs::write(&secret, "hush_hush").unwrap();
    let secret = secret.to_str().unwrap();
    for text in [
        format!("#include \"{secret}\"\nint f(void) {{ return 0; }}"),
        format!(
            "#include \"../{}\"\nint f(void) {{ return 0; }}",
            secret.trim_start_matches("/tmp/")
        ),
        format!("__asm__(\".incbin \\\"{secret}\\\"\");\nint f(void) {{ return 0; }}"),
        format!("__asm__(\".include \\\"{secret}\\\"\");\nint f(void) {{ return 0; }}"),
        "#include \"/etc/passwd\"\nint f(void) { return 0; }".to_owned(),
        "#include \"/etc/shadow\"\nint f(void) { return 0; }".to_owned(),
        "#include \"/proc/self/environ\"\nint f(void) { return 0; }".to_owned(),
        "__asm__(\".incbin \\\"/etc/shadow\\\"\");\nint f(void) { return 0; }".to_owned(),
        "__asm__(\".incbin \\\"/proc/self/environ\\\"\");\nint f(void) { return 0; }".to_owned(),
    ] {
        let message = refusal(&text);
        assert!(
            !message.contains("hush_hush") && !message.contains("root:"),
            "{message}"
        );
    }
}

#[test]
fn a_text_cannot_pose_as_a_full_disk_or_a_limit() {
    let message = refusal("#error No space left on device\n#error out of memory");
    assert!(message.contains("No space left"), "{message}");
}

#[test]
fn messages_do_not_name_the_folder_that_changes_every_time() {
    let texts = [
        "int f(void) { return g; }",
        "__asm__(\".frobnicate\");",
        "#include \"none.h\"",
        "int f(void) {",
    ];
    for text in texts {
        let (once, again) = (refusal(text), refusal(text));
        assert_eq!(once, again);
        assert!(!once.contains("barecode-"), "{once}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_not_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = folder.path().join("tiny");
    fs::create_dir(&tiny).unwrap();
    let mount = |arguments: &[&str]| {
        Command::new("mount")
            .args(arguments)
            .stderr(Stdio::null())
            .status()
    };
    let mounted = mount(&[
        "-t",
        "tmpfs",
        "-o",
        "size=192k",
        "none",
        tiny.to_str().unwrap(),
    ]);
    if !mounted.is_ok_and(|status| status.success()) {
        return not_here("only root can mount a disk that is small enough to fill");
    }
    let outputs = [
        victim("full_disk", &tiny).output(),
        victim("full_cache", folder.path())
            .env("BARECODE_TEST_CACHE_ON", &tiny)
            .output(),
    ];
    let _ = Command::new("umount").arg(&tiny).status();
    for output in outputs {
        let output = output.unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn a_killed_parent_leaves_no_compiler_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = victim("slow", folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let within = |seconds: u32, holds: &dyn Fn() -> bool| {
        (0..seconds * 50).any(|_| {
            thread::sleep(Duration::from_millis(20));
            holds()
        })
    };
    let working = || processes_below(folder.path());
    // What the probe starts ends by itself; the victim says when it is past that.
    assert!(
        within(20, &|| folder.path().join("ready").exists()),
        "the victim is not ready"
    );
    assert!(
        within(20, &|| working().iter().any(|name| name.starts_with("cc1"))),
        "the compiler did not start"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        within(2, &|| working().is_empty()),
        "left behind: {:?}",
        working()
    );
    // Its folder is still there; the next one clears it away.
    let left = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left(), 2, "`ready` and a workplace");
    assert!(
        victim("probe", folder.path())
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(left(), 1, "`ready`");
}

/// Processes that work in a folder or below it, by name.
fn processes_below(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let processes = fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let below = processes.filter(|process| {
        fs::read_link(process.join("cwd"))
            .is_ok_and(|place| place.starts_with(&folder) && place != folder)
    });
    below
        .map(|process| fs::read_to_string(process.join("comm")).unwrap_or_default())
        .collect()
}

/// This test program again, as one that something happens to.
fn victim(role: &str, temporary: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "attacks::the_victim", "--nocapture"]);
    command
        .env("BARECODE_TEST_VICTIM", role)
        .env("TMPDIR", temporary)
        .stderr(Stdio::null());
    command
}

/// Not a test by itself: what [`victim`] runs.
#[test]
fn the_victim() {
    match std::env::var("BARECODE_TEST_VICTIM").as_deref() {
        Ok("slow") => {
            let config = CheckConfig {
                seconds: 60,
                ..config()
            };
            let judge = judge(&config);
            fs::write(std::env::temp_dir().join("ready"), "").unwrap();
            let _ = verdict_of(&judge, include_str!("attacks/slow_macros.c"), "f");
        }
        Ok("probe") => drop(judge(&config())),
        Ok("full_disk") => {
            let judge = judge(&config());
            // Needs more room than there is, and does not reach the limit on output.
            let large = "char x[1 << 20] = {1};\nint f(void) { return x[0]; }";
            let error = verdict_of(&judge, large, "f").unwrap_err();
            assert!(matches!(&error, CheckError::DiskFull { .. }), "{error}");
            assert!(error.hint().is_some(), "{error}");
        }
        Ok("full_cache") => {
            let folder = std::env::var("BARECODE_TEST_CACHE_ON").unwrap();
            let path = Path::new(&folder).join("verdicts.sqlite");
            let judge = Judge::new(Compiler::probe(&config()).unwrap(), None, Some(&path)).unwrap();
            let texts = (0..500).map(|n| format!("int f(void) {{ return {n}; }}"));
            let error = texts
                .map(|text| verdict_of(&judge, &text, "f"))
                .find_map(Result::err)
                .unwrap();
            assert!(
                matches!(&error, CheckError::DiskFull { path, .. } if path.starts_with(&folder)),
                "{error:?}"
            );
        }
        _ => {}
    }
}

/// Takes landlock from this thread and the programs that it starts, as an older kernel or a container does.
#[expect(
    unsafe_code,
    reason = "a filter of system calls is set, which safe Rust cannot do"
)]
fn without_landlock() {
    const ALLOW: u32 = 0x7fff_0000;
    const ERRNO: u32 = 0x0005_0000;
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf,
        k,
    };
    let number = u32::try_from(libc::SYS_landlock_create_ruleset).unwrap();
    let mut filter = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            ERRNO | libc::ENOSYS.unsigned_abs(),
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, ALLOW),
    ];
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap(),
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: `program` and the filter that it points to live until the second call has copied them.
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
fn without_landlock_compilers_run_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let text = "int f(void) { return 0; }";
    let usual = Compiler::probe(&config()).unwrap();
    let confined = usual.digest();
    let judge = Judge::new(usual, None, Some(&path)).unwrap();
    crate::compiled(&judge, text, "f");
    let ended = thread::spawn(move || {
        without_landlock();
        assert!(!has_landlock());
        let error = Compiler::probe(&config()).unwrap_err();
        assert!(matches!(error, CheckError::Unconfined), "{error}");
        assert!(error.hint().unwrap().contains("unconfined = true"));
        let asked = CheckConfig {
            unconfined: true,
            ..config()
        };
        let compiler = Compiler::probe(&asked).unwrap();
        let digest = compiler.digest();
        let judge = Judge::new(compiler, None, Some(&path)).unwrap();
        crate::compiled(&judge, text, "f");
        let rows = rusqlite::Connection::open(&path).unwrap();
        let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let kept = rows.query_row("SELECT count(*) FROM entries", [], count);
        assert_eq!(kept.unwrap(), 2, "no verdict stands for both");
        digest
    });
    let unconfined = ended.join().unwrap();
    // Where there is no landlock to begin with, the first probe has failed.
    assert_ne!(confined, unconfined);
    // Allowing it changes nothing where the kernel has landlock.
    let asked = CheckConfig {
        unconfined: true,
        ..config()
    };
    assert_eq!(Compiler::probe(&asked).unwrap().digest(), confined);
}
