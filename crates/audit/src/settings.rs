//! The residue and the losses of a setting: the audit of the variants of a run.
//!
//! Enters: units and their variants. Leaves: a [`SettingAudit`] for each setting: the number of its texts and the
//! reasons why others are missing, the number of twins and their cost for a perfect model, and the residue that the
//! setting promises to remove. The numbers are not judged: the reader decides which are too high.

use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::preprocess::lex::{TokenKind, lex_with_comments};
use barecode_records::{Id, KeptName, Reason, SetAside, Setting, Unit, Variant};
use barecode_scores::{Measure, Twins, ceiling};
use serde::Serialize;

use crate::left::{LeftOf, OwnNames, left};
use crate::text::{has_word, lines_from};

/// The results for the texts of one setting. For a setting that is drawn, all draws are examined, and numbers of
/// texts are those of the worst draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingAudit {
    /// The setting.
    pub setting: Setting,
    /// Number of draws; 1 for settings that are not drawn.
    pub draws: u32,
    /// Number of texts of a draw.
    pub texts: u32,
    /// Units without a variant, by reason.
    pub lost: BTreeMap<Reason, u32>,
    /// Units that are templates: they have no object code, so a lowered setting has no text for them.
    pub templates: u32,
    /// Texts that another one equals, white space aside.
    pub with_twin: u32,
    /// The most texts that are all alike.
    pub largest_twin_class: u32,
    /// The best R@1, RR and nDCG@10 that a model can expect that knows everything but which twin is meant, each
    /// text being the answer once.
    pub best: [f64; 3],
    /// The residue of the source in the texts.
    pub residue: Residue,
    /// The mean share of a text's characters that are in changed identifiers (CLARC, appendix F.5).
    pub perturbation: Option<f64>,
    /// The share of the project's names that stays; `None` if the setting renames nothing.
    pub left: Option<LeftOf>,
    /// Lines at the same end of more than half of all texts, if they are at least [`BOILERPLATE`].
    pub boilerplate: Option<Boilerplate>,
}

/// The number of texts with each kind of residue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Residue {
    /// A comment.
    pub comments: u32,
    /// A string with a word of three letters or more.
    pub strings: u32,
    /// A name of the project that had to stay, or that stayed all the same; [`SettingAudit::left`] counts them.
    pub names: u32,
    /// A path of a file.
    pub paths: u32,
    /// A number that looks like the address of a loaded program, or a disassembler's comment.
    pub addresses: u32,
}

/// Lines that most texts share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Boilerplate {
    /// True if they begin the texts; else they end them.
    pub at_start: bool,
    /// The number of lines.
    pub lines: u32,
    /// The share of texts that have them.
    pub share: f64,
}

/// Fewer shared lines have no meaning: every function ends in a brace.
pub const BOILERPLATE: usize = 4;

/// Boilerplate is looked for in this many lines at each end.
const LINES: usize = 40;

/// Audits the settings of a run; `lost` are the variants that were set aside, `own` the names of the sources. A setting
/// that lost all of them is audited too.
///
/// # Panics
/// Never: the measures are constants of this function.
pub fn audit_settings(
    units: &[Unit],
    variants: &[Variant],
    lost: &[SetAside],
    own: &OwnNames,
) -> Vec<SettingAudit> {
    let mut draws: BTreeMap<Setting, BTreeSet<Option<u32>>> = BTreeMap::new();
    let kept = variants.iter().map(|row| (row.setting, row.draw));
    let left_out = lost.iter().filter_map(|row| Some((row.setting?, row.draw)));
    for (setting, draw) in kept.chain(left_out) {
        draws.entry(setting).or_default().insert(draw);
    }
    let mut left = left(units, variants, own);
    let templates = units.iter().filter(|unit| unit.is_template).count();
    let mut of_draw: BTreeMap<(Setting, Option<u32>), Vec<&Variant>> = BTreeMap::new();
    for variant in variants {
        let key = (variant.setting, variant.draw);
        of_draw.entry(key).or_default().push(variant);
    }
    draws
        .into_iter()
        .map(|(setting, draws)| {
            let of_draws: Vec<&[&Variant]> = draws
                .iter()
                .map(|&draw| of_draw.get(&(setting, draw)).map_or(&[][..], Vec::as_slice))
                .collect();
            let mut missing: BTreeMap<&Id, Reason> = BTreeMap::new();
            for row in lost.iter().filter(|row| row.setting == Some(setting)) {
                if let Some(unit) = &row.id {
                    missing.entry(unit).or_insert(row.reason);
                }
            }
            let mut reasons: BTreeMap<Reason, u32> = BTreeMap::new();
            for reason in missing.into_values() {
                *reasons.entry(reason).or_default() += 1;
            }
            let worst = of_draws
                .iter()
                .map(|variants| twins(variants))
                .max_by(|one, other| one.with_twin.cmp(&other.with_twin))
                .unwrap_or_default();
            let all: Vec<&Variant> = of_draws.iter().flat_map(|of| of.iter().copied()).collect();
            let shares: Vec<f64> = all.iter().filter_map(|found| found.perturbation).collect();
            SettingAudit {
                setting,
                draws: count(draws.len()),
                texts: count(of_draws.iter().map(|of| of.len()).min().unwrap_or_default()),
                lost: reasons,
                templates: count(templates),
                with_twin: worst.with_twin,
                largest_twin_class: worst.largest,
                best: worst.best,
                residue: of_draws
                    .iter()
                    .map(|variants| residue(variants))
                    .max_by_key(|found| found.names + found.comments)
                    .unwrap_or_default(),
                perturbation: (!shares.is_empty())
                    .then(|| shares.iter().sum::<f64>() / shares.len() as f64),
                left: left.remove(&setting),
                boilerplate: boilerplate(of_draws.first().copied().unwrap_or_default()),
            }
        })
        .collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The effect of twins on the texts of one draw.
#[derive(Debug, Default)]
struct TwinFacts {
    with_twin: u32,
    largest: u32,
    best: [f64; 3],
}

fn twins(variants: &[&Variant]) -> TwinFacts {
    let texts: Vec<(String, String)> = variants
        .iter()
        .map(|variant| {
            let words: Vec<&str> = variant.text.split_whitespace().collect();
            (variant.unit_id.to_string(), words.join(" "))
        })
        .collect();
    let twins = Twins::among(texts.iter().map(|(id, text)| (id.as_str(), text.as_str())));
    let measures: Vec<Measure> = ["R@1", "RR", "nDCG@10"]
        .map(|name| name.parse().expect("these are measures"))
        .into();
    let mut best = [0.0; 3];
    for (id, _) in &texts {
        let qrels = BTreeMap::from([(id.as_str(), 1)]);
        for (sum, value) in best.iter_mut().zip(ceiling(&measures, &twins, &qrels)) {
            *sum += value.expect("these have a ceiling");
        }
    }
    TwinFacts {
        with_twin: count(twins.with_twin()),
        largest: count(
            texts
                .iter()
                .map(|(id, _)| twins.of(id).len())
                .max()
                .unwrap_or_default(),
        ),
        best: best.map(|sum| sum / texts.len().max(1) as f64),
    }
}

fn residue(variants: &[&Variant]) -> Residue {
    let mut found = Residue::default();
    for variant in variants {
        let text = &variant.text;
        let is_source = !matches!(variant.setting, Setting::Lowered { .. });
        let tokens = lex_with_comments(text);
        let any = |wanted: &dyn Fn(&str, TokenKind) -> bool| {
            tokens
                .iter()
                .any(|token| wanted(token.text(text), token.kind))
        };
        let comment = if is_source {
            any(&|_, kind| kind == TokenKind::Comment)
        } else {
            text.contains(";;") || text.contains("\t#") || text.contains("  #")
        };
        found.comments += u32::from(comment);
        found.strings += u32::from(any(&|shown, kind| {
            kind == TokenKind::String && has_word(shown)
        }));
        let new: BTreeSet<&str> = variant.renamed.iter().map(|one| one.to.as_str()).collect();
        // A name that has a meaning elsewhere is not the project's.
        let is_elsewhere = |kept: &&KeptName| kept.reason == KeptName::ELSEWHERE;
        let elsewhere: BTreeSet<&str> = variant
            .kept
            .iter()
            .filter(is_elsewhere)
            .map(|kept| kept.name.as_str())
            .collect();
        let stayed = variant.kept.iter().filter(|kept| !is_elsewhere(kept));
        let old: BTreeSet<&str> = variant
            .renamed
            .iter()
            .map(|one| one.from.as_str())
            .filter(|name| !elsewhere.contains(name))
            .chain(stayed.map(|kept| kept.name.as_str()))
            .filter(|name| !new.contains(name))
            .collect();
        found.names += u32::from(any(&|shown, kind| {
            kind == TokenKind::Identifier && old.contains(shown)
        }));
        found.paths += u32::from(any(&|shown, kind| {
            kind == TokenKind::String && is_path(shown)
        }));
        found.addresses += u32::from(
            !is_source
                && text
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .any(|word| {
                        word.strip_prefix("0x").is_some_and(|digits| {
                            digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
                        })
                    }),
        );
    }
    found
}

fn is_path(literal: &str) -> bool {
    let inner = literal.trim_matches('"');
    let endings = [".c", ".h", ".cc", ".cpp", ".hpp"];
    (inner.contains('/') && inner.len() > 3 && !inner.contains(' '))
        || endings.iter().any(|ending| inner.ends_with(ending))
}

/// The longest run of lines at one end of more than half of the texts.
fn boilerplate(variants: &[&Variant]) -> Option<Boilerplate> {
    let mut longest: Option<Boilerplate> = None;
    for at_start in [true, false] {
        let ends: Vec<Vec<&str>> = variants
            .iter()
            .map(|variant| lines_from(&variant.text, at_start, LINES))
            .collect();
        for lines in BOILERPLATE..=LINES {
            let mut classes: BTreeMap<&[&str], usize> = BTreeMap::new();
            for end in ends.iter().filter_map(|end| end.get(..lines)) {
                *classes.entry(end).or_default() += 1;
            }
            let most = classes.into_values().max().unwrap_or_default();
            if most * 2 <= variants.len() || most < 2 {
                break;
            }
            let is_longer = longest
                .as_ref()
                .is_none_or(|found| found.lines < count(lines));
            if is_longer {
                longest = Some(Boilerplate {
                    at_start,
                    lines: count(lines),
                    share: most as f64 / variants.len() as f64,
                });
            }
        }
    }
    longest
}
