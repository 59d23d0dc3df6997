//! A renamed unit is compiled, and its object compared with the unit's.
//!
//! The unit was compiled among others; for the comparison it is compiled once by itself, as its variants are. Renamed
//! units of C are compiled together with the unit first: if all of the assembly is equal but for names, so are the
//! objects, and none is made.
//!
//! Stripped objects contain no names, so a renaming that changed nothing else leaves the same bytes: that is
//! [`Proof::Object`]. If names become data (`assert`, `#x`, `__func__`), the machine code alone is compared:
//! [`Proof::Code`]. A template has no object code by itself, so for a template undoing the renaming must restore the
//! unit: [`Proof::Text`]. Anything else is not a variant.
//!
//! A first renaming may fail if the text does not identify each name. Coarser ones are tried then, proven the same
//! way: name spaces are distinguished in fewer positions, then not at all; finally the names that the compiler misses
//! (members of a standard type that a macro reaches, say) are left as they were. In C++ its errors show the position,
//! so only that one identifier is (`size` in `items.size()`, if the project has a `size`).
//!
//! For languages that are not compiled, the front end checks that the renamed text has the same meaning. In Python
//! every name has to keep its binding, and each variable of the unit has to be exactly one of the variant. For
//! languages that tree-sitter reads, the tree has to have the same shape and names the same meaning as far as a
//! grammar shows it. And undoing the renaming has to restore the unit: [`Proof::Text`].
//!
//! A renaming by spelling is not proven for bindings: the identifiers that differ are those of the source's map,
//! undoing it restores the unit, and the text is parsed to the same shape: [`Proof::Spelled`].

use std::collections::{BTreeMap, BTreeSet};

use barecode_check::{CheckError, Complaint, Judge, NoObject, Object, Question, Verdict};
use barecode_corpus::symbols::Unreadable;
use barecode_records::{Language, Proof, Reason, Renaming, Unit};

use crate::SourceMaps;
use crate::dose::Choice;
use crate::naming::Naming;
use crate::neutralized::Neutralized;
use crate::rename::{Analysis, Plan, Renamed, Spaces, gives_back};

/// The renamed file and the proof that its meaning is the same, or the reason why there is none, with its detail.
pub type Proven = Result<(Renamed, Proof), (Reason, String)>;

/// The number of repairs, each of which returns old names, before a renaming is given up.
const REPAIRS: usize = 6;

/// Makes a fresh naming for each attempt.
pub type Namings<'a> = dyn Fn() -> Box<dyn Naming> + 'a;

/// Proves renamings of one unit, which it reads once.
pub struct Prover<'a>(By<'a>);

/// The means by which a renaming is proven.
enum By<'a> {
    Compiler(Box<Compiled<'a>>),
    /// By spelling, and with names of other packages, if these are requested.
    Spelled(Box<Analysis<'a>>, Option<Box<Analysis<'a>>>),
    Reading(Box<Analysis<'a>>),
    /// No proof: the unit cannot be read, or alone it reaches a limit.
    Nothing(Reason, String),
}

impl<'a> Prover<'a> {
    /// Creates a prover for the requested variants of a unit; `judge` has the compilers of a language that is
    /// compiled, `names` are those of the source if the renaming goes by spelling. Without requests nothing is read.
    ///
    /// # Errors
    /// If the compiler cannot be run.
    pub fn new<'w>(
        unit: &'a Unit,
        wanted: impl IntoIterator<Item = &'w Wanted<'w>>,
        judge: Option<&'a Judge>,
        names: Option<&SourceMaps>,
    ) -> Result<Prover<'a>, CheckError> {
        let mut wanted = wanted.into_iter().peekable();
        if wanted.peek().is_none() {
            return Ok(Prover(By::Nothing(
                Reason::RenameUnsafe,
                NOTHING_TRIED.to_owned(),
            )));
        }
        let unreadable = |error: Unreadable| By::Nothing(Reason::RenameUnsafe, error.to_string());
        if let Some(names) = names {
            let spellings = names.spellings();
            let foreign = wanted.any(|wanted| wanted.choice.takes_foreign());
            let by = Analysis::spelled(unit, spellings).and_then(|analysis| {
                let foreign = foreign.then(|| analysis.with_foreign(unit, spellings).map(Box::new));
                Ok(By::Spelled(Box::new(analysis), foreign.transpose()?))
            });
            return Ok(Prover(by.unwrap_or_else(unreadable)));
        }
        let analysis = Analysis::of(&unit.closure, &unit.name, unit.language);
        Ok(Prover(match (analysis, judge) {
            (Err(error), _) => unreadable(error),
            (Ok(analysis), Some(judge)) => Compiled::proving(unit, wanted, analysis, judge)?,
            (Ok(analysis), None) => By::Reading(Box::new(analysis)),
        }))
    }

    /// Renames the unit, those of its names that are chosen, and proves it.
    ///
    /// # Errors
    /// If the compiler cannot be run.
    pub fn prove(&self, wanted: &Wanted<'_>) -> Result<Proven, CheckError> {
        match &self.0 {
            By::Compiler(compiled) => compiled.prove(wanted),
            By::Reading(analysis) => Ok(by_reading(analysis, Proof::Text, wanted)),
            By::Spelled(analysis, foreign) => {
                let foreign = foreign.as_ref().filter(|_| wanted.choice.takes_foreign());
                let analysis = foreign.unwrap_or(analysis);
                Ok(by_reading(analysis, Proof::Spelled, wanted))
            }
            By::Nothing(reason, detail) => Ok(Err((*reason, detail.clone()))),
        }
    }
}

/// Renames a unit of a language that is not compiled, and proves it.
fn by_reading(analysis: &Analysis<'_>, proof: Proof, wanted: &Wanted<'_>) -> Proven {
    let plan = Plan::new(Spaces::Apart);
    let renamed = analysis
        .renamed(&mut *(wanted.naming)(), &wanted.choice, &plan)
        .map_err(|clash| (Reason::RenameUnsafe, clash.to_string()))?;
    match analysis.same(&renamed) {
        Ok(()) => Ok((renamed, proof)),
        Err(detail) => Err((Reason::ProofFailed, detail.to_owned())),
    }
}

/// The detail for a renaming that was not tried.
const NOTHING_TRIED: &str = "nothing was tried";

/// A unit and the results of its compiler.
///
/// The owners of names do not depend on the new names. For C++, in which only the compiler knows members of standard
/// types, they are determined once, under one fixed naming, and hold for all others.
struct Compiled<'a> {
    unit: &'a Unit,
    analysis: Analysis<'a>,
    judge: &'a Judge,
    /// Renamed texts that were shown to leave the unit's object.
    shown: BTreeSet<String>,
    /// The object of the unit itself; not needed if all requested renamings are shown.
    object: Option<Object>,
    plans: Vec<(Plan, usize)>,
}

/// A renaming that is requested.
pub struct Wanted<'a> {
    /// Makes a fresh naming for each attempt.
    pub naming: Box<Namings<'a>>,
    /// Which names change.
    pub choice: Choice,
}

impl<'a> Compiled<'a> {
    fn proving<'w>(
        unit: &'a Unit,
        wanted: impl Iterator<Item = &'w Wanted<'w>>,
        analysis: Analysis<'a>,
        judge: &'a Judge,
    ) -> Result<By<'a>, CheckError> {
        let plans = match unit.language {
            Language::C => vec![
                (Plan::new(Spaces::Apart), 0),
                (Plan::new(Spaces::ApartWhereSure), 0),
                (Plan::new(Spaces::Joined), 0),
                (Plan::new(Spaces::Apart), REPAIRS),
                (Plan::new(Spaces::Joined), REPAIRS),
            ],
            _ => vec![
                (Plan::new(Spaces::Apart), REPAIRS),
                (Plan::new(Spaces::Joined), REPAIRS),
                (protocols_kept(), REPAIRS),
            ],
        };
        let mut compiled = Compiled {
            unit,
            analysis,
            judge,
            shown: BTreeSet::new(),
            object: None,
            plans,
        };
        if !compiled.show(wanted)? {
            match judge.object(&Question::of_unit(unit))? {
                Ok(object) => compiled.object = Some(object),
                Err(verdict) => {
                    let detail = "the unit alone reaches it".to_owned();
                    return Ok(By::Nothing(limit_of(&verdict), detail));
                }
            }
        }
        if unit.language == Language::CPP {
            compiled.learn()?;
        }
        Ok(By::Compiler(Box::new(compiled)))
    }

    /// Finds the renamings under the first plan that leave the unit's object, all at once; returns true if all do.
    fn show<'w>(
        &mut self,
        wanted: impl Iterator<Item = &'w Wanted<'w>>,
    ) -> Result<bool, CheckError> {
        if self.unit.language != Language::C {
            return Ok(false);
        }
        let Some((plan, _)) = self.plans.first() else {
            return Ok(false);
        };
        let mut all = true;
        let mut questions = Vec::new();
        for wanted in wanted {
            let mut naming = (wanted.naming)();
            match self.analysis.renamed(&mut *naming, &wanted.choice, plan) {
                Ok(renamed) => questions.push(self.question(&renamed)),
                Err(_) => all = false,
            }
        }
        let alike = self
            .judge
            .alike(&Question::of_unit(self.unit), &questions)?;
        for (question, alike) in questions.into_iter().zip(alike) {
            all &= alike;
            if alike {
                self.shown.insert(question.text);
            }
        }
        Ok(all)
    }

    /// The question to the compiler about a renamed unit.
    fn question(&self, renamed: &Renamed) -> Question {
        Question {
            language: self.unit.language,
            text: renamed.text.clone(),
            function: renamed.function.clone(),
            target: renamed.target,
            is_template: self.unit.is_template,
        }
    }

    /// Puts the plan that works under one naming in front.
    fn learn(&mut self) -> Result<(), CheckError> {
        let naming = || -> Box<dyn Naming> { Box::new(Neutralized::default()) };
        for (plan, repairs) in self.plans.clone() {
            if let Tried::Proven(_, _, learned) =
                self.attempt(&naming, &Choice::all(), plan, repairs)?
            {
                self.plans.insert(0, (learned, 1));
                break;
            }
        }
        Ok(())
    }

    fn prove(&self, wanted: &Wanted<'_>) -> Result<Proven, CheckError> {
        let Wanted { naming, choice } = wanted;
        let mut refused = (Reason::RenameUnsafe, NOTHING_TRIED.to_owned());
        for (plan, repairs) in &self.plans {
            match self.attempt(naming, choice, plan.clone(), *repairs)? {
                Tried::Proven(renamed, proof, _) => return Ok(Ok((renamed, proof))),
                Tried::Refused(reason, detail) => refused = (reason, detail),
                Tried::Limit(reason) => return Ok(Err((reason, String::new()))),
            }
        }
        Ok(Err(refused))
    }

    /// Follows one plan, and restores the names that the compiler misses.
    fn attempt(
        &self,
        naming: &Namings<'_>,
        choice: &Choice,
        mut plan: Plan,
        repairs: usize,
    ) -> Result<Tried, CheckError> {
        let mut repair = 0;
        loop {
            let renamed = match self.analysis.renamed(&mut *naming(), choice, &plan) {
                Ok(renamed) => renamed,
                Err(clash) => {
                    return Ok(Tried::Refused(Reason::RenameUnsafe, clash.to_string()));
                }
            };
            if self.shown.contains(&renamed.text) {
                return Ok(Tried::Proven(renamed, Proof::Object, plan));
            }
            let question = self.question(&renamed);
            let (message, errors) = match self.judge.object_or_errors(&question)? {
                Ok(variant) => {
                    return Ok(match self.compare(&variant, &renamed) {
                        Some(proof) => Tried::Proven(renamed, proof, plan),
                        None => Tried::Refused(
                            Reason::ProofFailed,
                            "the machine code differs".to_owned(),
                        ),
                    });
                }
                Err(NoObject {
                    verdict: Verdict::Refused { message },
                    errors,
                }) => (message, errors),
                Err(none) => return Ok(Tried::Limit(limit_of(&none.verdict))),
            };
            let said = (&*message, errors);
            if repair == repairs || !self.give_back(&mut plan, &question, &renamed, said)? {
                let first = message
                    .lines()
                    .find(|line| line.contains("error"))
                    .unwrap_or(&message);
                let detail = first.trim().to_owned();
                return Ok(Tried::Refused(Reason::VariantCompileError, detail));
            }
            repair += 1;
        }
    }

    /// The proof that the variant has the meaning of the unit.
    fn compare(&self, variant: &Object, renamed: &Renamed) -> Option<Proof> {
        if self.unit.is_template {
            // No code is compiled, so equal objects prove nothing.
            let undone = gives_back(&renamed.text, &self.unit.closure.text, &renamed.replaced);
            return undone.then_some(Proof::Text);
        }
        let object = self.object.as_ref()?;
        if variant.fingerprint == object.fingerprint {
            return Some(Proof::Object);
        }
        let same_code = variant.code_fingerprint == object.code_fingerprint;
        (same_code && self.analysis.symbols().names_are_data).then_some(Proof::Code)
    }

    /// Adds the names in the compiler's errors to the plan; returns true if any were found.
    fn give_back(
        &self,
        plan: &mut Plan,
        question: &Question,
        renamed: &Renamed,
        (message, errors): (&str, Option<Vec<Complaint>>),
    ) -> Result<bool, CheckError> {
        if self.unit.language == Language::CPP {
            let complaints = match errors {
                Some(errors) => errors,
                None => self.judge.complaints(question)?,
            };
            let (mut found, mut overrides) = (false, Vec::new());
            let mut all = String::new();
            for complaint in complaints {
                all.push_str("error: ");
                all.push_str(&complaint.message);
                all.push('\n');
                let at = renamed
                    .replaced
                    .partition_point(|(_, new)| new.end <= complaint.byte);
                let Some((old, new)) = renamed.replaced.get(at) else {
                    continue;
                };
                if !new.contains(&complaint.byte) {
                    continue;
                }
                if complaint.message.contains("override") {
                    // A function that overrides one of the standard library has the name of that one.
                    overrides.extend(
                        self.analysis
                            .symbols()
                            .name_at(old.start)
                            .map(str::to_owned),
                    );
                } else if is_missed(&complaint.message)
                    && renamed
                        .text
                        .get(new.clone())
                        .is_some_and(|name| complaint.message.contains(name))
                {
                    found |= plan.foreign.insert(old.start);
                }
            }
            if found {
                return Ok(true);
            }
            let missed = if overrides.is_empty() {
                missed_names(&all, renamed, &plan.kept)
            } else {
                overrides
            };
            let before = plan.kept.len();
            plan.keep(missed);
            return Ok(plan.kept.len() > before);
        }
        let missed = missed_names(message, renamed, &plan.kept);
        let found = !missed.is_empty();
        plan.keep(missed);
        Ok(found)
    }
}

/// The outcome of an attempt.
enum Tried {
    Proven(Renamed, Proof, Plan),
    Refused(Reason, String),
    Limit(Reason),
}

impl Plan {
    fn keep(&mut self, names: Vec<String>) {
        let reason = "the compiler knows it under this name only";
        self.kept
            .extend(names.into_iter().map(|name| (name.into(), reason)));
    }
}

/// Returns `true` if an error reports a missing name, at the position of that name.
fn is_missed(message: &str) -> bool {
    let says = [
        "has no member named",
        "is not a member of",
        "was not declared",
        "has not been declared",
        "does not name a type",
        "no type named",
        "does not have any field named",
        "no matching function for call",
        "is not a class",
        "is not a type",
        "expected",
    ];
    says.iter().any(|phrase| message.contains(phrase))
}

/// A plan that leaves the names that the language and its library look up: it is right if code differs because a
/// function overrides one of the library's.
fn protocols_kept() -> Plan {
    let mut plan = Plan::new(Spaces::Joined);
    let reason = "the language or its library looks for this name";
    let protocols = include_str!("protocols.txt").lines();
    plan.kept
        .extend(protocols.map(|name| (Box::from(name), reason)));
    plan
}

/// The reason of a verdict that is neither an object nor a refusal.
pub(crate) fn limit_of(verdict: &Verdict) -> Reason {
    match verdict {
        Verdict::MemoryLimit => Reason::MemoryLimit,
        Verdict::OutputLimit => Reason::OutputLimit,
        Verdict::TimeLimit => Reason::TimeLimit,
        // An object was requested, so a text that compiles has one.
        Verdict::Refused { .. } | Verdict::Compiled { .. } => Reason::ProofFailed,
    }
}

/// The old names of those that the compiler quotes as unknown: new ones if it knows the old name (members of a
/// standard type), old ones if a string still has them (`alias("f")`, operands of `asm`).
fn missed_names(
    message: &str,
    renamed: &Renamed,
    kept: &BTreeMap<Box<str>, &'static str>,
) -> Vec<String> {
    let mut quoted = Vec::new();
    for line in message.lines().filter(|line| line.contains("error")) {
        let line = line.replace(['\u{2018}', '\u{2019}'], "'");
        let parts: Vec<&str> = line.split('\'').collect();
        // The odd parts are between quotes; `struct x *` quotes more than the name.
        for part in parts.iter().skip(1).step_by(2) {
            quoted.extend(
                part.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .map(str::to_owned),
            );
        }
    }
    let named = |which: fn(&Renaming) -> &String| -> Vec<String> {
        let found = renamed
            .renamed
            .iter()
            .filter(|renaming| quoted.contains(which(renaming)));
        found
            .map(|renaming| renaming.from.clone())
            .filter(|name| !kept.contains_key(name.as_str()))
            .collect()
    };
    // The missing name is an old one; new ones are often quoted only for the position.
    let olds = named(|renaming| &renaming.from);
    if olds.is_empty() {
        named(|renaming| &renaming.to)
    } else {
        olds
    }
}
