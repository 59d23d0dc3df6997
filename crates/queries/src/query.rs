//! One query a unit, or the reason why there is none.

use std::collections::BTreeMap;

use barecode_records::{Outcome, Query, Reason, SetAside, Stage, TargetKind, Unit};
use serde::{Deserialize, Serialize};

use crate::clean::clean;
use crate::leak::leaks;
use crate::prose::not_prose;

/// Where queries are from, and which comments are some: the `[queries]` part of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct QueryConfig {
    /// Whether comments are queries.
    pub comments: bool,
    /// Fewest words.
    pub min_words: u32,
    /// Most words.
    pub max_words: u32,
    /// Files of one's own queries.
    pub files: Vec<String>,
}

impl Default for QueryConfig {
    fn default() -> Self {
        QueryConfig {
            comments: true,
            min_words: 4,
            max_words: 120,
            files: Vec::new(),
        }
    }
}

/// Makes the queries of all units of a run; what is counted are `units`. Queries and units without one are by
/// unit id.
///
/// Two units with the same query text would each be a wrong answer to the other's query, so only the first by
/// unit id keeps it. Units that are given in several calls are not compared with each other.
pub fn query(units: &[Unit], config: &QueryConfig) -> Outcome<Vec<Query>> {
    let mut order: Vec<&Unit> = units.iter().collect();
    order.sort_by(|a, b| a.id.cmp(&b.id));
    let mut done = Outcome::counting(["units"]);
    let mut seen: BTreeMap<String, &Unit> = BTreeMap::new();
    for unit in order {
        let made = query_of(unit, config).and_then(|query| match seen.get(&query.text) {
            Some(first) => Err((
                Reason::QueryDuplicate,
                format!("{} {}", first.id, first.origin.place()),
            )),
            None => Ok(query),
        });
        match made {
            Ok(query) => {
                seen.insert(query.text.clone(), unit);
                done.keep("units", query);
            }
            Err((reason, detail)) => {
                let row = SetAside {
                    id: Some(unit.id.clone()),
                    origin: Some(unit.origin.clone()),
                    name: Some(unit.name.clone()),
                    ..SetAside::new(Stage::Query, "query", reason, detail)
                };
                done.set_aside("units", row);
            }
        }
    }
    done
}

/// Whether a comment can be a query for the function of this name, as far as it can be told before there are units.
pub fn could_ask(comment: &str, name: &str, config: &QueryConfig) -> bool {
    let text = clean(comment, name);
    let words = count_words(&text);
    config.comments
        && not_prose(&text).is_none()
        && (config.min_words..=config.max_words).contains(&words)
}

fn query_of(unit: &Unit, config: &QueryConfig) -> Result<Query, (Reason, String)> {
    if !config.comments {
        return Err((Reason::CommentsOff, String::new()));
    }
    let Some(doc) = &unit.doc else {
        return Err((Reason::NoDocComment, String::new()));
    };
    let text = clean(&doc.text, &unit.name);
    if let Some(what) = not_prose(&text) {
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
