//! Words of languages that are not names.
//!
//! Every list of words of C and C++ that other code needs is defined here, once. A [`WordKind`] is the kind of a
//! word, and callers join the kinds that they need ([`is_word`]). Lists are sorted.

use std::sync::LazyLock;

/// The keywords of C17 (ISO/IEC 9899:2018, 6.4.1).
#[rustfmt::skip]
pub const C17: &[&str] = &[
    "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
];

/// The keywords of C++20 (ISO/IEC 14882:2020, 5.11 [lex.key], Table 5), without the alternative tokens.
#[rustfmt::skip]
pub const CPP20: &[&str] = &[
    "alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "char16_t", "char32_t",
    "char8_t", "class", "co_await", "co_return", "co_yield", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else",
    "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while",
];

/// The keywords that C23 added to C.
#[rustfmt::skip]
const C23: &[&str] = &[
    "alignas", "alignof", "bool", "constexpr", "false", "nullptr", "static_assert", "thread_local", "true",
    "typeof", "typeof_unqual",
];

/// The alternative tokens of C++ (5.5).
#[rustfmt::skip]
const ALTERNATIVE: &[&str] = &[
    "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq",
];

/// Identifiers with a meaning of their own where C++ expects it.
const CONTEXTUAL: &[&str] = &["final", "override"];

/// The preprocessor's directives that share no name with a keyword, and `defined`.
#[rustfmt::skip]
const DIRECTIVE: &[&str] = &[
    "define", "defined", "elif", "endif", "ifdef", "ifndef", "include", "pragma", "undef",
];

/// The words that gcc and clang add, in the spellings that projects write.
#[rustfmt::skip]
const COMPILER: &[&str] = &[
    "_Float128", "__FUNCTION__", "__PRETTY_FUNCTION__", "__alignof__", "__asm", "__asm__", "__attribute",
    "__attribute__", "__auto_type", "__builtin_va_arg", "__complex__", "__const", "__extension__", "__func__",
    "__imag__", "__inline", "__inline__", "__int128", "__label__", "__real__", "__restrict", "__restrict__",
    "__signed__", "__thread", "__typeof", "__typeof__", "__volatile__",
];

/// Further words that gcc and clang add.
#[rustfmt::skip]
const RARE: &[&str] = &[
    "_Accum", "_Decimal128", "_Decimal32", "_Decimal64", "_Float16", "_Float32", "_Float32x", "_Float64",
    "_Float64x", "_Fract", "_Sat", "__alignof", "__complex", "__const__", "__decltype", "__float128", "__float80",
    "__imag", "__int128_t", "__null", "__nullptr", "__real", "__seg_fs", "__seg_gs", "__signed", "__uint128_t",
    "__volatile",
];

/// The keywords of Python 3.12.
#[rustfmt::skip]
pub const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The names that every module of Python 2 or 3 sees without binding them.
#[rustfmt::skip]
pub const PYTHON_BUILTINS: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
    "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis",
    "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup", "False", "FileExistsError",
    "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError",
    "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError",
    "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "None",
    "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError", "OverflowError",
    "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "PythonFinalizationError", "RecursionError",
    "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration",
    "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "True", "TypeError",
    "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError",
    "UnicodeWarning", "UserWarning", "ValueError", "Warning", "WindowsError", "ZeroDivisionError",
    "_IncompleteInputError", "__build_class__", "__builtins__", "__debug__", "__doc__", "__file__", "__import__",
    "__loader__", "__name__", "__package__", "__spec__", "abs", "aiter", "all", "anext", "any", "ascii", "basestring",
    "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex",
    "copyright", "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter",
    "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int",
    "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "long", "map", "max", "memoryview", "min",
    "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit", "range", "raw_input", "reduce",
    "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple",
    "type", "unichr", "unicode", "vars", "xrange", "zip",
];

/// The kind of a word of C or C++; several are joined by `|`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordKind(u8);

impl WordKind {
    /// A keyword of C17.
    pub const C17: WordKind = WordKind(1);
    /// A keyword of C++20.
    pub const CPP20: WordKind = WordKind(2);
    /// A keyword that C23 added.
    pub const C23: WordKind = WordKind(4);
    /// An alternative token of C++: `and`.
    pub const ALTERNATIVE: WordKind = WordKind(8);
    /// `final`, `override`.
    pub const CONTEXTUAL: WordKind = WordKind(16);
    /// The name of a directive, or `defined`.
    pub const DIRECTIVE: WordKind = WordKind(32);
    /// The words that gcc and clang add, in the spellings that projects write: `__inline__`.
    pub const COMPILER: WordKind = WordKind(64);
    /// Further words that gcc and clang add: `_Float32x`.
    pub const RARE: WordKind = WordKind(128);

    /// Either of two.
    #[must_use]
    pub const fn or(self, other: WordKind) -> WordKind {
        WordKind(self.0 | other.0)
    }
}

/// Returns `true` if a word of C or C++ is of one of some kinds.
///
/// ```
/// use barecode_languages::words::{WordKind, is_word};
/// assert!(is_word("while", WordKind::C17));
/// assert!(!is_word("class", WordKind::C17));
/// assert!(is_word("class", WordKind::C17.or(WordKind::CPP20)));
/// ```
pub fn is_word(word: &str, kinds: WordKind) -> bool {
    static WORDS: LazyLock<Vec<(&str, u8)>> = LazyLock::new(|| {
        let lists = [
            (C17, WordKind::C17),
            (CPP20, WordKind::CPP20),
            (C23, WordKind::C23),
            (ALTERNATIVE, WordKind::ALTERNATIVE),
            (CONTEXTUAL, WordKind::CONTEXTUAL),
            (DIRECTIVE, WordKind::DIRECTIVE),
            (COMPILER, WordKind::COMPILER),
            (RARE, WordKind::RARE),
        ];
        let words = lists
            .iter()
            .flat_map(|(words, kind)| words.iter().map(|word| (*word, kind.0)));
        let mut words: Vec<(&str, u8)> = words.collect();
        words.sort_unstable();
        words.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            first.1 |= if is_same { later.1 } else { 0 };
            is_same
        });
        words
    });
    let found = WORDS.binary_search_by_key(&word, |(known, _)| *known);
    found.is_ok_and(|at| WORDS[at].1 & kinds.0 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_several_lists_has_all_their_kinds() {
        for kind in [WordKind::C23, WordKind::CPP20] {
            assert!(is_word("alignas", kind));
        }
        assert!(!is_word("alignas", WordKind::C17));
        assert!(is_word("__asm__", WordKind::COMPILER));
        assert!(!is_word("size_t", WordKind(255)));
    }

    #[test]
    fn the_standards_have_as_many_keywords_as_they_list() {
        assert_eq!(
            (C17.len(), CPP20.len(), C23.len(), ALTERNATIVE.len()),
            (44, 81, 11, 11)
        );
    }
}
