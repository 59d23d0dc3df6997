//! A language's way from file to proof: the tasks of a front end.
//!
//! A front end decides nothing that only a compiler can decide. `check` runs a compiler to see whether a closure
//! stands alone, and `settings` to see whether a renamed one means the same, if
//! [`judged`](barecode_languages::judged) names a compiler as the judge. All other code of barecode calls the front
//! end and does not know the language.

use std::collections::BTreeSet;

use barecode_records::{Account, Closure, Function, Language, Quoted, Reason, Spelled, Spool};
use barecode_sources::{Content, Source};
use barecode_trees::Ours;

use crate::extract::found::Found;
use crate::extract::{Draw, ExtractConfig};
use crate::preprocess::headers::Dialects;
use crate::symbols::{Analyzed, Unreadable};

/// A language's way from file to proof.
pub(crate) trait FrontEnd: Sync {
    /// Finds the functions of the files at these paths, and enters them for the draw; the returned function closes
    /// those that are drawn, and may be called several times.
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        paths: Vec<String>,
        draw: &mut Draw<'_>,
        account: &mut Account,
    ) -> Close<'s>;

    /// Fails if the closure of a function does not stand alone, as far as reading it shows.
    fn judge(&self, _: &Function) -> Result<(), (Reason, String)> {
        Ok(())
    }

    /// The identifiers of a text, by position, and the owner of each; none in languages that are compiled.
    ///
    /// # Errors
    /// If it cannot be read.
    fn spellings(&self, _: &str, _: Language, _: &dyn Ours) -> Result<Vec<Spelled>, Unreadable> {
        Ok(Vec::new())
    }

    /// The insides of the string literals of a text, and its symbols, by position.
    ///
    /// # Errors
    /// If it cannot be read.
    fn quoted(&self, text: &str, language: Language) -> Result<Vec<Quoted>, Unreadable>;

    /// Checks that another text has the same tokens but for names; an error names the difference.
    fn is_alike(&self, _: &str, _: &str, _: Language) -> Result<(), &'static str> {
        Ok(())
    }

    /// The names of a closure, and a check that another text means the same.
    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        function: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable>;
}

/// The files whose content is in memory at once, and their bytes.
const TOGETHER: (usize, u64) = (512, 4 << 20);

/// Files of a source in parts of which memory holds all at once. A file that is larger by itself is a part.
pub(crate) fn together<'p>(
    source: &Source,
    mut paths: &'p [String],
) -> impl Iterator<Item = &'p [String]> {
    let bytes = |path: &String| match source.files().get(path).map(|file| &file.content) {
        Some(Content::Bytes(bytes)) => bytes.len() as u64,
        _ => 0,
    };
    std::iter::from_fn(move || {
        let (mut files, mut sum) = (0, 0);
        for path in paths.iter().take(TOGETHER.0) {
            sum += bytes(path);
            if files > 0 && sum > TOGETHER.1 {
                break;
            }
            files += 1;
        }
        let (part, rest) = paths.split_at(files);
        paths = rest;
        (!part.is_empty()).then_some(part)
    })
}

/// The request to extract a source.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'s> {
    pub(crate) source: &'s Source,
    pub(crate) config: &'s ExtractConfig,
    pub(crate) headers: &'s Dialects,
    /// The files whose functions are requested; the others are read because these need them.
    pub(crate) mined: &'s BTreeSet<String>,
    /// The texts of the functions that are found.
    pub(crate) texts: &'s Spool,
}

/// Closes functions that were found; an error is the bound that a closure passed.
pub(crate) type Close<'s> = Box<dyn Fn(Vec<Found>) -> Vec<Closed> + Sync + 's>;

/// A function and its result.
pub(crate) type Closed = (Found, Result<Function, String>);
