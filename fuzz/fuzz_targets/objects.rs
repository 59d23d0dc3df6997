//! Arbitrary bytes as an object file with debug information, or as an archive of some.
//!
//! Each function that is cut has a name, a place and a text, and the same bytes give the same functions. Nothing may panic.

#![no_main]

use barecode_check::read_objects;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let read = read_objects(data);
    for function in read.iter().flatten().flat_map(|built| &built.functions) {
        assert!(!function.name.is_empty() && !function.text.is_empty());
    }
    assert_eq!(read, read_objects(data));
});
