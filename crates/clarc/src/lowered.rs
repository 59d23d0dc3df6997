//! CLARC's released assembly and WebAssembly, made again from its released functions.
//!
//! The files themselves show the procedure of the authors. Every `static` and `inline` is removed from the text, so
//! that the function is emitted. Headers are put before it, `<iostream>` among them. Ubuntu's g++ 11 compiles it
//! without optimization, with the defaults of that system. The object is stripped and listed by `objdump -d`:
//! `asm_short` is the function, `asm_long` the whole object, of which the constructors of `<iostream>` are a part.
//! WebAssembly is the function as Emscripten's linker leaves it.
//!
//! The rows have the function only. The macros that it needs from its project are therefore put before it:
//! `context.h` has those of the projects that the rows are from. A word in a function's head that the compiler does
//! not know (`CGLM_INLINE`) is treated as an attribute. A row of group 2 needs types that no file has, and can be
//! compared only if the type is not used.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Lowered, Lowerer, Question, Verdict};
use barecode_records::{Group, Language, Span, Unit, c::Form, words};

/// Headers that Linux and WASI have.
const EVERYWHERE: &str = "\
    bitset deque iomanip list optional queue stack unordered_set variant sys/uio.h dirent.h poll.h sys/mman.h \
    sys/ioctl.h algorithm array cassert cctype cerrno cfloat cinttypes climits cmath cstdarg cstddef cstdint \
    cstdio cstdlib cstring ctime exception functional iterator limits map memory numeric set sstream \
    stdexcept string tuple type_traits unordered_map utility vector string_view fcntl.h unistd.h sys/types.h \
    sys/stat.h sys/time.h time.h wchar.h wctype.h assert.h errno.h ctype.h limits.h math.h stdarg.h stdbool.h \
    stddef.h stdint.h inttypes.h stdio.h stdlib.h string.h strings.h getopt.h locale.h float.h";

/// Headers that only Linux has, or that are included only for it.
const NATIVE: &str = "\
    atomic chrono complex csignal fstream locale mutex random regex thread codecvt sys/socket.h sys/wait.h \
    sys/resource.h netinet/in.h netinet/tcp.h arpa/inet.h netdb.h pthread.h signal.h immintrin.h termios.h \
    semaphore.h sys/epoll.h sys/un.h dlfcn.h pwd.h glob.h langinfo.h setjmp.h execinfo.h sys/syscall.h";

const CONTEXT: &str = include_str!("context.h");

/// Definitions that Emscripten's library has and WASI's lacks.
const ABSENT: &str = "\
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
extern \"C\" {
int dup(int);
int dup2(int, int);
int getpagesize(void);
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
}
";

/// The line of CLARC's compiled texts that the function starts on, by the line numbers of its assertions.
const LINE: usize = 13;

/// The number of words in a function's head that may be unknown to the compiler.
const UNKNOWN: usize = 6;

words! {
    /// The files of lowered rows.
    pub enum Released {
        /// The function's assembly.
        AssemblyShort = "asm_short",
        /// The whole object's assembly, which the paper counts.
        AssemblyLong = "asm_long",
        /// The function's WebAssembly.
        Wasm = "wasm",
    }
}

impl Released {
    /// Our text for it.
    pub fn of(self, lowered: &Lowered) -> Option<&str> {
        match self {
            Released::AssemblyShort | Released::Wasm => lowered.target.as_deref(),
            Released::AssemblyLong => lowered.whole.as_deref(),
        }
    }
}

/// Lowers a released function; returns the error if the compiler refuses it.
///
/// `lowerer` is of CLARC's profile.
///
/// # Errors
/// When the compiler cannot be run.
pub fn lower(original: &str, lowerer: &Lowerer) -> Result<Result<Lowered, String>, CheckError> {
    let mut unknown = String::new();
    for _ in 0..UNKNOWN {
        let question = question(original, &unknown, lowerer.form());
        let message = match lowerer.lower(&question, &[])? {
            Ok(lowered) if lowered.target.is_some() => return Ok(Ok(lowered)),
            Ok(_) => return Ok(Err("the function compiles to nothing".to_owned())),
            Err(Verdict::Refused { message }) => message,
            Err(limit) => return Ok(Err(format!("{limit:?}"))),
        };
        let error = first_error(&message);
        match attribute_in(original, error, &unknown) {
            Some(define) => unknown.push_str(&define),
            None => return Ok(Err(error.to_owned())),
        }
    }
    Ok(Err("too many unknown words".to_owned()))
}

/// The text that is compiled for a released function.
fn question(original: &str, unknown: &str, form: Form) -> Question {
    let mut text = String::from("#include <iostream>\n");
    let mut include = |header: &str| text.extend(["#include <", header, ">\n"]);
    EVERYWHERE.split(' ').for_each(&mut include);
    if form != Form::Wasm {
        NATIVE.split(' ').for_each(&mut include);
    }
    if form == Form::Wasm {
        text.push_str(ABSENT);
    }
    text.push_str(CONTEXT);
    text.push_str(unknown);
    text.extend(["#line ", &LINE.to_string(), "\n"]);
    let start = text.len();
    text.push_str(&as_compiled(original));
    let end = text.len();
    text.push('\n');
    Question {
        language: Language::CPP,
        text,
        function: String::new(),
        target: Span::from(start..end),
        is_template: false,
    }
}

/// The program that CLARC would have compiled for a unit: its functions without the words that keep them out of the
/// object, with `<iostream>`, and for group 2 with a program around it. CLARC removed the words from the whole text;
/// the code around a function of ours has classes, which mean something else without them.
pub fn as_cpp_program(unit: &Unit) -> (Question, Vec<Span>) {
    const WORDS: &[&str] = &["static", "inline"];
    let text = &unit.closure.text;
    let mut marks = vec![unit.closure.target];
    marks.extend(unit.closure.helpers.iter().map(|helper| helper.span));
    let mut cuts: Vec<usize> = marks
        .iter()
        .flat_map(|span| [span.start as usize, span.end as usize])
        .filter(|cut| text.is_char_boundary(*cut))
        .collect();
    cuts.push(text.len());
    cuts.sort_unstable();
    cuts.dedup();
    let mut out = "#include <iostream>\n".to_owned();
    let mut moved = BTreeMap::from([(0, out.len())]);
    let mut from = 0;
    for cut in cuts {
        let piece = text.get(from..cut).unwrap_or_default();
        let is_marked = |span: &Span| span.start as usize <= from && cut <= span.end as usize;
        if marks.iter().any(is_marked) {
            out.push_str(&without_words(piece, WORDS));
        } else {
            out.push_str(piece);
        }
        moved.insert(cut, out.len());
        from = cut;
    }
    if unit.group == Group::Group2 {
        out.push_str("\nint main(){return 0;}\n");
    }
    let place = |at: u32| moved.get(&(at as usize)).copied().unwrap_or_default();
    let spans: Vec<Span> = marks
        .iter()
        .map(|span| Span::from(place(span.start)..place(span.end)))
        .collect();
    let question = Question {
        language: Language::CPP,
        text: out,
        function: unit.name.clone(),
        target: spans.first().copied().unwrap_or(unit.closure.target),
        is_template: false,
    };
    (question, spans.into_iter().skip(1).collect())
}

/// A function's text as CLARC compiled it: without the words that keep it out of the object.
fn as_compiled(text: &str) -> String {
    let (head, body) = text.split_at(text.find('{').unwrap_or(text.len()));
    let head = without_words(head, &["static", "inline", "constexpr"]);
    head + &without_words(body, &["static", "inline"])
}

/// A text without some words, wherever they occur.
fn without_words(text: &str, words: &[&str]) -> String {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if !words.contains(&word) {
            out.push_str(word);
        }
        let length = after.find(in_word).unwrap_or(after.len());
        let (between, after) = after.split_at(length);
        out.push_str(between);
        rest = after;
    }
    out
}

fn first_error(message: &str) -> &str {
    let error = message
        .lines()
        .find_map(|line| line.split_once("error: ").map(|(_, error)| error));
    error.or_else(|| message.lines().next()).unwrap_or_default()
}

/// An empty definition of the word that an error is about, if the word is in the function's head and looks like a
/// macro.
fn attribute_in(original: &str, error: &str, known: &str) -> Option<String> {
    let head = original.split('{').next().unwrap_or_default();
    let is_macro = |word: &&str| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && !["FILE", "DIR"].contains(word)
    };
    let words = |text: &'_ str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(is_macro)
            .map(str::to_owned)
            .collect()
    };
    let in_head = words(head);
    let mut named = words(error);
    // The compiler may stumble over the token after the word.
    let stumbles = ["before ", "expected ", "requires a type specifier"];
    if named.is_empty() && stumbles.iter().any(|words| error.contains(words)) {
        named.clone_from(&in_head);
    }
    let define = |word: &String| {
        let is_called = head
            .split_once(word.as_str())
            .is_some_and(|(_, rest)| rest.trim_start().starts_with('('));
        let parameters = if is_called { "(...)" } else { "" };
        format!("#define {word}{parameters}\n")
    };
    named
        .iter()
        .filter(|word| in_head.contains(word))
        .map(define)
        .find(|define| !known.contains(define.as_str()))
}

/// One of our texts beside the released one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// True if they are equal; indices of WebAssembly are not compared.
    pub equal: bool,
    /// True if they have the same form: nothing in one is written as the other never writes it.
    pub same_form: bool,
    /// The reason why they are not equal; `None` if they are.
    pub cause: Option<&'static str>,
    /// The first lines that differ, or the compiler's error.
    pub detail: String,
}

/// Compares our output for a row with the released text.
pub fn compare(released: Released, ours: &Result<Lowered, String>, theirs: &str) -> Comparison {
    let ours = match ours {
        Ok(lowered) => released.of(lowered).unwrap_or_default(),
        Err(error) => {
            return Comparison {
                equal: false,
                same_form: false,
                cause: Some("the compiler refuses the row's text"),
                detail: error.clone(),
            };
        }
    };
    match released {
        Released::AssemblyShort | Released::AssemblyLong => compare_assembly(ours, theirs),
        Released::Wasm => compare_wasm(ours, theirs),
    }
}

/// Lines without blanks at their ends; empty ones are left out.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect()
}

fn first_difference(ours: &[String], theirs: &[String]) -> String {
    let nothing = String::new();
    let count = ours.len().max(theirs.len());
    (0..count)
        .map(|at| {
            (
                ours.get(at).unwrap_or(&nothing),
                theirs.get(at).unwrap_or(&nothing),
            )
        })
        .enumerate()
        .find(|(_, (ours, theirs))| ours != theirs)
        .map_or_else(String::new, |(at, (ours, theirs))| {
            format!("line {}: `{ours}`, released `{theirs}`", at + 1)
        })
}

/// An instruction with every number as 0.
fn shape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for part in line.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            out.push('0');
            out.push_str(part.get(word.len()..).unwrap_or_default());
        } else {
            out.push_str(part);
        }
    }
    out
}

fn compare_assembly(ours: &str, theirs: &str) -> Comparison {
    let owned =
        |text: &str| -> Vec<String> { lines(text).into_iter().map(str::to_owned).collect() };
    let (ours, theirs) = (owned(ours), owned(theirs));
    let equal = ours == theirs;
    let shapes = |lines: &[String]| -> Vec<String> {
        let mut shapes: Vec<String> = lines.iter().map(|line| shape(line)).collect();
        shapes.sort();
        shapes
    };
    let cause = if equal {
        None
    } else if ours.len() == theirs.len()
        && ours
            .iter()
            .zip(&theirs)
            .all(|(ours, theirs)| shape(ours) == shape(theirs))
    {
        Some("a number: a line, an address or a constant of the project")
    } else if shapes(&ours) == shapes(&theirs) {
        Some("the same instructions in another order or with other registers")
    } else {
        Some("other instructions: another compiler, library or definition")
    };
    Comparison {
        equal,
        same_form: ours.iter().all(|line| is_listed(line)),
        cause,
        detail: first_difference(&ours, &theirs),
    }
}

/// Returns `true` if a line is written as the disassembler writes it: no label, no address in front, no name.
fn is_listed(line: &str) -> bool {
    !line.ends_with(':')
        && !line.contains('<')
        && !line.contains("data_")
        && !line.contains("func_")
}

/// A text of WebAssembly without the numbers that the linker assigns: of functions, types, globals, and the
/// addresses of data.
fn without_indices(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (number, line) in lines(text).into_iter().enumerate() {
        let line = line.trim_start();
        if number == 0 {
            let parts = line.split_inclusive(')');
            let kept = parts.filter(|part| {
                let part = part.trim_start().trim_start_matches("(func").trim_start();
                !part.starts_with("(;") && !part.starts_with("(type ")
            });
            out.push(
                kept.collect::<String>()
                    .replace("(func", "")
                    .trim()
                    .to_owned(),
            );
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let closing = if rest.ends_with(')') && !rest.contains('(') {
            ")"
        } else {
            ""
        };
        let digits = rest.trim_end_matches(')');
        // So does an offset that is an address.
        if let Some(offset) = rest.strip_prefix("offset=")
            && let Some(number) = offset.split([' ', ')']).next()
            && number.parse::<i64>().is_ok_and(is_address)
        {
            out.push(format!(
                "{word} offset=*{}",
                offset.trim_start_matches(number)
            ));
            continue;
        }
        let masked = match word {
            "call" | "call_indirect" | "global.get" | "global.set" => true,
            // Data addresses are above the stack, and no other constant of a row is.
            "i32.const" => digits.parse::<i64>().is_ok_and(is_address),
            _ => false,
        };
        out.push(if masked {
            format!("{word} *{closing}")
        } else {
            line.to_owned()
        });
    }
    out
}

/// Returns `true` if a number is an address of data: above the stack.
fn is_address(number: i64) -> bool {
    (65536..1 << 20).contains(&number)
}

fn compare_wasm(ours: &str, theirs: &str) -> Comparison {
    let (ours, theirs) = (without_indices(ours), without_indices(theirs));
    let equal = ours == theirs;
    let locals = |lines: &[String]| {
        lines
            .iter()
            .find(|line| line.starts_with("(local"))
            .cloned()
    };
    let words = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .filter(|line| !line.starts_with("(local"))
            .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
            .collect()
    };
    let cause = if equal {
        None
    } else if ours.first() != theirs.first() {
        Some("another type of function")
    } else if words(&ours) != words(&theirs) {
        Some("other instructions: another version of LLVM, another library")
    } else if locals(&ours) != locals(&theirs) {
        Some("other locals")
    } else {
        Some("the same instructions with other operands")
    };
    Comparison {
        equal,
        same_form: is_function(&ours),
        cause,
        detail: first_difference(&ours, &theirs),
    }
}

/// Returns `true` if a text of WebAssembly is one function without names.
fn is_function(lines: &[String]) -> bool {
    lines.last().is_some_and(|last| last.ends_with(')'))
        && lines
            .iter()
            .all(|line| !line.contains('$') && !line.contains("(;@") || line.starts_with("br"))
}
