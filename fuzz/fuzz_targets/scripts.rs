//! Arbitrary bytes as an R script, a document and a notebook.
//!
//! Beside crashes it looks for what no text may break: the code of a pair is R, a comment comes before its code, and no
//! comment counts twice.

#![no_main]

use barecode_corpus::scripts::{Document, published, statements};
use barecode_corpus::syntax::parse;
use barecode_records::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    published(data);
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for document in [Document::Script, Document::Markdown, Document::Notebook] {
        for chunk in document.chunks(text.to_owned()).unwrap_or_default() {
            let read = statements(&chunk);
            for pair in &read.pairs {
                let tree =
                    parse(&pair.code, Language::of_name("r")).expect("nothing stops the parser");
                assert!(!tree.root_node().has_error(), "{pair:?}");
                assert!(pair.comment_lines.1 <= pair.code_lines.0, "{pair:?}");
            }
            let comments = read.pairs.len() + read.left.len();
            assert!(comments <= chunk.text.matches('#').count());
        }
    }
});
