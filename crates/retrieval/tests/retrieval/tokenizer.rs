//! The tokens of a `tokenizer.json`, against `tokenizers` in Python, which also makes the files.

use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts};
use serde_json::json;

use crate::oracle::{python, texts};

#[test]
fn tokens_of_a_file_agree_with_tokenizers() {
    let folder = tempfile::tempdir().unwrap();
    let texts = texts();
    let input = json!({ "texts": texts, "folder": folder.path() });
    let Some(answer) = python("oracle_tokenizer.py", &input) else {
        return;
    };
    for kind in ["bpe", "wordpiece"] {
        let path = folder.path().join(format!("{kind}.json"));
        let analyzer = Analyzer::read(&path).unwrap();
        assert!(analyzer.name().starts_with("json-"), "{}", analyzer.name());
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(
                json!(analyzer.terms(text).unwrap()),
                answer[kind][i],
                "{kind} {i}"
            );
        }
        let counts = Counts::of(analyzer, &texts).unwrap();
        let index = Bm25Index::new(&counts, &Bm25::PLAIN);
        // A text that asks for itself finds itself, or a text with the same tokens.
        let found = index.search_all(&texts[..20], 1).unwrap();
        let is_itself = |(i, list): (usize, &Vec<barecode_retrieval::Scored>)| {
            list.iter().any(|scored| scored.document == i)
        };
        assert!(
            found
                .iter()
                .enumerate()
                .filter(|&pair| is_itself(pair))
                .count()
                >= 15
        );
    }
}
