//! The tables that were learned from pairs of a comment and its function: the words that people use for each
//! construct.
//!
//! Two linear encoders produce a vector of a sentence and one of a rendering; their similarity is added to the score.
//! Because they are linear, the score is still a sum over the words of the sentence. The tables in `data/learned.bin`
//! were learned by `tools/teach` from the functions that `recipes/structural` names; the code that it builds on is
//! public here.

pub mod features;
pub mod table;

use std::sync::OnceLock;

use crate::query::Question;
use crate::rendering::Rendering;
use crate::stems::Stems;
use table::{DIMENSIONS, Table, Vector, normalize};

pub use barecode_vocabulary::said::types;

/// Tables of a learned part.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    pub(crate) queries: Table,
    pub(crate) documents: Table,
}

/// The first bytes of tables: name and version.
const HEAD: &[u8; 8] = b"barelrn2";

impl Learned {
    /// The tables that barecode ships with; `None` if these bytes are not tables.
    pub fn shipped() -> &'static Option<Learned> {
        static SHIPPED: OnceLock<Option<Learned>> = OnceLock::new();
        SHIPPED.get_or_init(|| Learned::read(include_bytes!("../data/learned.bin")))
    }

    /// The tables of sentences and of code.
    pub fn new(queries: Table, documents: Table) -> Self {
        Learned { queries, documents }
    }

    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = HEAD.to_vec();
        self.queries.write(&mut out);
        self.documents.write(&mut out);
        out
    }

    /// Reads tables from bytes; `None` if the bytes are something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(HEAD)?;
        let queries = Table::read(&mut rest)?;
        let documents = Table::read(&mut rest)?;
        rest.is_empty().then_some(Learned::new(queries, documents))
    }

    /// The number of features of sentences and of code.
    pub fn features(&self) -> [usize; 2] {
        [self.queries.len(), self.documents.len()]
    }

    /// The vector of a rendering, of length 1; zeros if nothing in it is known.
    pub(crate) fn document(&self, rendering: &Rendering, stems: &mut Stems) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for (feature, count) in features::document(rendering, stems) {
            self.documents.add(feature, count, &mut sum);
        }
        normalize(&mut sum);
        sum
    }

    /// The vector of a sentence, and what each of its words adds to it, in alphabetical order.
    pub(crate) fn query(
        &self,
        question: &Question,
        stems: &mut Stems,
    ) -> (Vector, Vec<(String, Vector)>) {
        let mut sum = [0.0; DIMENSIONS];
        let mut parts = Vec::new();
        for (feature, (word, count)) in features::query(question, true, stems) {
            let mut part = [0.0; DIMENSIONS];
            if self.queries.add(feature, count, &mut part) {
                for (sum, part) in sum.iter_mut().zip(&part) {
                    *sum += part;
                }
                parts.push((word, part));
            }
        }
        let length = normalize(&mut sum);
        if length > 0.0 {
            for part in parts.iter_mut().flat_map(|(_, part)| part) {
                *part /= length;
            }
        }
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        (sum, parts)
    }
}
