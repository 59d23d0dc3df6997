//! Texts that something went wrong with: empty, cut, unbalanced, of two encodings, out of measure, on one line.

use std::collections::BTreeMap;

use crate::look::{Look, SubsetLook};
use crate::rule::{
    Example, Finding, Report, Severity, counted, excerpt, grouped, percent, rule, share_of,
};
use crate::text::TextFacts;
use barecode_languages::{Balance, Form};

rule! {
    /// Documents and queries with no text in them.
    ///
    /// **Why it matters.** An empty query can have no answer, and an empty document answers nothing; each
    /// measures chance.
    ///
    /// **Method.** Nothing but white space. A document with a title is not empty.
    ///
    /// **Example.** A function whose body a parser lost.
    ///
    /// **Remedy.** Leave them out, with their judgments.
    ///
    /// **Limits.** Placeholders such as `None` or `nan` are counted too if they are the whole text.
    EMPTY = "BA501" "empty-texts", |look, report| damage(look, report, &Damage {
        is_there: |_, text, title| is_empty(text, title),
        noun: "no text in them",
        place: |_| 0,
        severity: (0.0, 0.05),
        warns: None,
    });
}

rule! {
    /// Texts that were cut.
    ///
    /// **Why it matters.** The missing part may be what the query is about.
    ///
    /// **Method.** Three kinds of documents count. `open`: source that ends inside a string or a comment. `ellipsis`:
    /// code of languages with braces that ends in an ellipsis. `longest`: documents with exactly the greatest length of
    /// the subset, in characters (64 or more) or in words (16 or more). For the last kind, at least five different
    /// texts and 1 % must share that length, and more than have a length in the tenth below it. Three of ten of them or
    /// more must end in no bracket, quote, semicolon or full stop, and no last word may be that of more than half of
    /// them, as in sentences of one template. `limit` is that length. Queries are cut if a tenth
    /// of them has the greatest length in characters (32 or more) in this way; numbers: `longest` and `limit`.
    ///
    /// **Example.** 300 documents of exactly 4,000 characters.
    ///
    /// **Remedy.** Keep whole texts and let the model truncate, or publish the limit beside the score.
    ///
    /// **Limits.** Code that misses closing brackets is BA503's; what was cut shorter than these lengths is not seen.
    CUT = "BA502" "truncated-texts", truncated;
}

rule! {
    /// Source with unbalanced brackets.
    ///
    /// **Why it matters.** It does not compile, so a claim that the dataset's code compiles is wrong. If functions were
    /// cut out of files, they were cut at a wrong position.
    ///
    /// **Method.** Round, square and curly brackets outside strings and comments are counted. C and C++ use the lexer
    /// of the preprocessor with only the first branch of each condition; other languages use their syntax of strings
    /// and comments. If a comment may have lost its end, or a `/` may begin a regular expression, nothing is reported.
    /// Numbers: `missing` (open at the end) and `stray` (closed, never opened).
    ///
    /// **Example.** 27 of the first hundred originals of CLARC's group 2, with a brace too many: `};`.
    ///
    /// **Remedy.** Cut functions with a parser, and compile the result.
    ///
    /// **Limits.** A macro that opens a bracket which the code closes is seen as a mistake.
    UNBALANCED = "BA503" "unbalanced-code", unbalanced;
}

rule! {
    /// Text whose bytes were read in the wrong encoding (`Â²`, `Ã©`, `â€™`), or that lost characters (U+FFFD).
    ///
    /// **Why it matters.** Its words match nothing, and other files of the dataset may be intact.
    ///
    /// **Method.** Characters that Latin-1 or Windows-1252 show for the bytes of UTF-8: the first byte of a sequence
    /// and its continuation bytes. Documents and queries are searched. `rows` counts pairs of a query and a document as
    /// one, if the set has pairs.
    ///
    /// **Example.** Nine rows of StatCodeSearch, such as `RÂ²`.
    ///
    /// **Remedy.** Read sources as UTF-8 first, with Latin-1 as the fallback.
    ///
    /// **Limits.** Intentional letters of two alphabets side by side can look like it; where that is likely,
    /// two pairs are required.
    MOJIBAKE = "BA504" "mojibake", |look, report| damage(look, report, &Damage {
        is_there: |facts, _, _| facts.mojibake.is_some(),
        noun: "characters of a wrong encoding in them",
        place: |facts| facts.mojibake.unwrap_or(0),
        severity: (0.0, 0.05),
        warns: None,
    });
}

rule! {
    /// Control characters in texts: NUL, escape sequences, marks of byte order.
    ///
    /// **Why it matters.** They break tables and terminals, and only some tokenizers drop them.
    ///
    /// **Method.** Characters of Unicode's class Cc other than tab, line feed, carriage return and next line, and
    /// U+FEFF anywhere. It is a warning from 5 % of all texts on, and for any NUL or byte order mark. These cut texts
    /// in some programs and are part of the first word in others; `marks` counts such texts.
    ///
    /// **Example.** A form feed between functions of an old C file.
    ///
    /// **Remedy.** Take them out, or write them as escapes.
    ///
    /// **Limits.** Form feeds are allowed in C; they are counted all the same.
    CONTROL = "BA505" "control-characters", |look, report| damage(look, report, &Damage {
        is_there: |facts, _, _| facts.control.is_some() && facts.mojibake.is_none(),
        noun: "control characters in them",
        place: |facts| facts.control.unwrap_or(0),
        severity: (0.05, 2.0),
        warns: Some(("marks", |facts| facts.has_nul)),
    });
}

rule! {
    /// Documents that are far longer or shorter than the rest.
    ///
    /// **Why it matters.** A few documents dominate means of length, models truncate the longest, and BM25
    /// weighs length.
    ///
    /// **Method.** The logarithm of the number of characters against the median, in units of the median absolute
    /// deviation (times 1.4826, as for a normal distribution): more than 5 of them away. Numbers: `median`, `shortest`
    /// and `longest`, in characters.
    ///
    /// **Example.** A generated table of 90,000 characters among functions of 400.
    ///
    /// **Remedy.** Look at the examples; generated code and data often answer no query.
    ///
    /// **Limits.** If more than half of all texts have the same length, the deviation is 0 and nothing is reported.
    OUTLIERS = "BA506" "length-outliers", outliers;
}

rule! {
    /// Code with all lines joined into one, or with blanks around every token.
    ///
    /// **Why it matters.** Models were trained on code with lines; in R and Python the code is not valid any
    /// more, and
    /// a `#` makes a comment of the rest.
    ///
    /// **Method.** Documents of 20 words or more on one line; reported if a tenth of such documents is. `tokens` counts
    /// those with nine of ten signs between blanks: tokens that were joined.
    ///
    /// **Example.** All of StatCodeSearch.
    ///
    /// **Remedy.** Publish the lines; users can join them.
    ///
    /// **Limits.** Minified code is seen as joined, and is. Prose is skipped.
    FLAT = "BA507" "flattened-lines", flattened;
}

rule! {
    /// Code where queries are expected, and prose where documents are.
    ///
    /// **Why it matters.** The columns were probably taken for each other, and every other rule looks at the wrong side.
    ///
    /// **Method.** Queries that look like code of a known kind and whose answer does not, each by the text alone.
    /// Reported if they are half of the answered queries or more.
    ///
    /// **Example.** A table whose `docstring` has the functions and whose `function` has their descriptions.
    ///
    /// **Remedy.** Name the columns: `--columns query=function,document=docstring`.
    ///
    /// **Limits.** A set that asks for descriptions of code is meant to be so.
    SWAPPED = "BA508" "swapped-sides", swapped;
}

/// The detection of one kind of damage.
struct Damage {
    /// The test, by the facts of a text, the text itself, and its title.
    is_there: fn(&TextFacts, &str, &str) -> bool,
    noun: &'static str,
    place: fn(&TextFacts) -> usize,
    /// Shares above which it is a warning, and from which on it is a defect.
    severity: (f64, f64),
    /// The property that makes it a warning however rare it is, by the name of its number.
    warns: Option<Warns>,
}

/// A property of some texts, and the name of their number.
type Warns = (&'static str, fn(&TextFacts) -> bool);

fn is_empty(text: &str, title: &str) -> bool {
    let shown = text.trim();
    title.trim().is_empty()
        && (shown.is_empty() || ["nan", "NaN", "None", "null", "NULL"].contains(&shown))
}

fn damage(look: &Look<'_>, report: &mut Report<'_>, wanted: &Damage) {
    for subset in &look.subsets {
        let in_document = |at: &usize| {
            let document = subset.document(*at);
            (wanted.is_there)(&subset.documents[*at], &document.text, &document.title)
        };
        let in_query =
            |at: &usize| (wanted.is_there)(&subset.queries[*at], &subset.query(*at).text, "");
        let documents: Vec<usize> = (0..subset.documents.len()).filter(in_document).collect();
        let queries: Vec<usize> = (0..subset.queries.len()).filter(in_query).collect();
        // A row with damage on both sides is one row if each query has its one answer.
        let of_damaged = |&&query: &&usize| {
            let mut answers = subset.answers(query);
            answers.next().is_some_and(|answer| {
                answers.next().is_none() && documents.binary_search(&answer).is_ok()
            })
        };
        let both = queries.iter().filter(of_damaged).count();
        let total = documents.len() + queries.len();
        let of = subset.documents.len() + subset.queries.len();
        let share = share_of(total, of);
        let of_documents = documents
            .iter()
            .map(|&at| subset.show_document(at, (wanted.place)(&subset.documents[at])));
        let of_queries = queries
            .iter()
            .map(|&at| subset.show_query(at, (wanted.place)(&subset.queries[at])));
        let examples = of_documents.chain(of_queries).take(3);
        let message = format!(
            "{} and {} have {}",
            counted(documents.len(), "document"),
            counted(queries.len(), "query"),
            wanted.noun
        );
        let mut severity = Severity::by(share, wanted.severity.0, wanted.severity.1);
        let mut numbers = vec![
            ("documents", documents.len() as f64),
            ("queries", queries.len() as f64),
            ("rows", (total - both) as f64),
        ];
        if let Some((name, warns)) = wanted.warns {
            let all = documents.iter().map(|&at| &subset.documents[at]);
            let all = all.chain(queries.iter().map(|&at| &subset.queries[at]));
            let marked = all.filter(|facts| warns(facts)).count();
            numbers.push((name, marked as f64));
            if marked > 0 {
                severity = severity.max(Severity::Warning);
            }
        }
        report.add(Finding {
            severity,
            numbers,
            examples: examples.collect(),
            ..subset.found("texts", total, of, message)
        });
    }
}

fn truncated(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let facts = &subset.documents;
        let places = |wanted: &dyn Fn(&TextFacts) -> bool| -> Vec<usize> {
            (0..facts.len()).filter(|&at| wanted(&facts[at])).collect()
        };
        let open = places(&|facts| facts.balance == Balance::OpenLiteral);
        let ellipsis =
            places(&|facts| facts.ends_in_ellipsis && matches!(facts.form, Form::C | Form::Braces));
        let text = |at: usize| subset.document(at).text.as_str();
        let (piled, limit) = [
            piled(facts, text, |facts| facts.characters, 64),
            piled(facts, text, |facts| facts.words, 16),
        ]
        .into_iter()
        .flatten()
        .max_by_key(|(found, _)| found.len())
        .unwrap_or_default();
        let mut all = [open.as_slice(), &ellipsis, &piled].concat();
        all.sort_unstable();
        all.dedup();
        let share = share_of(all.len(), facts.len());
        let near_end = |at: usize| subset.document(at).text.len().saturating_sub(40);
        let examples = all.iter().take(3);
        let examples = examples.map(|&at| subset.show_document(at, near_end(at)));
        let at_limit = if piled.is_empty() {
            String::new()
        } else {
            format!(
                ", {} have the same greatest length of {}",
                grouped(piled.len()),
                grouped(limit as usize)
            )
        };
        let message = format!(
            "{} of {} end inside of a literal or comment, {} in an ellipsis{at_limit}",
            grouped(open.len()),
            counted(facts.len(), "document"),
            grouped(ellipsis.len())
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            numbers: vec![
                ("open", open.len() as f64),
                ("ellipsis", ellipsis.len() as f64),
                ("longest", piled.len() as f64),
                ("limit", f64::from(limit)),
            ],
            examples: examples.collect(),
            ..subset.found("documents", all.len(), facts.len(), message)
        });
        truncated_queries(subset, report);
    }
}

fn truncated_queries(subset: &SubsetLook<'_>, report: &mut Report<'_>) {
    let text = |at: usize| subset.query(at).text.as_str();
    let found = piled(&subset.queries, text, |facts| facts.characters, 32);
    let of = subset.queries.len();
    if let Some((piled, limit)) = found.filter(|(piled, _)| piled.len() * 10 >= of) {
        let message = format!(
            "{} of {} have the same greatest length of {}",
            grouped(piled.len()),
            counted(of, "query"),
            grouped(limit as usize)
        );
        let examples = piled.iter().take(3).map(|&at| subset.show_query(at, 0));
        report.add(Finding {
            severity: Severity::by(share_of(piled.len(), of), 0.01, 0.2),
            numbers: vec![("longest", piled.len() as f64), ("limit", f64::from(limit))],
            examples: examples.collect(),
            ..subset.found("queries", piled.len(), of, message)
        });
    }
}

/// The texts of the greatest length, if different ones pile up at that length and most look as if they were cut;
/// texts that are shorter than `least` are equally long by chance.
fn piled<'t>(
    texts: &[TextFacts],
    text: impl Fn(usize) -> &'t str,
    length: fn(&TextFacts) -> u32,
    least: u32,
) -> Option<(Vec<usize>, u32)> {
    let longest = texts.iter().map(length).max();
    let longest = longest.filter(|&longest| longest >= least)?;
    let mut found = Vec::new();
    let mut nearly = 0;
    for (at, facts) in texts.iter().enumerate() {
        let length = length(facts);
        if length == longest {
            found.push(at);
        } else if length >= longest - longest / 10 {
            nearly += 1;
        }
    }
    let mut different: Vec<u128> = found.iter().map(|&at| texts[at].spaced).collect();
    different.sort_unstable();
    different.dedup();
    let is_whole = |at: &&usize| {
        let text = text(**at).trim_end();
        text.ends_with(['}', ';', ')', ']', '.', '"', '\'']) || text.ends_with("end")
    };
    let whole = found.iter().filter(is_whole).count();
    // A cut leaves many different ends, a template one.
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for &at in &found {
        let last = text(at).split_whitespace().next_back();
        *ends.entry(last.unwrap_or_default()).or_default() += 1;
    }
    let is_template = ends.values().any(|&count| count * 2 > found.len());
    let piles_up = different.len() >= 5
        && different.len() * 100 >= texts.len()
        && found.len() > nearly
        && whole * 10 <= found.len() * 7
        && !is_template;
    piles_up.then_some((found, longest))
}

fn swapped(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let is_code = |text: &str| Form::of_text(text) != Form::Other;
        let is_swapped = |query: &usize| {
            is_code(&subset.query(*query).text)
                && subset
                    .answers(*query)
                    .any(|answer| !is_code(&subset.document(answer).text))
        };
        let found: Vec<usize> = (0..subset.queries.len()).filter(is_swapped).collect();
        let of = subset.answered();
        if found.len() * 2 < of {
            continue;
        }
        let message = format!(
            "{} of {} are code, and what answers them is prose",
            grouped(found.len()),
            counted(of, "answered query")
        );
        let pairs = found.iter().filter_map(|&query| {
            let answer = subset.answers(query).next()?;
            Some(subset.show_pair(query, answer))
        });
        report.add(Finding {
            severity: Severity::Defect,
            examples: pairs.take(3).collect(),
            ..subset.found("queries", found.len(), of, message)
        });
    }
}

fn unbalanced(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let count = |wanted: &dyn Fn(Balance) -> bool| -> Vec<usize> {
            (0..subset.documents.len())
                .filter(|&at| wanted(subset.documents[at].balance))
                .collect()
        };
        let missing = count(&|balance| balance == Balance::Missing);
        let stray = count(&|balance| matches!(balance, Balance::Stray(_)));
        let judged = count(&|balance| balance != Balance::Unknown).len();
        let all = missing.len() + stray.len();
        let share = share_of(all, judged);
        let examples = stray.iter().chain(&missing).take(3).map(|&at| {
            let from = match subset.documents[at].balance {
                Balance::Stray(place) => place,
                Balance::Balanced | Balance::Missing | Balance::OpenLiteral | Balance::Unknown => {
                    subset.document(at).text.len().saturating_sub(40)
                }
            };
            subset.show_document(at, from)
        });
        let message = format!(
            "{} of {} that are surely code ({}) have brackets that do not fit: {} open at the end, {} with one too many",
            grouped(all),
            counted(judged, "document"),
            percent(share),
            grouped(missing.len()),
            grouped(stray.len())
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            numbers: vec![
                ("missing", missing.len() as f64),
                ("stray", stray.len() as f64),
            ],
            examples: examples.collect(),
            ..subset.found("documents", all, judged, message)
        });
    }
}

fn outliers(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let lengths: Vec<f64> = subset
            .documents
            .iter()
            .map(|facts| f64::from(facts.characters).ln_1p())
            .collect();
        let middle = median(lengths.clone());
        let spread = 1.4826
            * median(
                lengths
                    .iter()
                    .map(|length| (length - middle).abs())
                    .collect(),
            );
        if spread == 0.0 {
            continue;
        }
        let mut found: Vec<(usize, f64)> = lengths
            .iter()
            .map(|length| (length - middle).abs() / spread)
            .enumerate()
            .filter(|(_, away)| *away > 5.0)
            .collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut characters: Vec<u32> = subset
            .documents
            .iter()
            .map(|facts| facts.characters)
            .collect();
        characters.sort_unstable();
        let [shortest, typical, longest] =
            [0, (characters.len() - 1) / 2, characters.len() - 1].map(|at| characters[at]);
        let examples = found.iter().take(3).map(|&(at, _)| Example {
            ids: vec![subset.document(at).id.clone()],
            excerpt: format!(
                "{}: {}",
                counted(subset.documents[at].characters as usize, "character"),
                excerpt(&subset.document(at).text, 0)
            ),
        });
        let message = format!(
            "{} of {} are far from the median of {} characters; the longest has {}",
            grouped(found.len()),
            counted(lengths.len(), "document"),
            grouped(typical as usize),
            grouped(longest as usize)
        );
        report.add(Finding {
            severity: Severity::by(share_of(found.len(), lengths.len()), 0.02, 2.0),
            numbers: vec![
                ("median", f64::from(typical)),
                ("shortest", f64::from(shortest)),
                ("longest", f64::from(longest)),
            ],
            examples: examples.collect(),
            ..subset.found("documents", found.len(), lengths.len(), message)
        });
    }
}

/// The lower median; 0 if empty.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values
        .get(values.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0.0)
}

fn flattened(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        // Of code that is long enough to have lines.
        let is_code = |facts: &TextFacts| facts.words >= 20 && facts.form != Form::Other;
        let long: Vec<usize> = (0..subset.documents.len())
            .filter(|&at| is_code(&subset.documents[at]))
            .collect();
        let found: Vec<usize> = long
            .iter()
            .copied()
            .filter(|&at| subset.documents[at].lines == 1)
            .collect();
        let tokens = found
            .iter()
            .filter(|&&at| subset.documents[at].layout[13] > 0.9)
            .count();
        if found.len() * 10 < long.len() {
            continue;
        }
        let share = share_of(found.len(), long.len());
        let examples = found.iter().take(3).map(|&at| subset.show_document(at, 0));
        let message = format!(
            "{} of {} of code with 20 words or more ({}) are on one line; in {} of them single blanks separate all tokens",
            grouped(found.len()),
            counted(long.len(), "document"),
            percent(share),
            grouped(tokens)
        );
        report.add(Finding {
            severity: Severity::by(share, 0.1, 2.0),
            numbers: vec![("tokens", tokens as f64)],
            examples: examples.collect(),
            ..subset.found("documents", found.len(), long.len(), message)
        });
    }
}
