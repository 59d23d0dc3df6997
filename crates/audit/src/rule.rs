//! The checks, and their findings.
//!
//! A [`Rule`] has a code that never changes its meaning, a name, and a page of documentation, which is the doc
//! comment of its constant: the macro [`rule!`] keeps the text, so that the reference, `--explain` and rustdoc agree.
//! A [`Finding`] is the result of a rule for one subset.

use std::fmt;

use barecode_records::words;
use serde::Serialize;

use crate::look::{Look, SubsetLook};

words! {
    /// The severity of a finding, the mildest first.
    pub enum Severity {
        /// Good to know; scores have their usual meaning.
        Note = "note",
        /// Scores mean something else than their name, for some queries.
        Warning = "warning",
        /// Scores cannot be compared with those of a set that has not this defect.
        Defect = "defect",
    }
}

impl Severity {
    /// A defect from one share on, a warning from another on, else a note.
    pub(crate) fn by(share: f64, warning: f64, defect: f64) -> Self {
        if share >= defect {
            Severity::Defect
        } else if share >= warning {
            Severity::Warning
        } else {
            Severity::Note
        }
    }
}

/// The finding of a rule in one subset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule's code: `BA001`.
    pub code: &'static str,
    /// The rule's name: `identical-texts`.
    pub name: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The subset, with its split if the name alone is not unique; `*` for the benchmark as a whole.
    pub subset: String,
    /// The number of cases.
    pub count: u64,
    /// The number of all cases.
    pub of: u64,
    /// The kind of thing that was counted: `documents`, `queries`, `pairs`.
    pub what: &'static str,
    /// One sentence that describes the finding.
    pub message: String,
    /// Further numbers, in the order in which the rule's page names them.
    pub numbers: Vec<(&'static str, f64)>,
    /// At most three.
    pub examples: Vec<Example>,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The ids of documents and queries, as in the dataset.
    pub ids: Vec<String>,
    /// A part of the text.
    pub excerpt: String,
}

impl Example {
    /// The same, with the number of its occurrences before the text.
    pub(crate) fn times(mut self, count: usize) -> Self {
        self.excerpt = format!("{count} × {}", self.excerpt);
        self
    }
}

/// A check.
pub struct Rule {
    /// Its code: `BA001`. The first digit is the family.
    pub code: &'static str,
    /// Its name: `identical-texts`.
    pub name: &'static str,
    /// Its page, in Markdown, without a heading.
    pub(crate) page: &'static str,
    /// Looks at every subset.
    pub(crate) check: fn(&Look<'_>, &mut Report<'_>),
}

impl Rule {
    /// The subject of the rule, in a sentence: the first paragraph of its page.
    pub fn summary(&self) -> String {
        let first = self.paragraphs().into_iter().next();
        first.map(|(_, text)| text).unwrap_or_default()
    }

    /// The paragraphs of its page, each on one line with its head, if it has one: `Why it matters.`
    pub fn paragraphs(&self) -> Vec<(Option<String>, String)> {
        let lines: Vec<&str> = self.page.lines().map(str::trim).collect();
        let paragraphs = lines
            .split(|line| line.is_empty())
            .filter(|lines| !lines.is_empty());
        let of_lines = |lines: &[&str]| {
            let text = lines.join(" ");
            let headed = text
                .strip_prefix("**")
                .and_then(|rest| rest.split_once("** "));
            match headed {
                Some((head, rest)) => (Some(head.to_owned()), rest.to_owned()),
                None => (None, text),
            }
        };
        paragraphs.map(of_lines).collect()
    }

    /// Its page in Markdown: the check, the reason why it matters, the computation, an example, the remedy, limits.
    pub fn page(&self) -> String {
        let mut text = format!("## {} {}\n", self.code, self.name);
        for (head, paragraph) in self.paragraphs() {
            let head = head.unwrap_or_else(|| "Check.".to_owned());
            for part in ["\n**", &head, "** ", &paragraph, "\n"] {
                text.push_str(part);
            }
        }
        text
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.name)
    }
}

/// Makes the constant of a rule and keeps its doc comment as its page.
macro_rules! rule {
    ($(#[doc = $line:literal])* $constant:ident = $code:literal $name:literal, $check:expr;) => {
        $(#[doc = $line])*
        pub(crate) static $constant: $crate::rule::Rule = $crate::rule::Rule {
            code: $code,
            name: $name,
            page: concat!($($line, "\n"),*),
            check: $check,
        };
    };
}
pub(crate) use rule;

/// The report to which a rule adds its findings.
pub(crate) struct Report<'f> {
    pub(crate) rule: &'static Rule,
    pub(crate) findings: &'f mut Vec<Finding>,
}

/// The most examples of a finding.
pub(crate) const EXAMPLES: usize = 3;

impl Report<'_> {
    /// Adds a finding under the rule's name, unless its count is 0.
    pub(crate) fn add(&mut self, mut found: Finding) {
        if found.count > 0 {
            found.examples.truncate(EXAMPLES);
            (found.code, found.name) = (self.rule.code, self.rule.name);
            self.findings.push(found);
        }
    }
}

/// The share that was counted; 0 if `of` is 0.
pub(crate) fn share_of(count: usize, of: usize) -> f64 {
    count as f64 / of.max(1) as f64
}

impl SubsetLook<'_> {
    /// A note on this subset, without numbers and examples. [`Report::add`] fills in the rule.
    pub(crate) fn found(
        &self,
        what: &'static str,
        count: usize,
        of: usize,
        message: String,
    ) -> Finding {
        Finding {
            code: "",
            name: "",
            severity: Severity::Note,
            subset: self.label.clone(),
            count: count as u64,
            of: of as u64,
            what,
            message,
            numbers: Vec::new(),
            examples: Vec::new(),
        }
    }

    /// A document to look at, from a byte of its text on.
    pub(crate) fn show_document(&self, at: usize, from: usize) -> Example {
        let document = self.document(at);
        Example {
            ids: vec![document.id.clone()],
            excerpt: excerpt(&document.text, from),
        }
    }

    /// A query to look at, from a byte of its text on.
    pub(crate) fn show_query(&self, at: usize, from: usize) -> Example {
        let query = self.query(at);
        Example {
            ids: vec![query.id.clone()],
            excerpt: excerpt(&query.text, from),
        }
    }

    /// Documents to look at together, by the text of the first.
    pub(crate) fn show_documents(&self, group: &[usize]) -> Example {
        let mut example = self.show_document(group[0], 0);
        let others = group.iter().take(EXAMPLES).skip(1);
        let ids = others.map(|&at| self.document(at).id.clone());
        example.ids.extend(ids);
        example
    }

    /// Queries to look at together, by the text of the first.
    pub(crate) fn show_queries(&self, group: &[usize]) -> Example {
        let mut example = self.show_query(group[0], 0);
        let others = group.iter().take(EXAMPLES).skip(1);
        let ids = others.map(|&at| self.query(at).id.clone());
        example.ids.extend(ids);
        example
    }

    /// A query to look at, with one of its documents.
    pub(crate) fn show_pair(&self, query: usize, document: usize) -> Example {
        let mut example = self.show_query(query, 0);
        example.ids.push(self.document(document).id.clone());
        example
    }
}

/// An excerpt of a text for a table: blanks as one, at most eighty characters, from a byte on.
pub(crate) fn excerpt(text: &str, from: usize) -> String {
    const SHOWN: usize = 80;
    let mut start = from.saturating_sub(24).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let window = text.get(start..).unwrap_or_default();
    let mut shown = String::new();
    let mut n_shown = 0;
    let mut chars = window.chars().peekable();
    while let Some(c) = chars.next() {
        if n_shown == SHOWN {
            shown.push('…');
            break;
        }
        if c.is_whitespace() {
            while chars.next_if(|next| next.is_whitespace()).is_some() {}
            if !shown.is_empty() && chars.peek().is_some() {
                shown.push(' ');
                n_shown += 1;
            }
        } else if c.is_control() {
            shown.extend(c.escape_unicode());
            n_shown += 6;
            n_shown = n_shown.min(SHOWN);
        } else {
            shown.push(c);
            n_shown += 1;
        }
    }
    if start > 0 {
        format!("…{shown}")
    } else {
        shown
    }
}

/// `1 document`, `2 documents`: no other plurals are needed.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = match noun {
        "query" => "queries".to_owned(),
        "answered query" => "answered queries".to_owned(),
        "repository" => "repositories".to_owned(),
        _ => format!("{noun}s"),
    };
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{} {plural}", grouped(number))
    }
}

/// `12,345`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `43.2 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
