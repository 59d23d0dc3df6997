//! Text that is not the document's own: shared heads and tails, bodies without content, settings that only continue.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::look::{Look, SubsetLook};
use crate::rule::{
    Example, Finding, Report, Severity, counted, excerpt, grouped, percent, rule, share_of,
};
use crate::text::{Digest, digest, lines_from, words};
use barecode_languages::Form;

rule! {
    /// Lines that many documents begin or end with.
    ///
    /// **Why it matters.** Shared lines make all documents alike, and fill the limited context of models.
    /// Statistics of length count them as code.
    ///
    /// **Method.** Lines are compared without white space at their ends and with hexadecimal numbers as one sign; blank
    /// lines are skipped. Of each document the first 1, 2, … 64 lines and the last ones are compared. A head or tail is
    /// boilerplate if it has four lines or more and 20 % of all documents (at least ten) have it. At each end the rule
    /// reports the longest run shared by at least 99 % of the documents that share four lines. A document that consists
    /// of that run counts too. In assembly for x86-64 the comparison starts after the lines that set up the frame and
    /// store the parameters: they are the function's own, and the calling convention makes them alike. Numbers:
    /// `lines`, `share`.
    ///
    /// **Example.** 473 of 517 `asm_long` texts of CLARC's group 1 end in the same 20 lines and more, which
    /// initialize the
    /// translation unit and are not part of the function.
    ///
    /// **Remedy.** Cut documents to the function, and report lengths of the function.
    ///
    /// **Limits.** Boilerplate in the middle, or with a decimal number that changes, is not found.
    BOILERPLATE = "BA205" "shared-lines", shared_lines;
}

rule! {
    /// Documents with an almost empty body.
    ///
    /// **Why it matters.** No reader could match `{ return MACRO_0; }` to a query; such pairs measure chance.
    ///
    /// **Method.** Source of at most six lines in languages with braces. The text between the first `{` and the last
    /// `}` has at most two distinct words, without keywords (`return`, `if`, …), and 60 characters. It is a warning if
    /// 1 % of all documents have such a body and read like another one (`alike` is the size of the largest group), else
    /// a note.
    ///
    /// **Example.** 28 functions of CLARC's group 1 that are `static int func_0(void) { return MACRO_0; }` in the
    /// neutralized setting.
    ///
    /// **Remedy.** Leave out functions that are trivial in any setting.
    ///
    /// **Limits.** Languages without braces are not looked at.
    TRIVIAL = "BA206" "trivial-bodies", trivial_bodies;
}

rule! {
    /// A setting whose texts are those of another setting with more lines appended.
    ///
    /// **Why it matters.** The two are not independent measurements: the appended lines are not the function,
    /// and differences between their scores are about the length that models read.
    ///
    /// **Method.** Subsets of the same documents (see BA102) and of the same kind of text are compared. Counted are
    /// documents whose lines are the first lines of the other subset's document, up to white space at the ends and
    /// hexadecimal numbers. Reported if this holds for half of the shared documents.
    ///
    /// **Example.** CLARC's `asm_short` is how `asm_long` begins in 514 of 517 documents.
    ///
    /// **Remedy.** Publish the shorter one, or document the rest.
    ///
    /// **Limits.** Texts that are equal are not counted.
    PREFIX = "BA207" "longer-setting", longer_setting;
}

const LEAST_LINES: usize = 4;
const MOST_LINES: usize = 64;
/// One in this many documents.
const SHARE: usize = 5;
const LEAST: usize = 10;

/// A run of lines that many documents share.
struct Shared {
    lines: usize,
    documents: Vec<usize>,
}

fn shared_lines(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let n = subset.documents.len();
        for (at_start, what) in [(true, "begin"), (false, "end")] {
            let Some(shared) = longest(subset, at_start) else {
                continue;
            };
            let share = share_of(shared.documents.len(), n);
            let examples = shared.documents.iter().take(1).map(|&at| {
                let lines: Vec<&str> = lines(subset, at, at_start)
                    .into_iter()
                    .take(shared.lines)
                    .collect();
                let shown = if at_start {
                    lines
                } else {
                    lines.into_iter().rev().collect()
                };
                Example {
                    ids: vec![subset.document(at).id.clone()],
                    excerpt: excerpt(&shown.join(" "), 0),
                }
            });
            let message = format!(
                "{} of {} {what} in the same {} lines",
                grouped(shared.documents.len()),
                counted(n, "document"),
                shared.lines
            );
            report.add(Finding {
                severity: Severity::by(share, 0.2, 0.5),
                numbers: vec![("lines", shared.lines as f64), ("share", share)],
                examples: examples.collect(),
                ..subset.found("documents", shared.documents.len(), n, message)
            });
        }
    }
}

/// The lines of a document that are compared, from one end.
fn lines<'l>(subset: &SubsetLook<'l>, at: usize, at_start: bool) -> Vec<&'l str> {
    let text = &subset.subset.documents[at].text;
    if !at_start || subset.documents[at].form != Form::Assembly {
        return lines_from(text, at_start, MOST_LINES);
    }
    let lines = lines_from(text, at_start, 2 * MOST_LINES).into_iter();
    let lines = lines.skip_while(|line| sets_up_frame(line));
    lines.take(MOST_LINES).collect()
}

/// Returns `true` if an instruction of x86-64, in either syntax, sets up a frame or stores a register in it.
fn sets_up_frame(line: &str) -> bool {
    let line = line.trim();
    let (instruction, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let Some((first, second)) = operands.rsplit_once(',') else {
        return matches!(instruction, "endbr64" | "push" | "pushq");
    };
    let (first, second) = (first.trim(), second.trim());
    let is_register = |operand: &str| {
        let name = operand.strip_prefix('%').unwrap_or(operand);
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    if instruction.starts_with("sub") {
        return second == "%rsp" || first == "rsp";
    }
    instruction.starts_with("mov")
        && ((first, second) == ("%rsp", "%rbp")
            || (first, second) == ("rbp", "rsp")
            || is_register(first) && second.starts_with('-') && second.ends_with("(%rbp)")
            || first.contains("[rbp-") && is_register(second))
}

/// The longest run at one end that is shared by 99 % of the documents that share the shortest.
fn longest(subset: &SubsetLook<'_>, at_start: bool) -> Option<Shared> {
    let least = LEAST.max(subset.documents.len().div_ceil(SHARE));
    // Digests of the first 4, 5, … lines of each document.
    let runs: Vec<Vec<Digest>> = (0..subset.documents.len())
        .into_par_iter()
        .map(|document| {
            let mut so_far = String::new();
            let mut digests = Vec::new();
            for (at, line) in lines(subset, document, at_start).into_iter().enumerate() {
                so_far.push_str(&masked(line));
                so_far.push('\n');
                if at + 1 >= LEAST_LINES {
                    let next = digest(&so_far);
                    so_far = format!("{next:x}\n");
                    digests.push(next);
                }
            }
            digests
        })
        .collect();
    let mut longest: Option<Shared> = None;
    let mut first = None;
    let mut among: Vec<usize> = (0..runs.len()).collect();
    for depth in 0..=MOST_LINES - LEAST_LINES {
        let mut classes: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for &at in &among {
            if let Some(&digest) = runs[at].get(depth) {
                classes.entry(digest).or_default().push(at);
            }
        }
        let most = classes
            .into_values()
            .max_by_key(|members| (members.len(), std::cmp::Reverse(members[0])));
        let Some(members) = most else { break };
        let wanted = least.max(first.map_or(0, |first: usize| first - first / 100));
        if members.len() < wanted {
            break;
        }
        first.get_or_insert(members.len());
        longest = Some(Shared {
            lines: depth + LEAST_LINES,
            documents: members.clone(),
        });
        among = members;
    }
    longest
}

fn trivial_bodies(look: &Look<'_>, report: &mut Report<'_>) {
    const LANGUAGE: [&str; 24] = [
        "return", "if", "else", "for", "while", "do", "int", "void", "char", "const", "static",
        "this", "self", "new", "throw", "break", "continue", "true", "false", "NULL", "nullptr",
        "null", "nil", "struct",
    ];
    for subset in &look.subsets {
        let is_trivial = |at: &usize| {
            let facts = &subset.documents[*at];
            if !matches!(facts.form, Form::C | Form::Braces) || facts.lines > 6 || facts.lines == 0
            {
                return false;
            }
            let text = &subset.document(*at).text;
            let body = text
                .split_once('{')
                .and_then(|(_, rest)| rest.rsplit_once('}'));
            body.is_some_and(|(body, _)| {
                let mut left: Vec<&str> = words(body)
                    .filter(|word| !LANGUAGE.contains(word))
                    .collect();
                left.sort_unstable();
                left.dedup();
                left.len() <= 2 && body.trim().len() <= 60
            })
        };
        let found: Vec<usize> = (0..subset.documents.len()).filter(is_trivial).collect();
        let share = share_of(found.len(), subset.documents.len());
        let mut texts: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for &at in &found {
            texts
                .entry(subset.documents[at].spaced)
                .or_default()
                .push(at);
        }
        let mut most: Vec<Vec<usize>> = texts.into_values().collect();
        most.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
        let examples = most.iter().take(3);
        let examples = examples.map(|members| subset.show_documents(members).times(members.len()));
        let alike = most.first().map_or(0, Vec::len);
        let groups = most.iter().filter(|members| members.len() > 1);
        let in_groups: usize = groups.map(Vec::len).sum();
        let message = format!(
            "{} of {} ({}) have an almost empty body; the most frequent text occurs {}",
            grouped(found.len()),
            counted(subset.documents.len(), "document"),
            percent(share),
            match alike {
                1 => "once".to_owned(),
                alike => format!("{} times", grouped(alike)),
            }
        );
        report.add(Finding {
            severity: Severity::by(share_of(in_groups, subset.documents.len()), 0.01, 2.0),
            numbers: vec![("alike", alike as f64)],
            examples: examples.collect(),
            ..subset.found("documents", found.len(), subset.documents.len(), message)
        });
    }
}

fn longer_setting(look: &Look<'_>, report: &mut Report<'_>) {
    for (here, short) in look.subsets.iter().enumerate() {
        for (there, long) in look.subsets.iter().enumerate() {
            let of_one = |one: usize| look.subsets[one].original.unwrap_or(one);
            if here == there || of_one(here) != of_one(there) || short.form != long.form {
                continue;
            }
            let both: Vec<(usize, usize)> = short
                .subset
                .documents
                .iter()
                .enumerate()
                .filter_map(|(at, document)| {
                    Some((at, *long.document_at.get(document.id.as_str())?))
                })
                .collect();
            let found: Vec<(usize, usize)> = both
                .par_iter()
                .copied()
                .filter(|&(one, other)| {
                    goes_on(&short.document(one).text, &long.document(other).text)
                })
                .collect();
            if found.len() * 2 < both.len() {
                continue;
            }
            let examples = found.iter().take(3).map(|&(one, other)| {
                let text = &long.document(other).text;
                let begun = short.documents[one].lines as usize;
                let rest: Vec<&str> = text
                    .lines()
                    .filter(|line| !line.trim().is_empty())
                    .skip(begun)
                    .collect();
                Example {
                    ids: vec![long.document(other).id.clone()],
                    excerpt: format!("goes on: {}", excerpt(&rest.join(" "), 0)),
                }
            });
            let message = format!(
                "{} of {} that are in both begin as in `{}` and go on",
                grouped(found.len()),
                counted(both.len(), "document"),
                short.label
            );
            report.add(Finding {
                severity: Severity::Warning,
                examples: examples.collect(),
                ..long.found("documents", found.len(), both.len(), message)
            });
        }
    }
}

/// Returns `true` if a text begins with all lines of a shorter one, numbers in hexadecimal aside.
fn goes_on(short: &str, long: &str) -> bool {
    let mut of_short = short
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .peekable();
    let mut of_long = long.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_empty = of_short.peek().is_none();
    let begins = of_short.all(|line| {
        of_long
            .next()
            .is_some_and(|other| masked(line) == masked(other))
    });
    begins && !is_empty && of_long.next().is_some()
}

/// A line with each number in hexadecimal as one sign.
fn masked(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("0x") {
        masked.push_str(rest.get(..at).unwrap_or_default());
        masked.push('@');
        rest = rest
            .get(at + 2..)
            .unwrap_or_default()
            .trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_set_up_in_both_syntaxes() {
        for line in [
            "endbr64",
            "push %rbp",
            "mov %rsp,%rbp",
            "sub $0x40,%rsp",
            "mov %rdi,-0x28(%rbp)",
            "push   rbp",
            "mov    rbp, rsp",
            "sub    rsp, 0x40",
            "mov    QWORD PTR [rbp-0x28], rdi",
            "movss  %xmm0,-0x14(%rbp)",
        ] {
            assert!(sets_up_frame(line), "{line}");
        }
        for line in [
            "mov -0x28(%rbp),%rax",
            "mov    rax, QWORD PTR [rbp-0x28]",
            "mov %eax,(%rdx)",
            "movl $0x0,-0x4(%rbp)",
            "sub $0x1,%rax",
            "add $0x40,%rsp",
            "call <f>",
            "ret",
        ] {
            assert!(!sets_up_frame(line), "{line}");
        }
    }
}
