//! The queries of a board with the ranks of all systems.

use std::collections::HashMap;

use barecode_records::Leak;
use barecode_results::board::Board;

use crate::browse::{Asked, Browsed, Document, Home, List};
use crate::distinct;

/// The settings of all subsets, in order.
pub(super) fn settings(board: &Board) -> Vec<&str> {
    let subsets = board.dataset.subsets.iter();
    distinct(subsets.map(|one| one.setting.as_deref().unwrap_or_default()))
}

/// The queries of each group, with a list that has only the rank of the answer.
pub(super) fn browsed(board: &Board) -> Browsed {
    let subsets = &board.dataset.subsets;
    let settings = settings(board);
    let mut all = Browsed {
        name: board.dataset.name.clone(),
        systems: board.results.iter().map(|one| one.system.clone()).collect(),
        settings: settings
            .iter()
            .map(|&setting| {
                if setting.is_empty() {
                    "as given"
                } else {
                    setting
                }
                .to_owned()
            })
            .collect(),
        home: Home::Board,
        ..Browsed::default()
    };
    let mut documents: HashMap<&str, u32> = HashMap::new();
    let mut at: HashMap<(&str, &str), usize> = HashMap::new();
    for subset in subsets {
        let setting = subset.setting.as_deref().unwrap_or_default();
        let column = settings
            .iter()
            .position(|one| *one == setting)
            .unwrap_or_default();
        let group = subset.group.as_deref().unwrap_or_default();
        for id in &subset.queries {
            let about = board.dataset.queries.get(id);
            let answer = *documents.entry(id).or_insert_with(|| {
                let about = about.cloned().unwrap_or_default();
                all.documents.push(Document {
                    id: id.clone(),
                    name: about.answer,
                    place: about.place,
                    language: about.language,
                    texts: Vec::new(),
                });
                u32::try_from(all.documents.len() - 1).unwrap_or(u32::MAX)
            });
            let query = *at.entry((id, group)).or_insert_with(|| {
                let about = about.cloned().unwrap_or_default();
                let text = if about.text.is_empty() {
                    id.clone()
                } else {
                    about.text
                };
                all.queries.push(Asked {
                    id: id.clone(),
                    group: group.to_owned(),
                    text,
                    writer: about.writer,
                    leak: Leak::named(&about.leak),
                    answer,
                    lists: vec![None; all.systems.len() * settings.len()],
                    ..Asked::default()
                });
                all.queries.len() - 1
            });
            for (row, result) in board.results.iter().enumerate() {
                let values = result.subsets.get(&subset.name);
                let list = values
                    .and_then(|values| values.get(id))
                    .map(|(_, rank)| List {
                        rank: *rank,
                        ..List::default()
                    });
                all.queries[query].lists[row * settings.len() + column] = list;
            }
        }
    }
    all
}
