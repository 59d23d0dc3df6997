//! A language's way from file to proof: what a front end does.
//!
//! What a front end does not say is what only a compiler can: `check` asks one whether a closure stands alone, and
//! `settings` whether a renamed one means the same, where [`judged`](barecode_languages::judged) says that a compiler
//! judges. Everything else of barecode asks the front end and does not know the language.

use std::collections::BTreeSet;

use barecode_records::{Closure, Function, Language, Outcome, Quoted, Reason, Spelled};
use barecode_sources::Source;
use barecode_trees::Ours;

use crate::extract::ExtractConfig;
use crate::extract::found::Found;
use crate::preprocess::headers::Dialects;
use crate::symbols::{Analyzed, Unreadable};

/// A language's way from file to proof.
pub(crate) trait FrontEnd: Sync {
    /// Finds the functions of the files with these texts; what it returns beside them closes those that are drawn.
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        texts: Vec<(String, String)>,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> (Vec<Found>, Close<'s>);

    /// Why the closure of a function does not stand alone, as far as reading it shows.
    fn judge(&self, _: &Function) -> Result<(), (Reason, String)> {
        Ok(())
    }

    /// The identifiers of a text, by place, and whose each is; none in languages that are compiled.
    ///
    /// # Errors
    /// If it cannot be read.
    fn spellings(&self, _: &str, _: Language, _: &dyn Ours) -> Result<Vec<Spelled>, Unreadable> {
        Ok(Vec::new())
    }

    /// The insides of the string literals of a text, and its symbols, by place.
    ///
    /// # Errors
    /// If it cannot be read.
    fn quoted(&self, text: &str, language: Language) -> Result<Vec<Quoted>, Unreadable>;

    /// Whether another text has the same tokens but for names; an error is what differs.
    fn is_alike(&self, _: &str, _: &str, _: Language) -> Result<(), &'static str> {
        Ok(())
    }

    /// The names of a closure, and what shows whether another text means the same.
    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        function: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable>;
}

/// What is asked of a source.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'s> {
    pub(crate) source: &'s Source,
    pub(crate) config: &'s ExtractConfig,
    pub(crate) headers: &'s Dialects,
    /// The files whose functions are wanted; the others are read for what these need.
    pub(crate) mined: &'s BTreeSet<String>,
}

/// Closes functions that were found; an error is the bound that a closure passed.
pub(crate) type Close<'s> = Box<dyn FnOnce(Vec<Found>) -> Vec<Closed> + 's>;

/// A function and what became of it.
pub(crate) type Closed = (Found, Result<Function, String>);
