//! Functions to units.
//!
//! A shard is divided into [`parts`](mod@crate::parts) with the same leading block, and all closures of a part are
//! compiled at once. If the compiler misses only names that every programmer takes for granted (`bool`, `size_t`,
//! `uint32_t`, `NULL`), a closure is tried once more under a prelude of a few headers. The unit is then the text with the
//! prelude: a project often gets these names through a header of its own that is not part of the closure. A text of C++
//! with `restrict` in it is tried with a definition of that word. A closure with bodies of helpers from other files is
//! tried once more without them. Closures that compile are made smaller (see [`minimize`](mod@crate::minimize)), and
//! units of C are also compiled as C++.

use std::collections::BTreeSet;

use barecode_records::{
    Closure, Digest, Function, Language, Outcome, Piece, PieceKind, Reason, SetAside, Span, Unit,
};

use crate::minimize::{Small, minimize};
use crate::parts::{in_order, parts};
use crate::printed::first_error;
use crate::token::{directive, words};
use crate::{CheckError, Judge, Question, Verdict, refusal};

/// Compiles every function's closure. Units and `functions` that are set aside stay in their order; `done` is called
/// with the number of functions that are decided.
///
/// # Errors
/// When a verdict is not available, or the compiler for a function's language is missing; a function that does not
/// compile is set aside.
pub fn check_telling(
    functions: &[Function],
    judge: &Judge,
    done: impl Fn(u64) + Sync,
) -> Result<Outcome<Vec<Unit>>, CheckError> {
    let texts = functions
        .iter()
        .map(|function| (function.language, &*function.closure.text));
    let parts = parts(texts);
    let decided = judge.part_pool().each(&parts, |part| {
        let decided = decide(part.iter().map(|&at| &functions[at]), judge);
        done(part.len() as u64);
        decided
    })?;
    let mut checked = Outcome::counting(["functions"]);
    for decided in in_order(parts, decided) {
        match decided {
            Ok(unit) => checked.keep("functions", *unit),
            Err(row) => checked.set_aside("functions", row),
        }
    }
    Ok(checked)
}

/// The same without reports of progress.
///
/// # Errors
/// As [`check_telling`].
pub fn check(functions: &[Function], judge: &Judge) -> Result<Outcome<Vec<Unit>>, CheckError> {
    check_telling(functions, judge, |_| ())
}

/// Decides about the functions of a part: the unit of each, or the row for a function that is set aside.
fn decide<'f>(
    functions: impl Iterator<Item = &'f Function>,
    judge: &Judge,
) -> Result<Vec<Result<Box<Unit>, SetAside>>, CheckError> {
    let mut trials: Vec<Trial<'_>> = functions
        .map(|function| Trial {
            function,
            closure: function.closure.clone(),
            verdict: Verdict::TimeLimit,
        })
        .collect();
    let questions: Vec<Question> = trials.iter().map(Trial::question).collect();
    for (trial, verdict) in trials.iter_mut().zip(judge.judge_all(&questions)?) {
        trial.verdict = verdict;
    }
    retry(&mut trials, judge, Trial::under_prelude)?;
    retry(&mut trials, judge, Trial::with_restrict)?;
    retry(&mut trials, judge, Trial::without_external)?;
    retry(&mut trials, judge, |trial| {
        Trial {
            closure: trial.without_external()?,
            ..trial.clone()
        }
        .under_prelude()
    })?;

    let compiled: Vec<(&Function, &Closure)> = trials
        .iter()
        .filter(|trial| trial.code_bytes().is_some())
        .map(|trial| (trial.function, &trial.closure))
        .collect();
    let small = if judge.config().minimize {
        minimize(&compiled, judge)?
    } else {
        let whole = |(_, closure): &(&Function, &Closure)| Small {
            closure: (*closure).clone(),
            minimized: false,
        };
        compiled.iter().map(whole).collect()
    };
    let are_cpp = are_cpp(&compiled, &small, judge)?;

    let mut kept = small.into_iter().zip(are_cpp);
    let decided = trials.iter().map(|trial| {
        let Some(code_bytes) = trial.code_bytes() else {
            let why = trial.why_not(judge);
            return Ok(Err(SetAside::no_unit(trial.function, why)));
        };
        let (small, is_cpp) = kept.next().expect("every text that compiles was looked at");
        let unit = unit(trial.function, small, is_cpp, code_bytes, judge)?;
        Ok(Ok(Box::new(unit)))
    });
    decided.collect()
}

/// A function, the closure that is tried, and the result.
#[derive(Clone)]
struct Trial<'f> {
    function: &'f Function,
    closure: Closure,
    verdict: Verdict,
}

/// Tries other closures of the functions that were refused. A second refusal is not reported: the first is
/// about the function's own text.
fn retry<'f>(
    trials: &mut [Trial<'f>],
    judge: &Judge,
    other: impl Fn(&Trial<'f>) -> Option<Closure>,
) -> Result<(), CheckError> {
    let again: Vec<(usize, Closure)> = trials
        .iter()
        .enumerate()
        .filter(|(_, trial)| matches!(trial.verdict, Verdict::Refused { .. }))
        .filter_map(|(at, trial)| Some((at, other(trial)?)))
        .collect();
    let questions: Vec<Question> = again
        .iter()
        .map(|(at, closure)| Question::of(trials[*at].function, closure))
        .collect();
    let verdicts = judge.judge_all(&questions)?;
    for ((at, closure), verdict) in again.into_iter().zip(verdicts) {
        if let Verdict::Compiled { .. } = verdict {
            trials[at].closure = closure;
            trials[at].verdict = verdict;
        }
    }
    Ok(())
}

impl Trial<'_> {
    fn question(&self) -> Question {
        Question::of(self.function, &self.closure)
    }

    /// The size of the function's code, if this is a unit. A template has no code and is a unit.
    fn code_bytes(&self) -> Option<u64> {
        match self.verdict {
            Verdict::Compiled { code_bytes } if code_bytes > 0 || self.function.is_template => {
                Some(code_bytes)
            }
            _ => None,
        }
    }

    fn why_not(&self, judge: &Judge) -> (Reason, String) {
        let missing = &self.function.closure.missing_headers;
        let config = judge.config();
        match &self.verdict {
            Verdict::Compiled { .. } => (
                Reason::NoCode,
                format!("no machine code for `{}`", self.function.name),
            ),
            Verdict::Refused { message } if missing.is_empty() => {
                (refusal::reason(message), first_error(message))
            }
            Verdict::Refused { message } => {
                let headers = missing.join(", ");
                (
                    Reason::NeedsThirdParty,
                    format!("{headers}: {}", first_error(message)),
                )
            }
            Verdict::TimeLimit => (
                Reason::TimeLimit,
                format!("{} s of processor time", config.seconds),
            ),
            Verdict::MemoryLimit => (
                Reason::MemoryLimit,
                format!("{} MiB of memory", config.memory_mib),
            ),
            Verdict::OutputLimit => (
                Reason::OutputLimit,
                format!("{} KiB of output", config.output_kib),
            ),
        }
    }

    /// The closure with the prelude in front, where that may help.
    fn under_prelude(&self) -> Option<Closure> {
        let Verdict::Refused { message } = &self.verdict else {
            return None;
        };
        let prelude = refusal::prelude(message, self.function.language)?;
        Some(self.behind(prelude))
    }

    /// The closure of C++ with `restrict` spelled as the compiler knows it, where the text has that word of C:
    /// projects that use it are built with such a definition.
    fn with_restrict(&self) -> Option<Closure> {
        let mut words = words(&self.closure.text);
        let is_used = self.function.language == Language::CPP
            && matches!(self.verdict, Verdict::Refused { .. })
            && words.any(|word| word == "restrict");
        is_used.then(|| self.behind("#define restrict __restrict__\n"))
    }

    /// The closure with these lines of directives in front; the positions in it move back.
    fn behind(&self, prelude: &str) -> Closure {
        let mut closure = self.closure.clone();
        closure.insert(0, prelude);
        if !closure.pieces.is_empty() {
            let mut at = 0;
            let mut lines = Vec::new();
            for line in prelude.lines() {
                let end = at + line.len();
                let (kind, name) = match directive(line) {
                    ("include", _) => (
                        PieceKind::Header,
                        line.trim_start_matches("#include <").trim_end_matches('>'),
                    ),
                    (_, name) => (PieceKind::Directive, name),
                };
                lines.push(Piece {
                    kind,
                    span: Span::from(at..end),
                    names: vec![name.to_owned()],
                    external: false,
                });
                at = end + 1;
            }
            closure.pieces.splice(0..0, lines);
        }
        closure
    }

    /// The closure without the bodies from other files, where it has any.
    fn without_external(&self) -> Option<Closure> {
        let closure = &self.closure;
        let first = closure.pieces.iter().position(|piece| piece.external)?;
        let start = closure.pieces[first].span.start;
        let kept = closure.text.get(..start as usize)?;
        let mut shorter = closure.clone();
        shorter.text = format!("{}\n", kept.trim_end());
        let dropped = shorter.pieces.split_off(first);
        let inside = |span: Span| span.start < start;
        let names = dropped
            .iter()
            .filter(|piece| piece.kind == PieceKind::Helper)
            .flat_map(|piece| piece.names.iter().cloned());
        let external: BTreeSet<String> = closure
            .helper_external
            .iter()
            .cloned()
            .chain(names)
            .collect();
        shorter.helper_external = external.into_iter().collect();
        shorter.helpers.retain(|helper| inside(helper.span));
        let items = dropped.iter().filter(|piece| is_item(piece.kind)).count();
        shorter.items = shorter
            .items
            .saturating_sub(u32::try_from(items).unwrap_or(u32::MAX))
            .max(1);
        inside(closure.target).then_some(shorter)
    }
}

/// Returns `true` if a piece counts among a closure's items.
pub(crate) fn is_item(kind: PieceKind) -> bool {
    !matches!(kind, PieceKind::Header | PieceKind::Scope)
}

/// Of each text, if it is one of C, whether it is C++ too.
fn are_cpp(
    functions: &[(&Function, &Closure)],
    small: &[Small],
    judge: &Judge,
) -> Result<Vec<Option<bool>>, CheckError> {
    let mut answers = vec![None; functions.len()];
    let Some(cpp) = judge.cpp().filter(|_| judge.config().compiles_as_cpp) else {
        return Ok(answers);
    };
    let mut open = Vec::new();
    for (at, ((function, _), small)) in functions.iter().zip(small).enumerate() {
        if function.language != Language::C {
            continue;
        }
        let question = Question::of(function, &small.closure);
        let key = Digest::new("is C++")
            .field(judge.digest())
            .field(cpp.digest())
            .field(&question.text)
            .hex();
        match judge.cache.note(&key)? {
            Some(note) => answers[at] = Some(note == "yes"),
            None => open.push((at, key, question)),
        }
    }
    let questions: Vec<&Question> = open.iter().map(|(_, _, question)| question).collect();
    let errors = judge.errors(&questions, Language::CPP)?;
    for ((at, key, _), errors) in open.iter().zip(errors) {
        let is_cpp = errors.is_none();
        answers[*at] = Some(is_cpp);
        judge
            .cache
            .put_note(key, if is_cpp { "yes" } else { "no" })?;
    }
    Ok(answers)
}

fn unit(
    function: &Function,
    small: Small,
    compiles_as_cpp: Option<bool>,
    code_bytes: u64,
    judge: &Judge,
) -> Result<Unit, CheckError> {
    let toolchain = judge.toolchain(function.language)?.clone();
    Ok(Unit {
        minimized: small.minimized,
        compiles_as_cpp,
        code_bytes,
        ..Unit::of(function, small.closure, toolchain)
    })
}
