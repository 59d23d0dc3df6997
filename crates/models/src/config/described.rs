//! What short forms and tables `[[model]]` describe: models, and what a caller names in the same places.
//!
//! A command line has one option for all that lists documents, and some of it is no model. Such kinds are read by whoever has
//! them; what they share with models (places in errors, the nearest kind, names that come twice) is here once.

use serde::Deserializer;

use super::ModelSpec;

/// What a short form or a table describes: a [`ModelSpec`], or something that a caller names beside models.
pub trait Described: From<ModelSpec> {
    /// The kinds that are no models.
    fn kinds() -> &'static [&'static str] {
        &[]
    }

    /// The options of these kinds.
    fn options() -> &'static [&'static str] {
        &[]
    }

    /// Their short forms in a hint, each with a comma behind it.
    fn forms() -> &'static str {
        ""
    }

    /// What a short form of one of these kinds describes; `options` is what stands behind the kind, if anything does.
    ///
    /// # Errors
    /// A problem with the options.
    fn of_form(form: &str, kind: &str, options: &str) -> Result<Self, String>;

    /// What a table of one of these kinds describes.
    ///
    /// # Errors
    /// Values of another type; the option that is refused.
    fn of_table<'de, D: Deserializer<'de>>(table: D) -> Result<Result<Self, Refused>, D::Error>;

    /// Its name.
    fn name(&self) -> &str;
}

/// An option of a table that is refused.
#[derive(Debug)]
pub struct Refused {
    /// The option, whether or not it is written.
    pub key: String,
    /// The problem.
    pub why: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

impl Refused {
    /// A problem with an option.
    pub fn new(key: &str, why: impl Into<String>) -> Self {
        Refused {
            key: key.to_owned(),
            why: why.into(),
            hint: None,
        }
    }
}

impl Described for ModelSpec {
    fn of_form(_: &str, kind: &str, _: &str) -> Result<Self, String> {
        Err(format!("`{kind}` is not a kind of model"))
    }

    fn of_table<'de, D: Deserializer<'de>>(table: D) -> Result<Result<Self, Refused>, D::Error> {
        super::table::of_model(table)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
