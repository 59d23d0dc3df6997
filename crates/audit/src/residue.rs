//! The residue of the source under a setting: comments, literals, conditions, marks of the disassembler.

use crate::look::{Look, SubsetLook};
use crate::rule::{Finding, Report, Severity, counted, percent, rule, share_of};
use crate::text::{TextFacts, address, is_condition};
use barecode_languages::Form;

rule! {
    /// Comments in texts of a setting that should have removed the words.
    ///
    /// **Why it matters.** A comment is prose about the function, so search for words works again. Comments that
    /// some texts have and others have not also distinguish texts that should be alike.
    ///
    /// **Method.** In subsets that are a setting of another one (see BA102), by the syntax of comments in the language;
    /// comments of a disassembler are BA204's.
    ///
    /// **Example.** `// Function Start` in 79 renamed functions of CLARC's group 1, and in no other setting.
    ///
    /// **Remedy.** Strip comments in every setting but the original.
    ///
    /// **Limits.** In code whose lines were joined, `//` makes a comment of all that follows.
    COMMENTS = "BA201" "comments-left", |look, report| residue(look, report, &Residue {
        is_there: |facts| facts.form.is_source() && facts.has_comment,
        noun: "a comment",
        first: |text, form| form.comments(text).first().map(|&(start, _)| start),
        severity: (0.05, 2.0),
    });
}

rule! {
    /// String literals with words in texts of a setting that should have removed the words.
    ///
    /// **Why it matters.** A message such as `"cannot open file"` describes the function's behavior.
    ///
    /// **Method.** In subsets that are a setting of another one (see BA102): literals with three letters in a row.
    ///
    /// **Example.** `printf("usage: %s\n", var_1)`.
    ///
    /// **Remedy.** Document that literals stay, or replace them too, and measure the difference.
    ///
    /// **Limits.** Character constants are not looked at.
    STRINGS = "BA202" "strings-left", |look, report| residue(look, report, &Residue {
        is_there: |facts| facts.has_string,
        noun: "a string literal with a word",
        first: |text, form| form.strings(text).first().map(|&(start, _)| start),
        severity: (2.0, 2.0),
    });
}

rule! {
    /// Preprocessor conditions in texts of a setting that should have removed the names.
    ///
    /// **Why it matters.** `#if defined(CATCH_PLATFORM_MAC)` names the project and the system, and renaming
    /// misses it.
    ///
    /// **Method.** In subsets of C and C++ that are a setting of another one (see BA102): lines that begin with `#if`,
    /// `#ifdef`, `#ifndef` or `#elif`.
    ///
    /// **Example.** `#ifdef _WIN32` in a neutralized function.
    ///
    /// **Remedy.** Keep the branch that was compiled, or rename macros in conditions too.
    ///
    /// **Limits.** Whether the names in the condition were renamed is not checked.
    CONDITIONS = "BA203" "conditions-left", |look, report| residue(look, report, &Residue {
        is_there: |facts| facts.has_condition,
        noun: "a condition of the preprocessor",
        first: |text, _| first_line(text, is_condition),
        severity: (2.0, 2.0),
    });
}

rule! {
    /// Addresses and comments written by a disassembler: `call 0x1c`, `# 0x46`.
    ///
    /// **Why it matters.** An address is a position in an object file, so texts of the same code differ. It has no
    /// information about the called function, and tokenizers turn it into noise.
    ///
    /// **Method.** In texts of assembly: calls and jumps whose first operand is a number in hexadecimal, and `# 0x…` or
    /// `# … <name>` at the end of a line.
    ///
    /// **Example.** Every assembly text of CLARC's group 1.
    ///
    /// **Remedy.** Print labels and relocations instead (`call <ext>`), as barecode's own settings do.
    ///
    /// **Limits.** Without a column for the language, assembly is recognized by its mnemonics (x86, ARM, RISC-V).
    ADDRESSES = "BA204" "disassembler-residue", |look, report| low(look, report);
}

/// The detection of one kind of residue.
struct Residue {
    is_there: fn(&TextFacts) -> bool,
    noun: &'static str,
    first: fn(&str, Form) -> Option<usize>,
    /// Shares from which on it is a warning and a defect.
    severity: (f64, f64),
}

fn first_line(text: &str, wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if wanted(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn residue(look: &Look<'_>, report: &mut Report<'_>, wanted: &Residue) {
    for subset in look
        .subsets
        .iter()
        .filter(|subset| subset.original.is_some())
    {
        found(subset, report, wanted);
    }
}

fn low(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let wanted = Residue {
            is_there: |facts| facts.has_address,
            noun: "an address or a comment of a disassembler",
            first: |text, _| first_line(text, |line| address(line).is_some()),
            severity: (0.01, 2.0),
        };
        found(subset, report, &wanted);
    }
}

fn found(subset: &SubsetLook<'_>, report: &mut Report<'_>, wanted: &Residue) {
    let found: Vec<usize> = (0..subset.documents.len())
        .filter(|&at| (wanted.is_there)(&subset.documents[at]))
        .collect();
    let share = share_of(found.len(), subset.documents.len());
    let examples = found.iter().take(3).map(|&at| {
        let text = &subset.document(at).text;
        let from = (wanted.first)(text, subset.documents[at].form).unwrap_or(0);
        subset.show_document(at, from)
    });
    let message = format!(
        "{} of {} ({}) have {} in them",
        found.len(),
        counted(subset.documents.len(), "document"),
        percent(share),
        wanted.noun
    );
    report.add(Finding {
        severity: Severity::by(share, wanted.severity.0, wanted.severity.1),
        examples: examples.collect(),
        ..subset.found("documents", found.len(), subset.documents.len(), message)
    });
}
