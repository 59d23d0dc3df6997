//! The compiler that judges.

use barecode_check::{CheckConfig, CheckError, Compiler, tools};

use crate::{compiled, config, judge, verdict_of};

#[test]
fn a_missing_compiler_comes_with_the_command_that_installs_it() {
    for program in ["/nonexistent/gcc", "no-such-compiler", ""] {
        let config = CheckConfig {
            compiler: program.to_owned(),
            ..config()
        };
        let error = Compiler::probe(&config).unwrap_err();
        assert!(
            matches!(&error, CheckError::CompilerMissing { .. }),
            "{error:?}"
        );
        assert!(
            error.hint().unwrap().contains("apt-get install --yes gcc"),
            "{error}"
        );
    }
}

#[test]
fn a_program_that_is_no_compiler_is_told_apart_from_a_missing_one() {
    for program in ["true", "false", "cat"] {
        let config = CheckConfig {
            compiler: program.to_owned(),
            ..config()
        };
        let error = Compiler::probe(&config).unwrap_err();
        assert!(
            matches!(&error, CheckError::CompilerUnusable { .. }),
            "{program}: {error:?}"
        );
    }
    let config = CheckConfig {
        standard: "gnu1789".to_owned(),
        ..config()
    };
    let error = Compiler::probe(&config).unwrap_err();
    assert!(error.to_string().contains("gnu1789"), "{error}");
}

#[test]
fn functions_that_nobody_calls_have_code() {
    let judge = judge(&config());
    for head in [
        "int",
        "static int",
        "static inline int",
        "extern inline int",
    ] {
        let text = format!("{head} f(int a) {{ return a + 1; }}");
        assert!(compiled(&judge, &text, "f").code_bytes > 8, "{text}");
    }
    let forced = "static inline __attribute__((always_inline)) int f(int a) { return a + 1; }";
    assert!(compiled(&judge, forced, "f").code_bytes > 8);
    let elsewhere = "#define h prefixed_h\nint h(int a) { return a; }";
    assert!(compiled(&judge, elsewhere, "h").code_bytes > 8);
    assert_eq!(
        compiled(&judge, "int f(void); int g(void) { return f(); }", "f").code_bytes,
        0
    );
    assert_eq!(compiled(&judge, "int f = 3;", "f").code_bytes, 0);
    // What a plain `inline` makes in C17 is meant to be elsewhere.
    assert!(compiled(&judge, "inline int f(void) { return 0; }", "f").code_bytes < 32);
}

#[test]
fn a_function_without_a_declaration_is_refused_whatever_the_compilers_age() {
    let judge = judge(&config());
    let verdict = verdict_of(&judge, "int f(void) { return undeclared(1); }", "f").unwrap();
    assert!(format!("{verdict:?}").contains("undeclared"), "{verdict:?}");
    let verdict = verdict_of(&judge, "f(void) { return 1; }", "f").unwrap();
    assert!(
        format!("{verdict:?}").contains("defaults to"),
        "{verdict:?}"
    );
    compiled(
        &judge,
        "int f(char *a) { int *b = a; unsigned c = a; return *b + c; }",
        "f",
    );
}

#[test]
fn headers_add_their_macros_and_only_theirs() {
    let compiler = Compiler::probe(&config()).unwrap();
    let predefined = compiler.predefined_macros();
    assert!(predefined.contains("#define __GNUC__ "), "{predefined}");
    let limits = compiler.header_macros("limits.h").unwrap().unwrap();
    assert!(limits.contains("#define INT_MAX "), "{limits}");
    assert!(!limits.contains("#define __GNUC__ "), "{limits}");
    assert!(
        compiler
            .header_macros("sys/types.h")
            .unwrap()
            .unwrap()
            .contains("__")
    );
    for none in [
        "no/such/header.h",
        "",
        "../etc/passwd",
        "/etc/passwd",
        "a>\n#define X",
        "stdio.h\n",
    ] {
        assert_eq!(compiler.header_macros(none).unwrap(), None, "{none}");
    }
}

#[test]
fn a_strict_or_a_boundless_recipe_still_gets_its_macros() {
    let strict = CheckConfig {
        output_kib: 4,
        memory_mib: 256,
        ..config()
    };
    let boundless = CheckConfig {
        seconds: u64::MAX,
        memory_mib: u64::MAX,
        output_kib: u64::MAX,
        ..config()
    };
    for config in [strict, boundless] {
        let compiler = Compiler::probe(&config).unwrap();
        assert!(
            compiler
                .header_macros("stdint.h")
                .unwrap()
                .unwrap()
                .contains("INT32_MAX")
        );
    }
}

#[test]
fn a_recipe_that_nothing_can_meet_is_said_to_be_one() {
    let config = CheckConfig {
        seconds: 0,
        ..config()
    };
    let error = Compiler::probe(&config).unwrap_err().to_string();
    assert!(error.contains("limit of the recipe"), "{error}");
}

#[test]
fn the_digest_changes_with_what_a_verdict_depends_on() {
    let digest = |config: &CheckConfig| Compiler::probe(config).unwrap().digest();
    let usual = digest(&config());
    assert_eq!(usual, digest(&config()));
    assert_ne!(
        usual,
        digest(&CheckConfig {
            standard: "gnu11".to_owned(),
            ..config()
        })
    );
    assert_ne!(
        usual,
        digest(&CheckConfig {
            memory_mib: 1024,
            ..config()
        })
    );
}

#[test]
fn the_toolchain_says_enough_to_do_it_again() {
    let compiler = Compiler::probe(&config()).unwrap();
    let toolchain = compiler.toolchain();
    assert_eq!(toolchain.compiler, "gcc");
    assert!(toolchain.version.starts_with("gcc"), "{toolchain:?}");
    assert!(toolchain.target.contains('-'), "{toolchain:?}");
    assert!(
        toolchain
            .flags
            .contains(&"-fkeep-static-functions".to_owned()),
        "{toolchain:?}"
    );
}

#[test]
fn the_doctor_finds_what_is_here() {
    let tools = tools();
    let gcc = tools.iter().find(|tool| tool.name == "gcc").unwrap();
    assert!(gcc.required && gcc.version.is_some(), "{gcc:?}");
    assert!(
        tools
            .iter()
            .all(|tool| !tool.package.is_empty() && !tool.purpose.is_empty())
    );
    assert_eq!(tools.iter().filter(|tool| tool.required).count(), 1);
}
