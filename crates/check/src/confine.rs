//! One program, with limits.
//!
//! A program, its arguments, a folder to work in and [`Limits`] enter; its ending and its output leave. Whatever the
//! program does in between, no part of it remains afterwards:
//!
//! - it starts in a process group of its own and is killed as a group;
//! - address space, processor time, file size, open files and core dumps have limits; wall-clock time too;
//! - its environment is `PATH`, `LC_ALL=C` and `TMPDIR`, its standard input is empty;
//! - it cannot gain rights (`PR_SET_NO_NEW_PRIVS`); under landlock it reads and runs only files that [`Sight`]
//!   lists, writes only its own folder and `/dev/null`, opens no TCP connection and sends no signal outside;
//! - it dies with barecode, however barecode dies.
//!
//! The last point is the hard one. `PR_SET_PDEATHSIG` kills a child when its parent dies, but not the child's
//! children, and a compiler driver is all children. So the group also hangs on a leash: a pipe whose writing
//! end only barecode holds, and whose reading end asks the kernel (`O_ASYNC`, `F_SETOWN`, `F_SETSIG`) to send
//! `SIGKILL` to the whole group when that end closes. The kernel closes it when barecode ends, cleanly or not.
//!
//! Not held: UDP sockets (landlock does not cover them), processor time of a group as a sum (the limit is per
//! process; the limit on wall-clock time bounds the rest), and the number of processes (`RLIMIT_NPROC` counts a
//! user's processes everywhere, so runs would fail because of other programs).

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, waitpid};

use crate::spawn::{Program, spawn, succeed};

/// Returns `true` if the kernel has landlock: then a compiler can read its own files only, write its own folder
/// only, and from ABI 4 on open no TCP connection. Without it a compiler has limits only, and can read everything
/// that the user can read.
pub fn has_landlock() -> bool {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with a null attribute, size 0 and the version flag, the call reads no memory and makes nothing;
    // it only returns a number.
    let abi = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            VERSION,
        )
    };
    abi > 0
}

/// Bounds on one program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Processor seconds of each process.
    pub(crate) seconds: u64,
    /// Time that may pass.
    pub(crate) wall: Duration,
    /// Address space of each process.
    pub(crate) memory_bytes: u64,
    /// Size of each file.
    pub(crate) file_bytes: u64,
    /// The number of bytes that may be printed before the program is killed.
    pub(crate) printed_bytes: usize,
    /// The number of bytes of each stream that are stored.
    pub(crate) kept_bytes: usize,
}

/// The files that a program may read and run.
#[derive(Debug)]
pub(crate) enum Sight<'a> {
    /// These files and folders only, as far as the kernel can enforce this.
    Only(&'a [PathBuf]),
    /// Everything that the user can read, and `HOME` is set: for querying the versions of the user's own tools.
    Everything,
}

/// One program to run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [&'a OsStr],
    /// The folder in which it works, which is all that it may write.
    pub(crate) folder: &'a Path,
    pub(crate) sight: Sight<'a>,
    pub(crate) limits: Limits,
}

/// The way in which a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signaled(i32),
    /// Killed: the time was over.
    TimedOut,
    /// Killed: it printed too much.
    PrintedTooMuch,
}

/// The ending and the output of a program.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a program to its end, or to its limits.
///
/// # Errors
/// When it cannot be started, or cannot be confined as requested.
pub(crate) fn run(job: &Job<'_>) -> io::Result<Finished> {
    let ruleset = match job.sight {
        Sight::Only(readable) => ruleset(readable, Some(job.folder))?,
        Sight::Everything => None,
    };
    let (held, leash) = io::pipe()?;
    let (child, printed) = start(job, ruleset.as_ref(), &held)?;
    drop((ruleset, held));
    let finished = attend(child, printed, &job.limits);
    if finished.is_err() {
        // The group must not outlive the attention that it gets.
        let _ = end(child);
    }
    // Processes that the program left running in its group die here.
    drop::<PipeWriter>(leash);
    finished
}

/// The landlock ruleset: the `readable` files may be read and run, and the folder may be written; `None` if the
/// kernel has no landlock.
pub(crate) fn ruleset(readable: &[PathBuf], folder: Option<&Path>) -> io::Result<Option<OwnedFd>> {
    // The newest ABI that this file was tested with; older kernels enforce the rules that they support.
    const TRIED: ABI = ABI::V6;
    if !has_landlock() {
        return Ok(None);
    }
    let open = |path: &Path| PathFd::new(path).map_err(io::Error::other);
    let folder = folder.map(open).transpose()?;
    let null = open(Path::new("/dev/null"))?;
    let everything = AccessFs::from_all(TRIED);
    let look = AccessFs::from_read(TRIED);
    let own = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir;
    let made = || -> Result<Option<OwnedFd>, RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(everything)?
            .handle_access(AccessNet::from_all(TRIED))?
            .scope(Scope::from_all(TRIED))?
            .create()?
            .add_rules(path_beneath_rules(readable, look))?
            .add_rules(folder.map(|folder| Ok::<_, RulesetError>(PathBeneath::new(folder, own))))?
            .add_rule(PathBeneath::new(
                null,
                AccessFs::ReadFile | AccessFs::WriteFile,
            ))?;
        Ok(ruleset.into())
    };
    match made().map_err(io::Error::other)? {
        Some(ruleset) => Ok(Some(ruleset)),
        None => Err(io::Error::other(
            "the kernel has landlock, but makes no ruleset",
        )),
    }
}

/// Starts the program; its standard output and standard error come back with it.
fn start(
    job: &Job<'_>,
    ruleset: Option<&OwnedFd>,
    held: &PipeReader,
) -> io::Result<(Pid, [PipeReader; 2])> {
    let null = File::open("/dev/null")?;
    let (stdout, out) = io::pipe()?;
    let (stderr, err) = io::pipe()?;
    let mut environment = vec![
        ("LC_ALL", OsString::from("C")),
        ("TMPDIR", job.folder.into()),
    ];
    let home = matches!(job.sight, Sight::Everything).then_some("HOME");
    for name in ["PATH"].into_iter().chain(home) {
        environment.extend(std::env::var_os(name).map(|value| (name, value)));
    }
    let program = Program {
        file: job.program,
        arguments: job.arguments,
        environment,
        folder: job.folder,
        streams: [null.as_fd(), out.as_fd(), err.as_fd()],
    };

    let limits = [
        (libc::RLIMIT_AS, job.limits.memory_bytes),
        (libc::RLIMIT_FSIZE, job.limits.file_bytes),
        (libc::RLIMIT_CPU, job.limits.seconds),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_NOFILE, 64),
    ];
    let parent = std::process::id();
    let ruleset = ruleset.map(AsRawFd::as_raw_fd);
    let held = held.as_raw_fd();
    let prepare = || -> io::Result<()> {
        die_with(parent, held)?;
        for (resource, wanted) in limits {
            limit(resource, wanted)?;
        }
        restrict(ruleset)
    };
    Ok((spawn(&program, &prepare)?, [stdout, stderr]))
}

/// Limits a resource of this process, and never more loosely than it is limited already.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, wanted: u64) -> io::Result<()> {
    // SAFETY: `limit` is a valid `rlimit` on this stack for the time of each call; both calls are plain system
    // calls.
    unsafe {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        succeed(libc::getrlimit(resource, &raw mut limit))?;
        // One second of processor time separates `SIGXCPU`, which shows the cause, from `SIGKILL`, which does not;
        // for the other resources, both limits are equal.
        let grace = libc::rlim_t::from(resource == libc::RLIMIT_CPU);
        limit.rlim_max = limit.rlim_max.min(wanted.saturating_add(grace));
        limit.rlim_cur = limit.rlim_max.min(wanted);
        succeed(libc::setrlimit(resource, &raw const limit))
    }
}

/// Permanently prevents this process from gaining rights, and confines it to a landlock ruleset.
pub(crate) fn restrict(ruleset: Option<RawFd>) -> io::Result<()> {
    // SAFETY: both calls take numbers only; `ruleset` is open in this process too.
    unsafe {
        succeed(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        if let Some(ruleset) = ruleset
            && libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0) != 0
        {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Ties this process and its future children to the thread that made it and to `parent`; `held` is the reading end
/// of the leash.
fn die_with(parent: u32, held: RawFd) -> io::Result<()> {
    // SAFETY: the call takes numbers only.
    succeed(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })?;
    hang_on(parent, held)
}

/// Ties this process and its future children to `parent`, whichever of its threads made it; `held` is the reading
/// end of the leash.
pub(crate) fn hang_on(parent: u32, held: RawFd) -> io::Result<()> {
    // From Linux's asm-generic/fcntl.h; the libc crate does not name it.
    const F_SETSIG: libc::c_int = 10;
    // SAFETY: every call takes numbers only; `held` is open in this process. `F_SETOWN` takes a negated process
    // group, which is this process's id, because it leads its group.
    unsafe {
        // The landlock scope for signals compares the requester with the receiver, so the leash comes before it.
        succeed(libc::fcntl(held, libc::F_SETOWN, -libc::getpid()))?;
        succeed(libc::fcntl(held, F_SETSIG, libc::SIGKILL))?;
        succeed(libc::fcntl(
            held,
            libc::F_SETFL,
            libc::O_ASYNC | libc::O_NONBLOCK,
        ))?;
        succeed(libc::fcntl(held, libc::F_SETFD, 0))?;
        // A parent that died before this line never pulls the leash, and this process has another parent now.
        if u32::try_from(libc::getppid()) != Ok(parent) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    Ok(())
}

/// Reads what the child prints until it ends or reaches a limit.
#[expect(
    clippy::disallowed_methods,
    reason = "a limit on time looks at a clock"
)]
fn attend(child: Pid, [stdout, stderr]: [PipeReader; 2], limits: &Limits) -> io::Result<Finished> {
    let deadline = Instant::now() + limits.wall;
    let mut streams = [Stream::new(stdout)?, Stream::new(stderr)?];
    let ending = loop {
        let Some(left) = deadline.checked_duration_since(Instant::now()) else {
            break Ending::TimedOut;
        };
        if streams.iter().all(|stream| stream.pipe.is_none()) {
            // No more output can follow; the end is near.
            match waitpid(Some(child), WaitOptions::NOHANG)? {
                Some((_, status)) => break ending_of(status),
                None => thread::sleep(Duration::from_micros(200)),
            }
            continue;
        }
        wait_for_any(&streams, left)?;
        for stream in &mut streams {
            stream.read(limits.kept_bytes)?;
        }
        if streams.iter().map(|stream| stream.printed).sum::<usize>() > limits.printed_bytes {
            break Ending::PrintedTooMuch;
        }
    };
    if matches!(ending, Ending::TimedOut | Ending::PrintedTooMuch) {
        end(child)?;
    }
    let [stdout, stderr] = streams.map(|stream| stream.kept);
    Ok(Finished {
        ending,
        stdout,
        stderr,
    })
}

fn ending_of(status: WaitStatus) -> Ending {
    match status.exit_status() {
        Some(code) => Ending::Exited(code),
        None => Ending::Signaled(status.terminating_signal().unwrap_or_default()),
    }
}

/// Kills the group of a child that was not waited for yet, so that its number still means this group.
fn end(child: Pid) -> io::Result<()> {
    // The group is gone if all of it has ended.
    let _ = kill_process_group(child, Signal::KILL);
    waitpid(Some(child), WaitOptions::empty())?;
    Ok(())
}

/// One of the two streams that a program prints to.
struct Stream {
    pipe: Option<PipeReader>,
    printed: usize,
    kept: Vec<u8>,
}

impl Stream {
    fn new(pipe: PipeReader) -> io::Result<Self> {
        unblock(&pipe)?;
        Ok(Stream {
            pipe: Some(pipe),
            printed: 0,
            kept: Vec::new(),
        })
    }

    /// Reads the available bytes; closes the pipe at its end.
    fn read(&mut self, keep: usize) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        let mut buffer = [0; 16 * 1024];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(n) => {
                let room = keep.saturating_sub(self.kept.len()).min(n);
                self.kept.extend_from_slice(&buffer[..room]);
                self.printed += n;
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Sleeps until one of the streams has data, or time is over.
fn wait_for_any(streams: &[Stream; 2], left: Duration) -> io::Result<()> {
    // A negative descriptor is skipped by `poll`.
    let descriptor = |stream: &Stream| stream.pipe.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    poll(
        streams.each_ref().map(|stream| (descriptor(stream), false)),
        left,
    )
}

/// Sleeps until one of the descriptors can be read, or written if requested, or time is over.
pub(crate) fn poll<const N: usize>(
    descriptors: [(RawFd, bool); N],
    left: Duration,
) -> io::Result<()> {
    let mut waiting = descriptors.map(|(fd, is_writing)| libc::pollfd {
        fd,
        events: if is_writing {
            libc::POLLOUT
        } else {
            libc::POLLIN
        },
        revents: 0,
    });
    let milliseconds = i32::try_from(left.as_millis())
        .unwrap_or(i32::MAX)
        .saturating_add(1);
    let count = N as libc::nfds_t;
    // SAFETY: `waiting` is an array of `count` valid entries that outlives the call.
    match succeed(unsafe { libc::poll(waiting.as_mut_ptr(), count, milliseconds) }) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        other => other,
    }
}

/// Lets reads and writes of a pipe's end return at once.
pub(crate) fn unblock(end: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: `fcntl` takes numbers only; the descriptor is open, because its owner is borrowed.
    succeed(unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })
}

/// Lets a descriptor live on in the program that this process becomes.
pub(crate) fn hand_down(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: `fcntl` takes numbers only.
    succeed(unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) })
}

/// Moves this process to a network of its own, without a connection to anything; whether that is permitted.
pub(crate) fn leave_network() -> bool {
    // SAFETY: both calls take numbers only.
    unsafe {
        libc::unshare(libc::CLONE_NEWNET) == 0
            || libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) == 0
    }
}

/// Makes the kernel use the same memory layout each time for the program that this process becomes.
pub(crate) fn fix_addresses() {
    // SAFETY: the call takes a number only.
    unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn limits() -> Limits {
        Limits {
            seconds: 5,
            wall: Duration::from_secs(5),
            memory_bytes: 256 << 20,
            file_bytes: 1 << 20,
            printed_bytes: 1 << 20,
            kept_bytes: 4096,
        }
    }

    fn shell(script: &str, limits: Limits, readable: &[&str]) -> Finished {
        let folder = tempfile::tempdir().unwrap();
        let readable: Vec<PathBuf> = readable.iter().map(PathBuf::from).collect();
        let arguments = [OsStr::new("-c"), OsStr::new(script)];
        let sight = Sight::Only(&readable);
        run(&Job {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            folder: folder.path(),
            sight,
            limits,
        })
        .unwrap()
    }

    const SYSTEM: &[&str] = &[
        "/usr/bin",
        "/usr/lib",
        "/usr/lib64",
        "/lib",
        "/lib64",
        "/bin",
    ];

    #[test]
    fn a_program_gets_no_environment_but_three_variables() {
        let finished = shell(
            "env | sed 's/=.*//' | sort | tr '\\n' ' '",
            limits(),
            SYSTEM,
        );
        assert_eq!(finished.ending, Ending::Exited(0));
        // The shell itself sets PWD (and some shells a few more).
        let names = String::from_utf8(finished.stdout).unwrap();
        let names: Vec<_> = names
            .split(' ')
            .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_", ""].contains(name))
            .collect();
        assert_eq!(names, ["LC_ALL", "PATH", "TMPDIR"]);
    }

    #[test]
    fn the_whole_group_dies_when_time_is_over() {
        let limits = Limits {
            wall: Duration::from_millis(300),
            ..limits()
        };
        let finished = shell("sleep 1234 & echo $!; sleep 1234", limits, SYSTEM);
        assert_eq!(finished.ending, Ending::TimedOut);
        let sleeper = String::from_utf8(finished.stdout).unwrap();
        assert!(dies(sleeper.trim()), "process {sleeper} survived");
    }

    #[test]
    fn what_a_program_leaves_in_its_group_dies_with_it() {
        let finished = shell("sleep 1234 >/dev/null 2>&1 & echo $!", limits(), SYSTEM);
        assert_eq!(finished.ending, Ending::Exited(0));
        let sleeper = String::from_utf8(finished.stdout).unwrap();
        assert!(dies(sleeper.trim()), "process {sleeper} survived");
    }

    /// Returns `true` if a process is gone, or will be within a second (a zombie is gone).
    fn dies(process: &str) -> bool {
        assert!(
            process.parse::<u32>().is_ok(),
            "`{process}` is not a process"
        );
        (0..100).any(|_| {
            thread::sleep(Duration::from_millis(10));
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            stat.rsplit_once(')')
                .is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
        })
    }

    #[test]
    fn a_flood_is_cut_and_its_head_is_kept() {
        let finished = shell(
            "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
            limits(),
            SYSTEM,
        );
        assert_eq!(finished.ending, Ending::PrintedTooMuch);
        assert_eq!(finished.stdout.len(), 4096);
    }

    #[test]
    fn files_and_processor_time_have_limits() {
        let finished = shell(
            "head -c 9000000 /dev/zero > big; echo $?",
            limits(),
            &[SYSTEM, &["/dev/zero"]].concat(),
        );
        assert_ne!(String::from_utf8_lossy(&finished.stdout).trim(), "0");
        let limits = Limits {
            seconds: 1,
            ..limits()
        };
        let finished = shell("while :; do :; done", limits, SYSTEM);
        assert!(
            matches!(finished.ending, Ending::Signaled(_)),
            "{:?}",
            finished.ending
        );
    }

    #[test]
    fn landlock_hides_the_rest_of_the_machine() {
        if !has_landlock() {
            return barecode_testing::needs::not_here("no landlock in this kernel");
        }
        let other = tempfile::tempdir().unwrap();
        let secret = other.path().join("secret");
        fs::write(&secret, "hush").unwrap();
        for script in [
            format!("cat '{}'", secret.display()),
            format!("echo x > '{}'", secret.display()),
            format!("echo x > '{}/new'", other.path().display()),
            "cat /etc/passwd".to_owned(),
            "cat /proc/self/environ".to_owned(),
            "ls /".to_owned(),
            "cp /bin/true ./copy && ./copy".to_owned(),
            "ln -s /etc/passwd link".to_owned(),
            "mkfifo pipe".to_owned(),
            format!("kill -0 {}", std::process::id()),
        ] {
            let finished = shell(&script, limits(), SYSTEM);
            let printed = String::from_utf8_lossy(&finished.stdout);
            assert!(
                !matches!(finished.ending, Ending::Exited(0)),
                "`{script}` succeeded and printed {printed}"
            );
        }
        assert_eq!(fs::read_to_string(secret).unwrap(), "hush");
        let finished = shell(
            "echo x > mine && cat mine && cat < /dev/null > /dev/null",
            limits(),
            SYSTEM,
        );
        assert_eq!(finished.ending, Ending::Exited(0));
    }
}
