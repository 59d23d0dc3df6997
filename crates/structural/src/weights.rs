//! The weights of fields and signatures in a score.

use crate::vocabulary::Field;

/// The parts of a rendering that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Words of names.
    pub names: bool,
    /// The learned part; without it hubs are not held back either.
    pub learned: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            names: true,
            learned: true,
        }
    }
}

/// The weights of fields and signatures. Both sets were chosen on the queries with even numbers of CLARC's group 1,
/// one weight after the other: [`Weights::default`] over its three source settings together, [`Weights::lowered`]
/// over assembly and WebAssembly. `learned` of source was chosen later, on repositories held out from learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The weight of a word in each field, in the order of [`Field::ALL`].
    pub fields: [f64; Field::ALL.len()],
    /// The power that the count of a word in a field is raised to, from 0 (present or not) to 1.
    pub power: f64,
    /// The weighted count at which a word has half of its weight, in a document of mean length.
    pub k1: f64,
    /// The extent to which longer documents are held back, from 0 to 1.
    pub b: f64,
    /// The weight of a trait of an input.
    pub input: f64,
    /// The weight of a trait of the output.
    pub output: f64,
    /// The weight of the number of inputs.
    pub count: f64,
    /// The weight of a trait that several inputs have.
    pub several: f64,
    /// The weight of an operation on small arrays.
    pub operation: f64,
    /// The cost of another operation than those that a sentence names.
    pub other: f64,
    /// The weight of the dimensions of an array.
    pub size: f64,
    /// The cost of a trait that a document has and the sentence, which names others, does not.
    pub unasked: f64,
    /// True if the parts of names in a sentence are asked for too: `findKey` asks for `find` and `key`.
    pub parts: bool,
    /// The largest score that the learned part adds.
    pub learned: f64,
    /// The fraction of a question's highest score that is subtracted from a document whose hub share is 1. Has no effect if
    /// the learned part has no weight.
    pub hubs: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            fields: [1.3, 0.8, 1.0, 0.75, 1.5, 1.25, 1.2, 0.75, 2.5, 0.0],
            power: 0.85,
            k1: 1.6,
            b: 1.0,
            input: 1.0,
            output: 1.0,
            count: 1.9,
            several: 0.5,
            operation: 1.5,
            other: 0.2,
            size: 1.4,
            unasked: 0.65,
            parts: true,
            learned: 10.0,
            hubs: 0.2,
        }
    }
}

impl Weights {
    /// For lowered code: that a value goes in is surer than what it is.
    pub fn lowered() -> Self {
        Weights {
            fields: [0.8, 1.25, 1.0, 0.4, 1.9, 1.25, 1.2, 0.45, 2.5, 0.0],
            power: 0.85,
            k1: 1.3,
            b: 1.0,
            input: 0.4,
            output: 0.5,
            count: 5.0,
            several: 0.4,
            operation: 2.0,
            other: 0.2,
            size: 1.0,
            unasked: 0.8,
            parts: false,
            learned: 20.0,
            hubs: 0.25,
        }
    }

    /// For languages other than C and C++: what was learned counts less. On repositories held out from learning, a higher
    /// weight costs more points as written than it adds without names.
    pub fn other_languages() -> Self {
        Weights {
            learned: 7.0,
            ..Weights::default()
        }
    }

    /// The same with what does not count at 0.
    #[must_use]
    pub fn with(mut self, options: Options) -> Self {
        if let Some(names) = self.fields.get_mut(Field::Names as usize)
            && !options.names
        {
            *names = 0.0;
        }
        if !options.learned {
            self.learned = 0.0;
        }
        self
    }

    /// The weight of a word in a field.
    pub(crate) fn of(&self, field: Field) -> f64 {
        self.fields.get(field as usize).copied().unwrap_or(0.0)
    }
}
