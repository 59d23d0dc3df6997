//! Shared words: documents by how many of a query's words they have, `shared:least=2`.

use barecode_retrieval::{
    Documents, Query, Retriever, RetrieverError, Scored, Scorer, Setting, best,
};

/// Words in common; documents that share fewer than `least` score nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shared {
    least: f64,
}

impl Retriever for Shared {
    fn kind(&self) -> &'static str {
        "shared"
    }

    fn options(&self) -> Vec<(&'static str, Setting)> {
        vec![("least", Setting::Number(self.least))]
    }

    fn set(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        let number = value.and_then(|value| value.parse().ok());
        let unknown = || format!("`shared` has no option `{option}`: write least=NUMBER");
        self.least = number.filter(|_| option == "least").ok_or_else(unknown)?;
        Ok(())
    }

    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError> {
        let words = corpus.texts.iter().map(|text| text.split(' ').collect());
        Ok(Box::new(Corpus(words.collect(), self.least)))
    }
}

struct Corpus<'c>(Vec<Vec<&'c str>>, f64);

impl Scorer for Corpus<'_> {
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let list = |query: &Query<'_>| {
            let score = |words: &Vec<&str>| {
                let shared = query.text.split(' ').filter(|word| words.contains(word));
                let shared = shared.count() as f64;
                if shared < self.1 { 0.0 } else { shared }
            };
            let scores: Vec<f64> = self.0.iter().map(score).collect();
            best(&scores, depth)
        };
        Ok(queries.iter().map(list).collect())
    }
}
