//! The comments of a unit → its queries, or the reason why it has none.

use std::collections::BTreeMap;

use barecode_records::{
    DocComment, FunctionKind, Outcome, Query, Reason, SetAside, Stage, TargetKind, Unit,
};
use serde::{Deserialize, Serialize};

use crate::clean::clean;
use crate::leak::leaks;
use crate::prose::not_prose;

/// The sources of queries, and the comments that are queries: the `[queries]` part of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct QueryConfig {
    /// True if comments are queries.
    pub comments: bool,
    /// True if the other comments of a function that has a query are queries too.
    pub further_comments: bool,
    /// Fewest words.
    pub min_words: u32,
    /// Most words.
    pub max_words: u32,
    /// Files of the user's own queries.
    pub files: Vec<String>,
    /// Files of the decisions of reviewers.
    pub reviews: Vec<String>,
}

impl Default for QueryConfig {
    fn default() -> Self {
        QueryConfig {
            comments: true,
            further_comments: true,
            min_words: 4,
            max_words: 120,
            files: Vec::new(),
            reviews: Vec::new(),
        }
    }
}

/// The kind of thing for further comments of a unit: those besides the one that is counted as `units`.
pub const FURTHER_COMMENTS: &str = "further comments";

/// Makes the queries of all units of a run. A unit counts among `units` by the first comment that is a query, else by
/// its first; its other comments are counted as `further comments`. Queries and rows are by unit id.
///
/// Two units with the same query text would each be a wrong answer to the other's query, so only the first by
/// unit id keeps it. Units that are given in several calls are not compared with each other.
pub fn query(units: &[Unit], config: &QueryConfig) -> Outcome<Vec<Query>> {
    let mut order: Vec<&Unit> = units.iter().collect();
    order.sort_by(|a, b| a.id.cmp(&b.id));
    let mut done = Outcome::counting(["units"]);
    let mut seen: BTreeMap<String, &Unit> = BTreeMap::new();
    for unit in order {
        let mut made: Vec<Result<Query, (Reason, String)>> = Vec::new();
        for doc in &unit.docs {
            let has_query = made.iter().any(Result::is_ok);
            let query = query_of(unit, doc, has_query, config).and_then(|query| {
                let Some(first) = seen.insert(query.text.clone(), unit) else {
                    return Ok(query);
                };
                let detail = format!("{} {}", first.id, first.origin.place());
                seen.insert(query.text, first);
                Err((Reason::QueryDuplicate, detail))
            });
            made.push(query);
        }
        if made.is_empty() {
            let off = (Reason::CommentsOff, String::new());
            let none = (Reason::NoDocComment, String::new());
            made.push(Err(if config.comments { none } else { off }));
        }
        let of_unit = made.iter().position(Result::is_ok).unwrap_or(0);
        for (number, made) in made.into_iter().enumerate() {
            let kind = if number == of_unit {
                "units"
            } else {
                FURTHER_COMMENTS
            };
            match made {
                Ok(query) => done.keep(kind, query),
                Err((reason, detail)) => {
                    let row = SetAside {
                        id: Some(unit.id.clone()),
                        origin: Some(unit.origin.clone()),
                        name: Some(unit.name.clone()),
                        ..SetAside::new(Stage::Query, "query", reason, detail)
                    };
                    done.set_aside(kind, row);
                }
            }
        }
    }
    done
}

/// Returns `true` if a comment can be a query for the function of this name, as far as that is known before units
/// exist.
pub fn could_ask(comment: &str, name: &str, config: &QueryConfig) -> bool {
    let text = clean(comment, name);
    let words = count_words(&text);
    config.comments
        && not_prose(&text).is_none()
        && (config.min_words..=config.max_words).contains(&words)
}

fn query_of(
    unit: &Unit,
    doc: &DocComment,
    has_query: bool,
    config: &QueryConfig,
) -> Result<Query, (Reason, String)> {
    if !config.comments {
        return Err((Reason::CommentsOff, String::new()));
    }
    if has_query && !config.further_comments {
        return Err((Reason::CommentsOff, "`further-comments = false`".to_owned()));
    }
    // The published rules have cleaned the comment, and have no rules about prose.
    let is_cleaned = unit.kind == FunctionKind::Lines;
    let text = if is_cleaned {
        doc.text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        clean(&doc.text, &unit.name)
    };
    if let Some(what) = not_prose(&text).filter(|_| !is_cleaned) {
        return Err((
            Reason::QueryNotProse,
            format!("{what}: {}", beginning(&text)),
        ));
    }
    let words = count_words(&text);
    if words < config.min_words {
        let detail = format!(
            "{words} words, fewer than {}: {}",
            config.min_words,
            beginning(&text)
        );
        return Err((Reason::QueryTooShort, detail));
    }
    if words > config.max_words {
        let detail = format!(
            "{words} words, more than {}: {}",
            config.max_words,
            beginning(&text)
        );
        return Err((Reason::QueryTooLong, detail));
    }
    let (leak, leaked) = leaks(&text, unit);
    Ok(Query {
        id: Query::id_of(&unit.id, &text),
        target_kind: TargetKind::Unit,
        target_id: unit.id.clone(),
        writer: Query::DOC_COMMENT.to_owned(),
        origin: unit.origin.clone(),
        raw: Some(doc.text.clone()),
        place: Some(doc.place),
        stated_at: None,
        model: None,
        prompt: None,
        left_out: None,
        tries: None,
        class: None,
        words,
        leak,
        leaked,
        text,
    })
}

/// Whatever is between blanks and has a letter or digit.
pub(crate) fn count_words(text: &str) -> u32 {
    let words = text
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    u32::try_from(words.count()).unwrap_or(u32::MAX)
}

fn beginning(text: &str) -> String {
    text.chars().take(120).collect()
}
