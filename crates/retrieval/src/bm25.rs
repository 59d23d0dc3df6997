//! The five forms of BM25.
//!
//! The score of a document for a query is the sum over the query's terms, repetitions included, of `idf · tfc`,
//! with `tf` the term's count in the document, `df` the number of documents that have it, `N` the number of
//! documents, lengths counted in terms after analysis, and `K = k1 · (1 - b + b · length / mean length)`:
//!
//! | form | idf | tfc |
//! | --- | --- | --- |
//! | `lucene` | ln(1 + (N - df + 0.5) / (df + 0.5)) | tf / (K + tf) |
//! | `robertson` | ln((N - df + 0.5) / (df + 0.5)), at least 0 | tf / (K + tf) |
//! | `atire` | ln(N / df) | (k1 + 1) · tf / (K + tf) |
//! | `bm25l` | ln((N + 1) / (df + 0.5)) | (k1 + 1) · (c + delta) / (k1 + c + delta), c = k1 · tf / K |
//! | `bm25+` | ln((N + 1) / df) | (k1 + 1) · tf / (K + tf) + delta |
//!
//! These are the formulas of Kamphuis et al. (*Which BM25 do you mean?*, ECIR 2020, table 1) as `bm25s` 0.3.16
//! has them. Lucene itself rounds lengths to eight bits, which is left out here.
//!
//! In `bm25l` and `bm25+` a term that a document lacks still adds something, the same to every document. That part is
//! the query's [`base`](Formula::base); the gain of a document beyond it is the [`Formula::gain`], which is 0 without
//! the term and grows with `tf`. So all five forms are searched in one way.

use crate::options::{Bm25, Form};

/// A form with its parameters, for a corpus of some mean length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Formula {
    form: Form,
    k1: f64,
    b: f64,
    delta: f64,
    mean_length: f64,
    documents: f64,
}

impl Formula {
    pub(crate) fn new(options: &Bm25, documents: usize, mean_length: f64) -> Self {
        Formula {
            form: options.form,
            k1: options.k1,
            b: options.b,
            delta: options.delta,
            mean_length,
            documents: documents as f64,
        }
    }

    /// The weight of a term that `df` documents have; never negative.
    pub(crate) fn idf(&self, df: u32) -> f64 {
        let (n, df) = (self.documents, f64::from(df));
        match self.form {
            Form::Lucene => (1.0 + (n - df + 0.5) / (df + 0.5)).ln(),
            Form::Robertson => ((n - df + 0.5) / (df + 0.5)).max(1.0).ln(),
            Form::Atire => (n / df).ln(),
            Form::Bm25l => ((n + 1.0) / (df + 0.5)).ln(),
            Form::Bm25Plus => ((n + 1.0) / df).ln(),
        }
    }

    /// The penalty of a document with `length` terms: the `K` of the module's formula without `k1`.
    pub(crate) fn norm(&self, length: u32) -> f64 {
        (1.0 - self.b) + self.b * f64::from(length) / self.mean_length
    }

    /// The gain of a document that has the term `tf` times, `tf` above 0, in units of the term's idf.
    pub(crate) fn gain(&self, tf: u32, norm: f64) -> f64 {
        let tf = f64::from(tf);
        let k1 = self.k1;
        match self.form {
            Form::Lucene | Form::Robertson => tf / (k1 * norm + tf),
            Form::Atire | Form::Bm25Plus => (tf * (k1 + 1.0)) / (tf + k1 * norm),
            Form::Bm25l => {
                let c = tf / norm + self.delta;
                // A sum that rounds down must not fall below the part that comes without the term.
                (((k1 + 1.0) * c) / (k1 + c) - self.base()).max(0.0)
            }
        }
    }

    /// The part that every document has of a term, with or without it, in units of the term's idf.
    pub(crate) fn base(&self) -> f64 {
        match self.form {
            Form::Lucene | Form::Robertson | Form::Atire => 0.0,
            Form::Bm25l if self.delta == 0.0 => 0.0,
            Form::Bm25l => ((self.k1 + 1.0) * self.delta) / (self.k1 + self.delta),
            Form::Bm25Plus => self.delta,
        }
    }

    /// A bound of [`gain`](Formula::gain) for any document.
    pub(crate) fn most(&self) -> f64 {
        match self.form {
            Form::Lucene | Form::Robertson => 1.0,
            Form::Atire | Form::Bm25Plus => self.k1 + 1.0,
            Form::Bm25l => self.k1 + 1.0 - self.base(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_forms_worked_by_hand() {
        // N = 4, df = 1, tf = 2, length 6 of 4 on average, k1 = 1.2, b = 0.5: norm 1.25, K = 1.5.
        let of = |form| {
            let options = Bm25 {
                form,
                k1: 1.2,
                b: 0.5,
                delta: 0.5,
                ..Bm25::PLAIN
            };
            let formula = Formula::new(&options, 4, 4.0);
            let tfc = formula.gain(2, formula.norm(6)) + formula.base();
            (formula.idf(1), tfc)
        };
        let close = |(idf, tfc): (f64, f64), (expected_idf, expected_tfc): (f64, f64)| {
            assert!((idf - expected_idf.ln()).abs() < 1e-15, "{idf}");
            assert!((tfc - expected_tfc).abs() < 1e-15, "{tfc}");
        };
        close(of(Form::Lucene), (1.0 + 3.5 / 1.5, 2.0 / 3.5));
        close(of(Form::Robertson), (3.5 / 1.5, 2.0 / 3.5));
        close(of(Form::Atire), (4.0, 4.4 / 3.5));
        close(of(Form::Bm25l), (5.0 / 1.5, 2.2 * 2.1 / 3.3));
        close(of(Form::Bm25Plus), (5.0, 4.4 / 3.5 + 0.5));
    }

    proptest! {
        #[test]
        fn gains_grow_with_the_count_up_to_their_bound(
            form in prop::sample::select(Form::ALL.to_vec()),
            k1 in 0.0..5.0_f64,
            b in 0.0..=1.0_f64,
            delta in 0.0..2.0_f64,
            length in 1_u32..10_000,
            tf in 1_u32..500,
        ) {
            let options = Bm25 { form, k1, b, delta, ..Bm25::PLAIN };
            let formula = Formula::new(&options, 100, 50.0);
            let norm = formula.norm(length);
            let (less, more) = (formula.gain(tf, norm), formula.gain(tf + 1, norm));
            prop_assert!(0.0 <= less && less <= more * (1.0 + 1e-14) + 1e-14);
            prop_assert!(more <= formula.most() * (1.0 + 1e-14) + 1e-14);
            prop_assert!(formula.idf(60) >= 0.0);
        }
    }
}
