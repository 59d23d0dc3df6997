//! Interfaces that reach out of a program, by their full path.
//!
//! The paper leaves out programs that import or call such interfaces and names some of them (pydra, appendix B.2);
//! this is its list with related interfaces. A path includes everything below it.

use barecode_python::Use;
use barecode_records::words;

words! {
    /// The part of the system that an interface reaches.
    pub enum Category {
        /// Other processes, and signals to them.
        Processes = "processes",
        /// Files and folders.
        Files = "files",
        /// Connections.
        Network = "network",
        /// Code that is made while the program runs.
        DynamicCode = "dynamic-code",
        /// Memory and libraries beneath Python.
        Native = "native",
        /// The end of the program, and hooks at its end.
        Exit = "exit",
        /// The interpreter's own parts: frames, its collector, its tracing.
        Interpreter = "interpreter",
    }
}

use Category::{DynamicCode, Exit, Files, Interpreter, Native, Network, Processes};

/// Paths with their categories; the first that fits counts.
const TABLE: &[(&str, Category)] = &[
    ("os.system", Processes),
    ("os.popen", Processes),
    ("os.fork", Processes),
    ("os.kill", Processes),
    ("os._exit", Exit),
    ("os.abort", Exit),
    ("os", Files),
    ("posix", Files),
    ("nt", Files),
    ("subprocess", Processes),
    ("_posixsubprocess", Processes),
    ("multiprocessing", Processes),
    ("concurrent.futures.ProcessPoolExecutor", Processes),
    ("pty", Processes),
    ("signal", Processes),
    ("shutil", Files),
    ("pathlib", Files),
    ("glob", Files),
    ("tempfile", Files),
    ("fileinput", Files),
    ("mmap", Files),
    ("sqlite3", Files),
    ("shelve", Files),
    ("dbm", Files),
    ("zipfile", Files),
    ("tarfile", Files),
    ("io.open", Files),
    ("io.FileIO", Files),
    ("codecs.open", Files),
    ("builtins.open", Files),
    ("socket", Network),
    ("socketserver", Network),
    ("ssl", Network),
    ("urllib.request", Network),
    ("urllib2", Network),
    ("requests", Network),
    ("http", Network),
    ("ftplib", Network),
    ("smtplib", Network),
    ("poplib", Network),
    ("imaplib", Network),
    ("xmlrpc", Network),
    ("webbrowser", Network),
    ("builtins.eval", DynamicCode),
    ("builtins.exec", DynamicCode),
    ("builtins.compile", DynamicCode),
    ("builtins.__import__", DynamicCode),
    ("importlib", DynamicCode),
    ("runpy", DynamicCode),
    ("code", DynamicCode),
    ("codeop", DynamicCode),
    ("pickle", DynamicCode),
    ("marshal", DynamicCode),
    ("ctypes", Native),
    ("_ctypes", Native),
    ("cffi", Native),
    ("resource", Native),
    ("sys.exit", Exit),
    ("atexit", Exit),
    ("builtins.exit", Exit),
    ("builtins.quit", Exit),
    ("sys.settrace", Interpreter),
    ("sys.setprofile", Interpreter),
    ("sys._getframe", Interpreter),
    ("sys.modules", Interpreter),
    ("gc", Interpreter),
    ("inspect", Interpreter),
    ("builtins.breakpoint", Interpreter),
    ("pdb", Interpreter),
];

/// The category of a path, if it is sensitive.
pub fn category(path: &str) -> Option<Category> {
    let fits = |entry: &&(&str, Category)| {
        let rest = path.strip_prefix(entry.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    TABLE.iter().find(fits).map(|&(_, category)| category)
}

/// The category of a use. `open(0)` is standard input.
pub(crate) fn of_use(one: &Use) -> Option<Category> {
    if one.path == "builtins.open" && one.argument.as_deref() == Some("0") {
        return None;
    }
    category(&one.path)
}
