//! A run read in blocks is the run read plainly, wherever its lines stand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use barecode_formats::run::Table;
use barecode_formats::trec::TrecRun;
use proptest::prelude::*;

/// Lines of few queries in any order, with comments, empty lines and both line ends between them.
fn lines() -> impl Strategy<Value = Vec<(u8, Option<u8>)>> {
    prop::collection::vec((0_u8..4, prop::option::weighted(0.9, 0_u8..4)), 1..60)
}

fn text_and_table(lines: &[(u8, Option<u8>)]) -> (String, Table) {
    let mut text = String::new();
    let mut table: Table = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (end, query)) in lines.iter().enumerate() {
        let end = if end % 2 == 0 { "\n" } else { "\r\n" };
        let Some(query) = query else {
            text.push_str(if number % 2 == 0 {
                "# q0 Q0 d 1 1 x"
            } else {
                " "
            });
            text.push_str(end);
            continue;
        };
        let query = format!("query{query}");
        let entry = (format!("d{number}"), number as f64 / 4.0);
        write!(text, "{query} Q0 {} 1 {} tag{end}", entry.0, entry.1).unwrap();
        let at = *index.entry(query.clone()).or_insert_with(|| {
            table.push((query, Vec::new()));
            table.len() - 1
        });
        table[at].1.push(entry);
    }
    (text, table)
}

proptest! {
    #[test]
    fn blocks_of_any_size_give_every_query_once_and_whole(
        lines in lines(),
        grouped: bool,
        block in 1_u64..400,
        cut_end: bool,
    ) {
        let mut lines = lines;
        if grouped {
            lines.sort_by_key(|(_, query)| *query);
        }
        let (mut text, table) = text_and_table(&lines);
        if cut_end {
            text.truncate(text.trim_end().len());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        std::fs::write(&path, &text).unwrap();
        let read = |run: TrecRun| run.for_each_query(|run| {
            for (at, document) in run.documents.iter().enumerate() {
                assert_eq!(run.position(document.doc), Some(at));
            }
            assert_eq!(run.position("nothing"), None);
            let documents = run.documents.iter();
            Ok(documents.map(|document| (document.doc.to_owned(), document.score)).collect::<Vec<_>>())
        });
        let found = read(TrecRun::open(&path).unwrap().with_block(block));
        if table.is_empty() {
            prop_assert!(found.is_err());
        } else {
            prop_assert_eq!(&found.unwrap(), &table);
            let packed = folder.path().join("packed");
            let mut gzip = flate2::write::GzEncoder::new(
                std::fs::File::create(&packed).unwrap(), flate2::Compression::fast());
            gzip.write_all(text.as_bytes()).unwrap();
            gzip.finish().unwrap();
            prop_assert_eq!(&read(TrecRun::open(&packed).unwrap()).unwrap(), &table);
        }
    }
}
