//! The C library as sentences and compilers know it.
//!
//! All that headers declare is in [`standard_names`](crate::standard_names); these lists are shorter, and each says for
//! whom.

/// Whether the standard library declares a name that sentences about code mention.
///
/// A rarer name that is missing here counts as the project's, which errs on the safe side.
pub fn is_mentioned(name: &str) -> bool {
    MENTIONED.binary_search(&name).is_ok() || is_fixed_width(name)
}

/// Whether a compiler knows the function without any header, so that a declaration of it means more than it says.
pub fn is_known_to_compilers(name: &str) -> bool {
    let base = name.trim_end_matches(['f', 'l']);
    BUILT_IN.binary_search(&name).is_ok() || BUILT_IN.binary_search(&base).is_ok()
}

/// `uint8_t`, `INT64_MAX`, `uintptr_t`, and their like.
fn is_fixed_width(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let Some(rest) = lower
        .strip_prefix('u')
        .unwrap_or(&lower)
        .strip_prefix("int")
    else {
        return false;
    };
    let rest = rest.trim_start_matches(['_', 'f', 'a', 's', 't', 'l', 'e']);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_width = after.len() < rest.len() || rest.starts_with("ptr") || rest.starts_with("max");
    has_width && (name.ends_with("_t") || name.ends_with("_MAX") || name.ends_with("_MIN"))
}

#[rustfmt::skip]
const MENTIONED: &[&str] = &[
    "BUFSIZ", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "CLOCKS_PER_SEC", "DBL_EPSILON", "DBL_MAX", "DBL_MIN", "EBUSY",
    "EDOM", "EEXIST", "EINTR", "EINVAL", "EIO", "ENOENT", "ENOMEM", "ENOSPC", "EOF", "EPERM", "ERANGE",
    "EXIT_FAILURE", "EXIT_SUCCESS", "FILE", "FLT_EPSILON", "FLT_MAX", "FLT_MIN", "HUGE_VAL", "INFINITY", "INT_MAX",
    "INT_MIN", "LLONG_MAX", "LLONG_MIN", "LONG_MAX", "LONG_MIN", "NAN", "NULL", "PATH_MAX", "RAND_MAX", "SCHAR_MAX",
    "SCHAR_MIN", "SEEK_CUR", "SEEK_END", "SEEK_SET", "SHRT_MAX", "SHRT_MIN", "SIZE_MAX", "SSIZE_MAX", "UCHAR_MAX",
    "UINT_MAX", "ULLONG_MAX", "ULONG_MAX", "USHRT_MAX", "abort", "abs", "acos", "asin", "assert", "atan", "atan2",
    "atexit", "atof", "atoi", "atol", "atoll", "bsearch", "calloc", "ceil", "clock", "clock_t", "cos", "cosh",
    "div", "errno", "exit", "exp", "fabs", "fclose", "feof", "ferror", "fflush", "fgetc", "fgets", "floor", "fmax",
    "fmin", "fmod", "fopen", "fprintf", "fputc", "fputs", "fread", "free", "frexp", "fscanf", "fseek", "fseeko",
    "ftell", "ftello", "fwrite", "getc", "getchar", "getenv", "gmtime", "isalnum", "isalpha", "iscntrl", "isdigit",
    "isgraph", "isinf", "islower", "isnan", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "jmp_buf",
    "labs", "ldexp", "localtime", "log", "log10", "log2", "longjmp", "lround", "malloc", "memchr", "memcmp",
    "memcpy", "memmove", "memset", "mktime", "modf", "off_t", "offsetof", "perror", "pow", "printf", "ptrdiff_t",
    "putc", "putchar", "puts", "qsort", "rand", "realloc", "remove", "rename", "rewind", "round", "scanf", "setjmp",
    "setlocale", "setvbuf", "sin", "sinh", "size_t", "snprintf", "sprintf", "sqrt", "srand", "sscanf", "ssize_t",
    "stderr", "stdin", "stdout", "strcasecmp", "strcat", "strchr", "strcmp", "strcpy", "strcspn", "strdup",
    "strerror", "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strpbrk", "strrchr",
    "strspn", "strstr", "strtod", "strtok", "strtol", "strtoll", "strtoul", "strtoull", "system", "tan", "tanh",
    "time", "time_t", "tolower", "toupper", "trunc", "ungetc", "va_arg", "va_copy", "va_end", "va_list", "va_start",
    "vfprintf", "vprintf", "vsnprintf", "vsprintf", "wchar_t", "wint_t",
];

#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "abort", "abs", "acos", "acosh", "aligned_alloc", "alloca", "asin", "asinh", "atan", "atan2", "atanh", "bcmp",
    "bcopy", "bzero", "cabs", "cacos", "calloc", "carg", "cbrt", "ccos", "ceil", "cexp", "cimag", "clog", "conj",
    "copysign", "cos", "cosh", "cpow", "cproj", "creal", "csin", "csqrt", "ctan", "dcgettext", "dgettext", "drem",
    "erf", "erfc", "execl", "execle", "execlp", "execv", "execve", "execvp", "exit", "exp", "exp10", "exp2",
    "expm1", "fabs", "fdim", "ffs", "finite", "floor", "fma", "fmax", "fmin", "fmod", "fork", "fprintf", "fputc",
    "fputc_unlocked", "fputs", "fputs_unlocked", "free", "frexp", "fscanf", "fwrite", "fwrite_unlocked", "gamma",
    "gettext", "hypot", "ilogb", "imaxabs", "index", "isalnum", "isalpha", "isascii", "isblank", "iscntrl",
    "isdigit", "isgraph", "isinf", "islower", "isnan", "isprint", "ispunct", "isspace", "isupper", "iswalnum",
    "iswalpha", "iswdigit", "iswspace", "isxdigit", "j0", "j1", "jn", "labs", "ldexp", "lgamma", "llabs", "llrint",
    "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "malloc", "memchr", "memcmp", "memcpy",
    "memmove", "mempcpy", "memset", "modf", "nan", "nearbyint", "nextafter", "nexttoward", "posix_memalign", "pow",
    "pow10", "printf", "printf_unlocked", "putchar", "putchar_unlocked", "puts", "puts_unlocked", "realloc",
    "remainder", "remquo", "rindex", "rint", "round", "scalb", "scalbln", "scalbn", "scanf", "signbit",
    "significand", "sin", "sincos", "sinh", "snprintf", "sprintf", "sqrt", "sscanf", "stpcpy", "stpncpy",
    "strcasecmp", "strcat", "strchr", "strcmp", "strcpy", "strcspn", "strdup", "strfmon", "strftime", "strlen",
    "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strspn", "strstr",
    "tan", "tanh", "tgamma", "toascii", "tolower", "toupper", "towlower", "towupper", "trunc", "vfprintf",
    "vfscanf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "y0", "y1", "yn",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_the_search() {
        assert!(BUILT_IN.is_sorted_by(|a, b| a < b));
        assert!(MENTIONED.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn integers_of_a_width_are_standard() {
        for name in [
            "uint8_t",
            "int64_t",
            "uintptr_t",
            "intmax_t",
            "INT64_MAX",
            "uint_fast16_t",
        ] {
            assert!(is_mentioned(name), "{name}");
        }
        for name in ["internal_t", "uint8", "int_size_t", "pint8_t", "interval_t"] {
            assert!(!is_mentioned(name), "{name}");
        }
    }
}
