//! The behavior of code, in words, as a retriever: `structural:names=false`.

use std::sync::Arc;

use barecode_records::{Digest, Language};
use barecode_retrieval::{
    Documents, Explains, Knows, Query, Retriever, RetrieverError, Scored, Scorer, ScoresAll,
    Setting, best,
};
use barecode_structural::{Options, StructuralIndex, VERSION, is_known};
use rayon::prelude::*;

/// The structural retriever with its options.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Structural(Options);

impl Retriever for Structural {
    fn kind(&self) -> &'static str {
        "structural"
    }

    fn options(&self) -> Vec<(&'static str, Setting)> {
        vec![
            ("names", Setting::Flag(self.0.names)),
            ("learned", Setting::Flag(self.0.learned)),
        ]
    }

    fn set(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        let said = value.map_or_else(|| option.to_owned(), |value| format!("{option}={value}"));
        let unknown =
            || format!("`structural` has no option `{said}`: write names=false or learned=false");
        let flag = match option {
            "names" => &mut self.0.names,
            "learned" => &mut self.0.learned,
            _ => return Err(unknown()),
        };
        let value = value.and_then(|value| value.parse().ok());
        *flag = value.ok_or_else(unknown)?;
        Ok(())
    }

    fn label(&self) -> String {
        let Options { names, learned } = self.0;
        let without = [("-nameless", !names), ("-unlearned", !learned)];
        let without = without.into_iter().filter(|(_, is_out)| *is_out);
        let parts = std::iter::once("structural").chain(without.map(|(part, _)| part));
        parts.collect()
    }

    /// The rendering changes with the version that has the rules.
    fn add_to(&self, digest: Digest, _: &str) -> Digest {
        let Options { names, learned } = self.0;
        digest
            .field(VERSION.to_le_bytes())
            .field([u8::from(names), u8::from(learned)])
    }

    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError> {
        Ok(Box::new(Corpus(StructuralIndex::of_languages(
            corpus.texts,
            corpus.languages,
            self.0,
        ))))
    }

    fn explains(&self) -> bool {
        true
    }

    fn knows(&self) -> Option<Knows> {
        Some(is_known)
    }

    fn scores_all(self: Arc<Self>) -> Option<Arc<dyn ScoresAll>> {
        Some(self)
    }
}

impl ScoresAll for Structural {
    fn index(&self, texts: &[&str], languages: &[Option<Language>]) -> Box<dyn Explains> {
        Box::new(Corpus(StructuralIndex::of_languages(
            texts, languages, self.0,
        )))
    }
}

struct Corpus(StructuralIndex);

impl Scorer for Corpus {
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let queries = queries.par_iter();
        let lists = queries.map(|query| best(&self.0.scores(query.text), depth));
        Ok(lists.collect())
    }

    fn explain(&self, query: &str, document: usize) -> Option<Vec<(String, f64)>> {
        Some(Explains::explain(self, query, document))
    }
}

impl Explains for Corpus {
    fn scores(&self, query: &str) -> Vec<f64> {
        self.0.scores(query)
    }

    fn explain(&self, query: &str, document: usize) -> Vec<(String, f64)> {
        let parts = self.0.explain(query, document).into_iter();
        parts.map(|part| (part.in_words(), part.score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_was_learned_can_be_left_out() {
        let labels = [
            (&[][..], "structural"),
            (&["names"][..], "structural-nameless"),
            (&["names", "learned"][..], "structural-nameless-unlearned"),
        ];
        for (out, label) in labels {
            let mut structural = Structural::default();
            for option in out {
                structural.set(option, Some("false")).unwrap();
            }
            assert_eq!(structural.label(), label);
        }
        for (option, value) in [
            ("names", None),
            ("names", Some("maybe")),
            ("k1", Some("2")),
            ("learned", Some("")),
        ] {
            let refused = Structural::default().set(option, value);
            assert!(
                refused.is_err_and(|why| why.contains("names=false")),
                "{option}"
            );
        }
    }
}
