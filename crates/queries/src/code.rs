//! Code as queries for code: a function under a setting is the query for itself as it was written.
//!
//! It needs no words and no judge, so any repository has one such query for each function. The score measures if a
//! function is recognized, not if words find it: literals and names of libraries stay under most settings.

use std::collections::BTreeMap;

use barecode_records::{Digest, Id, Query, Setting, TargetKind, Unit, Variant};

use crate::leaks;

/// A query for each unit that has a variant under the setting and draw. The query of a unit has the same id under all
/// settings.
pub fn code_queries(
    units: &[Unit],
    variants: &[Variant],
    draw: (Setting, Option<u32>),
) -> Vec<Query> {
    let under: BTreeMap<&Id, &Variant> = variants
        .iter()
        .filter(|variant| (variant.setting, variant.draw) == draw)
        .map(|variant| (&variant.unit_id, variant))
        .collect();
    let query = |unit: &Unit| {
        let variant = under.get(&unit.id)?;
        let (leak, leaked) = leaks(&variant.text, unit);
        let words = variant.text.split_whitespace().count();
        Some(Query {
            id: Id::new("q", &Digest::new("code-query").field(&unit.id)),
            target_kind: TargetKind::Unit,
            target_id: unit.id.clone(),
            writer: Query::CODE.to_owned(),
            origin: unit.origin.clone(),
            text: variant.text.clone(),
            raw: None,
            place: None,
            stated_at: None,
            model: None,
            prompt: None,
            left_out: None,
            tries: None,
            class: None,
            words: u32::try_from(words).unwrap_or(u32::MAX),
            leak,
            leaked,
        })
    };
    units.iter().filter_map(query).collect()
}
