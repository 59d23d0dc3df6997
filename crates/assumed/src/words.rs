//! Small questions about the words of build files: names in capitals, truth values, sizes of types.

/// The last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// `sys/types.h` → `SYS_TYPES_H`
pub(super) fn capitals(name: &str) -> String {
    let capitals = name.to_ascii_uppercase();
    capitals.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Returns `true` if `CMake` treats a value as true.
pub(super) fn is_true(value: &str) -> bool {
    let value = value.to_ascii_uppercase();
    !matches!(
        value.as_str(),
        "" | "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND"
    ) && !value.ends_with("-NOTFOUND")
}

/// The size of a type on Linux, on machines of 64 bits.
pub(super) fn size_of(name: &str) -> Option<u8> {
    Some(match name {
        "CHAR" | "INT8_T" | "UINT8_T" | "_BOOL" => 1,
        "SHORT" | "SHORT_INT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" => 2,
        "INT" | "UNSIGNED_INT" | "FLOAT" | "WCHAR_T" | "INT32_T" | "UINT32_T" | "SOCKLEN_T" => 4,
        "LONG" | "LONG_INT" | "UNSIGNED_LONG" | "LONG_LONG" | "UNSIGNED_LONG_LONG"
        | "LONG_LONG_INT" | "SIZE_T" | "SSIZE_T" | "OFF_T" | "OFF64_T" | "TIME_T" | "VOID_P"
        | "CHAR_P" | "INTPTR_T" | "UINTPTR_T" | "PTRDIFF_T" | "DOUBLE" | "INT64_T" | "UINT64_T"
        | "INTMAX_T" | "PTHREAD_T" => 8,
        "LONG_DOUBLE" => 16,
        _ => return None,
    })
}
