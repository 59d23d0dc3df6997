//! A text and its symbols → the text under other names.
//!
//! 1. [`Symbols`]: the positions of names, and those that stay; `corpus::symbols` has an analysis for each language
//! 2. [`Plan`]: the extent of trust in the analysis, and the other names that stay
//! 3. [`Mapping`]: the new names, which a [`Naming`] makes
//! 4. `rewrite`: the text under them
//!
//! This module does not depend on the language of a text. No two names get the same new one, in any name spaces, so a
//! renaming cannot capture.

mod mapping;
mod plan;
mod rewrite;

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_corpus::analyzed;
use barecode_corpus::spellings::{Spellings, spelled};
use barecode_corpus::symbols::lexical::Alone;
use barecode_corpus::symbols::{Analyzed, Stays, Symbols, Unreadable};
use barecode_records::{Closure, HelperSpan, KeptName, Language, Renaming, Span, Unit};

pub use mapping::Mapping;
pub(crate) use mapping::next;
pub use plan::{Plan, Spaces};
pub use rewrite::{Clash, Rewritten, gives_back, rewrite};

use crate::dose::Choice;
use crate::naming::Naming;

/// A file under other names.
#[derive(Debug, Clone, PartialEq)]
pub struct Renamed {
    /// The file.
    pub text: String,
    /// The span of the target in it.
    pub target: Span,
    /// The target's new name.
    pub function: String,
    /// The spans of its direct helpers, with their names.
    pub helpers: Vec<HelperSpan>,
    /// The changed names, in order of first appearance.
    pub renamed: Vec<Renaming>,
    /// The names that were not changed.
    pub kept: Vec<KeptName>,
    /// The characters of the target's text in changed identifiers, as a share of all (CLARC, appendix F.5).
    pub perturbation: f64,
    /// The number of identifiers of the target that are names of the project, and the number of these that stay.
    pub own: (u32, u32),
    /// Every replaced identifier: its range in the unit's file, and the range of its new name in this text.
    pub replaced: Vec<(Range<usize>, Range<usize>)>,
}

/// A function and its file, read once for any number of renamings.
pub struct Analysis<'a> {
    closure: &'a Closure,
    function: &'a str,
    /// The positions of names of the project in the function, in order.
    own: Vec<usize>,
    analyzed: Analyzed<'a>,
}

impl<'a> Analysis<'a> {
    /// Reads the closure of the function named `function`.
    ///
    /// # Errors
    /// [`Unreadable`] when the file cannot be read as one translation unit or module.
    pub fn of(
        closure: &'a Closure,
        function: &'a str,
        language: Language,
    ) -> Result<Analysis<'a>, Unreadable> {
        let analyzed = analyzed(closure, function, language)?;
        Ok(Analysis::from(closure, function, analyzed))
    }

    /// Reads a unit by spelling, as its source spells its names.
    ///
    /// # Errors
    /// [`Unreadable`] when its file cannot be read.
    pub fn spelled(unit: &'a Unit, spellings: &Spellings) -> Result<Analysis<'a>, Unreadable> {
        let analyzed = spelled(&unit.closure, &unit.origin.path, spellings, false)?;
        Ok(Analysis::from(&unit.closure, &unit.name, analyzed))
    }

    /// Reads the unit once more, with names of other packages, which are no names of the project.
    ///
    /// # Errors
    /// [`Unreadable`] when its file cannot be read.
    pub fn with_foreign(
        &self,
        unit: &'a Unit,
        spellings: &Spellings,
    ) -> Result<Analysis<'a>, Unreadable> {
        let analyzed = spelled(&unit.closure, &unit.origin.path, spellings, true)?;
        Ok(Analysis {
            own: self.own.clone(),
            analyzed,
            ..*self
        })
    }

    fn from(closure: &'a Closure, function: &'a str, analyzed: Analyzed<'a>) -> Analysis<'a> {
        let symbols = &analyzed.symbols;
        let may_change = symbols.occurrences().iter().map(|one| one.range.start);
        // A name that certainly belongs to other code is not a name of the project.
        let stay = symbols
            .fixed()
            .iter()
            .filter(|fixed| fixed.stays.reported().is_some() && fixed.stays != Stays::Elsewhere);
        let target = closure.target.start as usize..closure.target.end as usize;
        let own = may_change.chain(stay.map(|fixed| fixed.range.start));
        let mut own: Vec<usize> = own.filter(|at| target.contains(at)).collect();
        own.sort_unstable();
        Analysis {
            closure,
            function,
            own,
            analyzed,
        }
    }

    /// Checks that the file has the same meaning under other names, as far as reading shows; an error names the
    /// difference.
    pub(crate) fn same(&self, renamed: &Renamed) -> Result<(), &'static str> {
        if !gives_back(&renamed.text, &self.closure.text, &renamed.replaced) {
            return Err("undoing it does not give back the unit");
        }
        (self.analyzed.same)(&renamed.text)
    }

    /// The names of the file.
    pub fn symbols(&self) -> &Symbols {
        &self.analyzed.symbols
    }

    /// The file under new names, those of them that are chosen.
    ///
    /// # Errors
    /// [`Clash`] if two names would become one.
    pub fn renamed(
        &self,
        naming: &mut dyn Naming,
        choice: &Choice,
        plan: &Plan,
    ) -> Result<Renamed, Clash> {
        let mapping = Mapping::of(self.symbols(), naming, choice, plan);
        let rewritten = rewrite(&self.closure.text, &mapping)?;
        let helper = |helper: &HelperSpan| HelperSpan {
            name: mapping.function(&helper.name),
            function_id: helper.function_id.clone(),
            span: rewritten.span(helper.span),
        };
        let target = self.closure.target;
        let characters = target.of(&self.closure.text).chars().count().max(1);
        let bytes = target.start as usize..target.end as usize;
        let inside = rewritten
            .replaced
            .iter()
            .filter(|(old, _)| bytes.contains(&old.start));
        let changed: usize = inside
            .filter_map(|(old, _)| Some(self.symbols().name_at(old.start)?.chars().count()))
            .sum();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let changed_own = rewritten.replaced.iter();
        let changed_own = changed_own.filter(|(old, _)| self.own.binary_search(&old.start).is_ok());
        let own = (self.own.len(), self.own.len() - changed_own.count());
        Ok(Renamed {
            own: (count(own.0), count(own.1)),
            target: rewritten.span(target),
            function: mapping.function(self.function),
            helpers: self.closure.helpers.iter().map(helper).collect(),
            perturbation: changed as f64 / characters as f64,
            renamed: mapping.renamings(),
            kept: kept(&self.closure.text, &mapping),
            text: rewritten.text,
            replaced: rewritten.replaced,
        })
    }
}

/// A text that stands alone under new names; with `all_new`, none of them is an old name of the text.
///
/// # Panics
/// Never while namings return free names only.
pub fn renamed_alone(alone: &Alone, naming: &mut dyn Naming, all_new: bool) -> String {
    let plan = Plan {
        all_new,
        ..Plan::new(Spaces::Joined)
    };
    let mapping = Mapping::of(&alone.symbols, naming, &Choice::all(), &plan);
    let rewritten = rewrite(&alone.text, &mapping);
    // By spelling no name is built of pieces, so every new name is as the naming made it.
    rewritten
        .expect("a naming gives a free name to each name")
        .text
}

/// The names that stay in some positions, with the reasons.
fn kept(text: &str, mapping: &Mapping<'_>) -> Vec<KeptName> {
    let symbols = mapping.symbols();
    let mut kept: BTreeSet<(&str, &str)> = BTreeSet::new();
    for occurrence in symbols.occurrences() {
        let name = symbols.symbols()[occurrence.symbol].name;
        if let Some(reason) = mapping.stays(name) {
            kept.insert((&symbols.names()[name].text, reason));
        }
    }
    let foreign = mapping.plan().foreign.iter();
    kept.extend(
        foreign
            .filter_map(|&byte| symbols.name_at(byte))
            .map(|name| (name, KeptName::ELSEWHERE)),
    );
    kept.extend(symbols.reported(text));
    let named = |(name, reason): (&str, &str)| KeptName {
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    kept.into_iter().map(named).collect()
}
