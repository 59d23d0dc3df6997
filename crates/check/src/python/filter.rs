//! The system calls that a program may make.
//!
//! A list of allowed calls; everything else fails with `EPERM`, which Python reports as `PermissionError`. The
//! allowed calls change only the process itself: memory, threads, clocks, reading files that landlock permits, and
//! using the descriptors that it has. Setting flags of descriptors is not allowed, because the pipes are shared with
//! later processes.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// The filters, each in the kernel's format; `None` on a machine that they are not written for.
pub(crate) fn filters() -> Option<Vec<Vec<u8>>> {
    let machine = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    if !matches!(machine, TargetArch::x86_64 | TargetArch::aarch64) {
        return None;
    }
    let errno = |number: i32| SeccompAction::Errno(number.unsigned_abs());
    let built = |rules, otherwise, then| {
        let filter = SeccompFilter::new(rules, otherwise, then, machine);
        let program = filter.and_then(BpfProgram::try_from);
        bytes(&program.expect("the rules are constants"))
    };
    // The C library makes threads with `clone3`, whose flags no filter can see, and with `clone` if `clone3` is
    // missing.
    let hidden = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let mut allowed = rules();
    allowed.insert(libc::SYS_clone3, Vec::new());
    Some(vec![
        built(hidden, SeccompAction::Allow, errno(libc::ENOSYS)),
        built(allowed, errno(libc::EPERM), SeccompAction::Allow),
    ])
}

fn rules() -> BTreeMap<i64, Vec<SeccompRule>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        EVERYWHERE.iter().map(|&call| (call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.extend(X86_64.iter().map(|&call| (call, Vec::new())));
    let thread = libc::CLONE_THREAD.unsigned_abs().into();
    rules.insert(
        libc::SYS_clone,
        vec![rule(0, SeccompCmpOp::MaskedEq(thread), thread)],
    );
    // Limits are read, not set.
    rules.insert(libc::SYS_prlimit64, vec![rule(2, SeccompCmpOp::Eq, 0)]);
    rules.insert(libc::SYS_fcntl, one_of(1, FCNTL));
    rules.insert(libc::SYS_ioctl, one_of(1, IOCTL));
    rules
}

fn one_of(argument: u8, values: &[u64]) -> Vec<SeccompRule> {
    let values = values.iter();
    values
        .map(|&value| rule(argument, SeccompCmpOp::Eq, value))
        .collect()
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> SeccompRule {
    // Pointers and flags of `clone` are as wide as a register; commands are not.
    let width = if argument == 1 {
        SeccompCmpArgLen::Dword
    } else {
        SeccompCmpArgLen::Qword
    };
    let condition = SeccompCondition::new(argument, width, operator, value);
    SeccompRule::new(vec![condition.expect("the argument is one of six")])
        .expect("there is a condition")
}

/// The filter in the memory layout of `struct sock_filter`.
fn bytes(program: &BpfProgram) -> Vec<u8> {
    let steps = program.iter();
    steps
        .flat_map(|step| {
            let [c0, c1] = step.code.to_ne_bytes();
            let [k0, k1, k2, k3] = step.k.to_ne_bytes();
            [c0, c1, step.jt, step.jf, k0, k1, k2, k3]
        })
        .collect()
}

/// `F_DUPFD`, `F_GETFD`, `F_SETFD`, `F_GETFL`, `F_DUPFD_CLOEXEC`.
const FCNTL: &[u64] = &[0, 1, 2, 3, 1030];

/// `TCGETS` (used by `isatty`), `TIOCGWINSZ`, `FIONREAD`, `FIONCLEX`, `FIOCLEX`.
const IOCTL: &[u64] = &[0x5401, 0x5413, 0x541B, 0x5450, 0x5451];

const EVERYWHERE: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getitimer,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_sigaltstack,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_write,
    libc::SYS_writev,
];

/// The older forms, which this machine alone has.
#[cfg(target_arch = "x86_64")]
const X86_64: &[i64] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_dup2,
    libc::SYS_epoll_wait,
    libc::SYS_getrlimit,
    libc::SYS_lstat,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
];
