use std::process::Stdio;

use barecode_testing::needs::not_here;

use crate::project::{Project, assert_same, bytes_of, program};

/// Builds on a disk that is too small, then on the same disk with room, then copies the run out of it. The
/// disk is memory, in a mount namespace of its own, and goes with the process.
const SCRIPT: &str = r#"
mount -t tmpfs -o size="$1" tmpfs small || exit 77
"$2" build recipe.toml --out small/run --cache cache --threads 1
code=$?
mount -o remount,size=64m small || exit 77
find small -name '*.partial' | sed 's/^/left behind: /' >&2
"$2" build recipe.toml --out small/run --cache cache --threads 1 || exit 78
cp -r small/run copy || exit 79
exit $code
"#;

#[test]
fn a_full_disk_is_exit_code_6_and_the_rerun_with_space_finishes() {
    let project = Project::new();
    let binary = env!("CARGO_BIN_EXE_barecode");
    std::fs::create_dir(project.path("small")).unwrap();
    let ended = |size: &str| {
        let _ = std::fs::remove_dir_all(project.path("copy"));
        let mut unshare = program("unshare");
        unshare.args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            SCRIPT,
            "sh",
            size,
            binary,
        ]);
        let output = unshare
            .current_dir(project.path(""))
            .stdin(Stdio::null())
            .output();
        output.map(|output| crate::project::Ended::of(&output))
    };
    project.build();
    let reference = project.bytes();
    // The first size is full in the middle of the first stages, the second one later.
    for size in ["32k", "160k"] {
        let ended = match ended(size) {
            Ok(ended) if ended.code != Some(77) && !ended.stderr.starts_with("unshare: ") => ended,
            Ok(ended) => {
                let why = ended.stderr;
                return not_here(&format!("no file system can be mounted here: {why}"));
            }
            Err(error) => {
                return not_here(&format!("no `unshare`: {error}"));
            }
        };
        assert_eq!(ended.code, Some(6), "{}", ended.stderr);
        assert!(ended.stderr.contains("no space left"), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("cannot write `small/run/"),
            "{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("hint: free some space"),
            "{}",
            ended.stderr
        );
        assert!(!ended.stderr.contains("left behind"), "{}", ended.stderr);
        assert_same(&reference, &bytes_of(&project.path("copy")));
    }
}

#[test]
fn a_limit_of_file_sizes_is_exit_code_6_and_no_signal() {
    let project = Project::new();
    let mut limited = program("sh");
    limited.args(["-c", "ulimit -f 8; exec \"$0\" build recipe.toml"]);
    limited.arg(env!("CARGO_BIN_EXE_barecode"));
    let limited = limited
        .current_dir(project.path(""))
        .env("XDG_CACHE_HOME", project.path("cache"))
        .stdin(Stdio::null());
    let ended = crate::project::Ended::of(&limited.output().unwrap());
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    project.build();
}
