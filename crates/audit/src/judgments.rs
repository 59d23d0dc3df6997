//! Judgments, ids and titles: the set's own facts about queries and documents.

use std::collections::BTreeMap;

use crate::look::Look;
use crate::rule::{
    Example, Finding, Report, Severity, counted, excerpt, grouped, percent, rule, share_of,
};
use crate::text::{is_compound, words};

rule! {
    /// Queries without an answer among the documents.
    ///
    /// **Why it matters.** Some tools leave them out of the mean, others count them as 0; and a model that
    /// finds nothing would be right.
    ///
    /// **Method.** Queries without a judgment above 0 of a document that is in the subset. A warning from 1 % on, a
    /// defect from 20 % on; where a subset has no judgments at all, a defect. In matching sets a query may have no
    /// match, and only queries that no pair names are counted.
    ///
    /// **Example.** A query whose answer was removed with the duplicates.
    ///
    /// **Remedy.** Remove them, or document that they have no answer.
    ///
    /// **Limits.** Whether an unjudged document answers is unknown.
    UNANSWERED = "BA701" "queries-without-answer", without_answer;
}

rule! {
    /// Judgments and candidate pools that name ids which are not in the subset.
    ///
    /// **Why it matters.** A missing answer cannot be found, but recall and nDCG count it.
    ///
    /// **Method.** Ids of judgments and of `candidates` against those of queries and documents. A defect if this
    /// affects more than 1 % of judgments.
    ///
    /// **Example.** Judgments of the train split in a set that has only test queries.
    ///
    /// **Remedy.** Publish the judged documents, or drop the judgments.
    ///
    /// **Limits.** Readers of formats that drop such rows hide them from the audit.
    UNKNOWN = "BA702" "unknown-ids", unknown_ids;
}

rule! {
    /// The grades in use, and the number of answers of a query.
    ///
    /// **Why it matters.** RR, recall and nDCG treat grades and several answers in different ways, and tools differ in
    /// the lowest grade that counts. RR over helpers with grade 1 is another number than RR over grade 2.
    ///
    /// **Method.** Reported if a grade other than 0 and one positive grade occurs, or if some queries have several
    /// answers. Numbers: the count of each grade from 0 to 4 that occurs, and the mean number of `answers`.
    ///
    /// **Example.** CLARC's group 3 Short: helpers have grade 1, the function itself 2.
    ///
    /// **Remedy.** Name the measure with its grade: `RR(rel=2)`.
    ///
    /// **Limits.** It is a note, never a mistake.
    GRADES = "BA703" "grades", grades;
}

rule! {
    /// Queries that are their own answer.
    ///
    /// **Why it matters.** Finding a text by itself is not retrieval.
    ///
    /// **Method.** Query and answer with white space as single blanks are the same text. A defect from 5 % of queries
    /// on.
    ///
    /// **Example.** A row whose code column was filled with the comment.
    ///
    /// **Remedy.** Remove such pairs.
    ///
    /// **Limits.** Copies that differ in a letter are not found.
    SELF = "BA704" "query-is-document", query_is_document;
}

rule! {
    /// Titles with a name that the text does not contain.
    ///
    /// **Why it matters.** Many tools put the title before the text (MTEB does, CoIR does not), so they see different
    /// sets. A title with the function's name undoes a setting that removed the names.
    ///
    /// **Method.** Documents whose title has a name (see BA101) that their text lacks. A warning in subsets that are a
    /// setting of another one, else a note.
    ///
    /// **Example.** `title: sqlite3_open`, over a function called `func_0`.
    ///
    /// **Remedy.** Leave titles empty, or rename in them too.
    ///
    /// **Limits.** Plain words cannot be distinguished from names.
    TITLES = "BA705" "titles-with-names", titles_with_names;
}

rule! {
    /// Ids of several documents, or of several queries.
    ///
    /// **Why it matters.** Judgments and runs refer to ids, so it is unclear which of the two is meant.
    ///
    /// **Method.** Ids of documents that occur more than once, and of queries; empty ids too.
    ///
    /// **Example.** Row numbers that begin again in each file.
    ///
    /// **Remedy.** Make ids from content, or number all rows.
    ///
    /// **Limits.** Readers of formats that refuse such files hide them from the audit.
    IDS = "BA706" "duplicate-ids", duplicate_ids;
}

fn without_answer(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let is_without = |query: &usize| {
            if subset.is_retrieval() {
                subset.answers(*query).next().is_none()
            } else {
                subset.judged[*query].is_empty()
            }
        };
        let found: Vec<usize> = (0..subset.queries.len()).filter(is_without).collect();
        let share = share_of(found.len(), subset.queries.len());
        let examples = found.iter().take(3).map(|&at| subset.show_query(at, 0));
        let message = format!(
            "{} of {} ({}) have no answer",
            grouped(found.len()),
            counted(subset.queries.len(), "query"),
            percent(share)
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            examples: examples.collect(),
            ..subset.found("queries", found.len(), subset.queries.len(), message)
        });
    }
}

fn unknown_ids(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let judgments = &subset.subset.judgments;
        let unknown = |query: &str, document: &str| {
            let has_query = subset.query_at.contains_key(query);
            let has_document = subset.document_at.contains_key(document);
            match (has_query, has_document) {
                (true, true) => None,
                (false, true) => Some("no such query"),
                (true, false) => Some("no such document"),
                (false, false) => Some("neither is there"),
            }
        };
        let of_judgments: Vec<(&str, &str, &str)> = judgments
            .iter()
            .filter_map(|judgment| {
                let why = unknown(&judgment.query, &judgment.document)?;
                Some((judgment.query.as_str(), judgment.document.as_str(), why))
            })
            .collect();
        let in_pools = subset
            .subset
            .candidates
            .iter()
            .flat_map(|(query, pool)| pool.iter().map(move |id| (query, id)));
        let of_pools: Vec<(&str, &str, &str)> = in_pools
            .filter_map(|(query, id)| {
                unknown(query, id).map(|why| (query.as_str(), id.as_str(), why))
            })
            .collect();
        let in_all = judgments.len()
            + subset
                .subset
                .candidates
                .values()
                .map(Vec::len)
                .sum::<usize>();
        let examples =
            of_judgments
                .iter()
                .chain(&of_pools)
                .take(3)
                .map(|(query, document, why)| Example {
                    ids: vec![(*query).to_owned(), (*document).to_owned()],
                    excerpt: (*why).to_owned(),
                });
        let share = share_of(of_judgments.len(), judgments.len());
        let message = format!(
            "{} of {} and {} name ids that are not there",
            grouped(of_judgments.len()),
            counted(judgments.len(), "judgment"),
            counted(of_pools.len(), "candidate")
        );
        report.add(Finding {
            severity: Severity::by(share, 0.0, 0.01),
            numbers: vec![
                ("judgments", of_judgments.len() as f64),
                ("candidates", of_pools.len() as f64),
            ],
            examples: examples.collect(),
            ..subset.found(
                "judgments",
                of_judgments.len() + of_pools.len(),
                in_all,
                message,
            )
        });
    }
}

fn grades(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
        for judgment in &subset.subset.judgments {
            *counts.entry(judgment.grade).or_default() += 1;
        }
        let answers: Vec<usize> = (0..subset.queries.len())
            .map(|query| subset.answers(query).count())
            .collect();
        let several = answers.iter().filter(|count| **count > 1).count();
        let answered = answers.iter().filter(|count| **count > 0).count();
        let positive = counts.keys().filter(|grade| **grade > 0).count();
        let negative = counts.keys().filter(|grade| **grade < 0).count();
        if positive < 2 && negative == 0 && several == 0 {
            continue;
        }
        let mean = answers.iter().sum::<usize>() as f64 / answered.max(1) as f64;
        let names = ["grade 0", "grade 1", "grade 2", "grade 3", "grade 4"];
        let mut numbers = vec![("answers", mean)];
        for (grade, name) in (0..).zip(names) {
            if let Some(&count) = counts.get(&grade) {
                numbers.push((name, count as f64));
            }
        }
        let used: Vec<String> = counts
            .iter()
            .take(8)
            .map(|(grade, count)| format!("{grade} ({})", grouped(*count)))
            .collect();
        let example = (0..answers.len()).max_by_key(|&at| (answers[at], std::cmp::Reverse(at)));
        let message = format!(
            "{} have several answers ({mean:.1} on average); grades: {}",
            counted(several, "query"),
            used.join(", ")
        );
        report.add(Finding {
            numbers,
            examples: example
                .map(|at| subset.show_query(at, 0))
                .into_iter()
                .collect(),
            ..subset.found(
                "queries",
                if several > 0 { several } else { answered },
                answers.len(),
                message,
            )
        });
    }
}

fn query_is_document(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let is_own = |query: &usize| {
            let facts = &subset.queries[*query];
            facts.words > 0
                && subset
                    .answers(*query)
                    .any(|answer| subset.documents[answer].spaced == facts.spaced)
        };
        let found: Vec<usize> = (0..subset.queries.len()).filter(is_own).collect();
        let share = share_of(found.len(), subset.queries.len());
        let message = format!(
            "{} ({}) are the text of their answer",
            counted(found.len(), "query"),
            percent(share)
        );
        report.add(Finding {
            severity: Severity::by(share, 0.0, 0.05),
            examples: found
                .iter()
                .take(3)
                .map(|&at| subset.show_query(at, 0))
                .collect(),
            ..subset.found("queries", found.len(), subset.queries.len(), message)
        });
    }
}

fn titles_with_names(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let shows = |at: &usize| {
            let document = subset.document(*at);
            let mut names = words(&document.title)
                .filter(|word| is_compound(word))
                .peekable();
            names.peek().is_some() && {
                let shown: Vec<&str> = words(&document.text)
                    .filter(|word| is_compound(word))
                    .collect();
                names.any(|name| !shown.contains(&name))
            }
        };
        let found: Vec<usize> = (0..subset.documents.len()).filter(shows).collect();
        let examples = found.iter().take(3).map(|&at| Example {
            ids: vec![subset.document(at).id.clone()],
            excerpt: excerpt(&subset.document(at).title, 0),
        });
        let message = format!(
            "{} of {} have a title with a name that their text has not",
            grouped(found.len()),
            counted(subset.documents.len(), "document")
        );
        report.add(Finding {
            severity: if subset.original.is_some() {
                Severity::Warning
            } else {
                Severity::Note
            },
            examples: examples.collect(),
            ..subset.found("documents", found.len(), subset.documents.len(), message)
        });
    }
}

fn duplicate_ids(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let documents: Vec<usize> = (0..subset.documents.len())
            .filter(|&at| {
                let id = subset.document(at).id.as_str();
                id.is_empty() || subset.document_at.get(id) != Some(&at)
            })
            .collect();
        let queries: Vec<usize> = (0..subset.queries.len())
            .filter(|&at| {
                let id = subset.query(at).id.as_str();
                id.is_empty() || subset.query_at.get(id) != Some(&at)
            })
            .collect();
        let of = subset.documents.len() + subset.queries.len();
        let of_documents = documents.iter().map(|&at| subset.show_document(at, 0));
        let of_queries = queries.iter().map(|&at| subset.show_query(at, 0));
        let examples = of_documents.chain(of_queries).take(3);
        let message = format!(
            "{} and {} have an id that is empty or another one's",
            counted(documents.len(), "document"),
            counted(queries.len(), "query")
        );
        report.add(Finding {
            severity: Severity::Defect,
            numbers: vec![
                ("documents", documents.len() as f64),
                ("queries", queries.len() as f64),
            ],
            examples: examples.collect(),
            ..subset.found("ids", documents.len() + queries.len(), of, message)
        });
    }
}
