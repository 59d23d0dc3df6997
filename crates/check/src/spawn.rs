//! A process that uses the memory of its maker until it becomes another program.
//!
//! `fork` copies the page tables of a process. Those of a run are large and its compilers are many: the copies took
//! a quarter of the processor time of `check` and `vary`. Here the child runs in the maker's own memory, on a stack
//! of its own, while the thread that made it waits (`CLONE_VM`, `CLONE_VFORK`). Below the stack is a page without
//! access rights: a child that needs more ends there, and does not write into the maker's data. The C library does
//! the same in `posix_spawn`, which cannot set landlock and limits.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, WaitOptions, waitpid};

/// The program that a process becomes.
pub(crate) struct Program<'a> {
    /// The file, with its folder.
    pub(crate) file: &'a Path,
    /// Its arguments, without its own name.
    pub(crate) arguments: &'a [&'a OsStr],
    /// All of its environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// The folder in which it works.
    pub(crate) folder: &'a Path,
    /// Its standard input, output and error.
    pub(crate) streams: [BorrowedFd<'a>; 3],
}

/// Bytes of stack that the child has until it becomes the program.
const STACK: usize = 64 * 1024;

/// All data that the child reads; nothing is allocated after it is made.
struct Start<'a> {
    file: CString,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    folder: CString,
    streams: [c_int; 3],
    prepare: &'a dyn Fn() -> io::Result<()>,
    /// The system's number of the error that prevented the child from becoming the program.
    error: AtomicI32,
}

/// Starts a program in a process group of its own.
///
/// `prepare` runs in the child, in the folder, just before it becomes the program. It runs in this process's
/// memory beside its other threads, so it makes system calls only: it allocates nothing, takes no lock, does
/// not panic.
///
/// # Errors
/// When the process cannot be made, `prepare` fails, or the file cannot be run.
pub(crate) fn spawn(
    program: &Program<'_>,
    prepare: &dyn Fn() -> io::Result<()>,
) -> io::Result<Pid> {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::from);
    let arguments = std::iter::once(program.file.as_os_str())
        .chain(program.arguments.iter().copied())
        .map(|argument| text(argument.as_bytes()))
        .collect::<io::Result<Vec<_>>>()?;
    let environment = program
        .environment
        .iter()
        .map(|(name, value)| {
            let mut line = OsString::from(name);
            line.push("=");
            line.push(value);
            text(&line.into_vec())
        })
        .collect::<io::Result<Vec<_>>>()?;
    let pointers = |texts: &[CString]| {
        let texts = texts.iter().map(|text| text.as_ptr());
        texts.chain([std::ptr::null()]).collect::<Vec<_>>()
    };
    let start = Start {
        file: text(program.file.as_os_str().as_bytes())?,
        arguments: pointers(&arguments),
        environment: pointers(&environment),
        folder: text(program.folder.as_os_str().as_bytes())?,
        streams: program.streams.map(|stream| stream.as_raw_fd()),
        prepare,
        error: AtomicI32::new(0),
    };
    let child = with_signals_held(|| clone(&start))?;
    match start.error.load(Ordering::Acquire) {
        0 => Ok(child),
        number => {
            waitpid(Some(child), WaitOptions::empty())?;
            Err(io::Error::from_raw_os_error(number))
        }
    }
}

/// The stack of a child, above a page without access rights.
struct Stack(*mut c_void);

/// No page of Linux is larger, and the stack is as long.
const GUARD: usize = STACK;

impl Stack {
    fn new() -> io::Result<Self> {
        // SAFETY: new memory, of which the lower part loses its rights; no other code has its address.
        unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let low = libc::mmap(std::ptr::null_mut(), GUARD + STACK, rights, kind, -1, 0);
            if low == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let stack = Stack(low);
            succeed(libc::mprotect(low, GUARD, libc::PROT_NONE))?;
            Ok(stack)
        }
    }

    /// Its end, from where it grows down, aligned as pages are.
    fn top(&self) -> *mut c_void {
        self.0.wrapping_byte_add(GUARD + STACK)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the memory is this value's, and its child has left it.
        unsafe { libc::munmap(self.0, GUARD + STACK) };
    }
}

/// Makes the child, and waits until it is another program or gone.
fn clone(start: &Start<'_>) -> io::Result<Pid> {
    let stack = Stack::new()?;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = std::ptr::from_ref(start).cast::<c_void>().cast_mut();
    // SAFETY: the stack grows down from its end, is aligned, and lives until this returns; `CLONE_VFORK` lets this
    // thread go on only after the child has left the memory that both use. `child` uses the argument with its real
    // type.
    let number = unsafe { libc::clone(child, stack.top(), flags, argument) };
    succeed(number)?;
    Ok(Pid::from_raw(number).expect("the number of a process is positive"))
}

/// Runs in the child until it becomes the program.
extern "C" fn child(start: *mut c_void) -> c_int {
    // SAFETY: `clone` passes a `Start` that outlives this function.
    let start = unsafe { &*start.cast::<Start<'_>>() };
    let error = match become_program(start) {
        Ok(never) => match never {},
        Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
    };
    start.error.store(error, Ordering::Release);
    // SAFETY: ends this process alone, without the maker's exit handlers.
    unsafe { libc::_exit(127) }
}

fn become_program(start: &Start<'_>) -> io::Result<std::convert::Infallible> {
    // SAFETY: system calls on numbers and on texts that end with a zero and outlive them; the lists of a `Start`
    // end with a null pointer. Actions on signals, descriptors, the folder and the mask belong to the child.
    unsafe {
        // A handler of the maker would run in the maker's memory; an ignored signal would be handed down.
        for signal in 1..libc::SIGRTMIN() {
            libc::signal(signal, libc::SIG_DFL);
        }
        succeed(libc::setpgid(0, 0))?;
        for (target, &stream) in (0..).zip(&start.streams) {
            succeed(libc::dup2(stream, target))?;
        }
        succeed(libc::chdir(start.folder.as_ptr()))?;
        (start.prepare)()?;
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        succeed(libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const none,
            std::ptr::null_mut(),
        ))?;
        libc::execve(
            start.file.as_ptr(),
            start.arguments.as_ptr(),
            start.environment.as_ptr(),
        );
    }
    Err(io::Error::last_os_error())
}

/// Runs `make` while this thread, and the process that it makes, gets no signal.
fn with_signals_held<T>(make: impl FnOnce() -> T) -> T {
    // SAFETY: both sets are made by the calls that fill them; the calls fail for unknown flags only.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        let mut before = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let made = make();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        made
    }
}

/// From here on a write beyond the limit of file sizes is an error, and no longer the end of this process; programs that
/// are started as above have the signal again.
pub fn survive_full_files() {
    // SAFETY: no handler runs: the signal is ignored, and the call that reached the limit returns an error.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The result of a system call.
pub(crate) fn succeed(result: c_int) -> io::Result<()> {
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    fn start(file: &str, prepare: &dyn Fn() -> io::Result<()>) -> io::Result<Pid> {
        let null = File::open("/dev/null").unwrap();
        spawn(
            &Program {
                file: Path::new(file),
                arguments: &[],
                environment: Vec::new(),
                folder: Path::new("/"),
                streams: [null.as_fd(); 3],
            },
            prepare,
        )
    }

    #[test]
    fn what_keeps_a_program_from_starting_is_the_error() {
        let missing = start("/nowhere/program", &|| Ok(())).unwrap_err();
        assert_eq!(missing.raw_os_error(), Some(libc::ENOENT));
        let folder = start("/", &|| Ok(())).unwrap_err();
        assert_eq!(folder.raw_os_error(), Some(libc::EACCES));
        let refused = start("/bin/true", &|| {
            Err(io::Error::from_raw_os_error(libc::EPERM))
        })
        .unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EPERM));
    }

    /// Uses the stack page by page, and returns at the end of it all only.
    fn dig(depth: usize) -> usize {
        let page = std::hint::black_box([depth; 512]);
        if depth == 0 {
            return page[0];
        }
        dig(depth - 1) + page[depth % 512]
    }

    #[test]
    fn a_child_that_needs_more_than_its_stack_ends_there_and_harms_nobody() {
        let child = start("/bin/true", &|| {
            std::hint::black_box(dig(2 * STACK / 4096));
            Ok(())
        });
        let (_, status) = waitpid(Some(child.unwrap()), WaitOptions::empty())
            .unwrap()
            .unwrap();
        assert_eq!(status.terminating_signal(), Some(libc::SIGSEGV));
    }

    #[test]
    fn a_zero_byte_is_an_error() {
        let error = start("/bin/tr\0ue", &|| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn many_threads_start_programs_at_once() {
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..50 {
                        let child = start("/bin/true", &|| Ok(())).unwrap();
                        let (_, status) =
                            waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
                        assert_eq!(status.exit_status(), Some(0));
                    }
                });
            }
        });
    }
}
