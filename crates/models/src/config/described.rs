//! The items that short forms and tables `[[model]]` describe: models, and other kinds that a caller defines.
//!
//! A command line has one option for all that lists documents, and some of it is not a model. Such kinds are read by
//! the caller that defines them; the parts that they share with models (positions in errors, the nearest kind,
//! duplicate names) are in this file once.

use serde::Deserializer;

use super::ModelSpec;

/// The item that a short form or a table describes: a [`ModelSpec`], or another kind that a caller defines.
pub trait Described: From<ModelSpec> {
    /// The kinds that are not models.
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

    /// The item that a short form of one of these kinds describes; `options` is the text behind the kind, if there is
    /// one.
    ///
    /// # Errors
    /// A problem with the options.
    fn of_form(form: &str, kind: &str, options: &str) -> Result<Self, String>;

    /// The item that a table of one of these kinds describes.
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
    /// The option, even if it is not written.
    pub key: String,
    /// The problem.
    pub why: String,
    /// The advice for the user.
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
