//! Any text as any language that tree-sitter reads: what is found lies inside of the text, and a text without comments
//! has none.

#![no_main]

use barecode_languages::{Entry, LANGUAGES};
use barecode_trees::{Items, Meaning, Names, Parsed, bare, complexity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let read: Vec<&Entry> = LANGUAGES
        .iter()
        .filter(|entry| entry.tree().is_some())
        .collect();
    let entry = read[usize::from(choice) % read.len()];
    let parsed = Parsed::of(text, entry.language).expect("it is read by queries");
    let items = Items::of(&parsed);
    for item in &items.items {
        assert!(text.get(item.range.clone()).is_some());
        items.doc(text, item.range.start);
        bare(text, item.range.clone(), &items.comments);
    }
    for container in &items.containers {
        container.brackets(text);
    }
    let names = Names::of(&parsed, &items);
    let mut last = 0;
    for occurrence in &names.occurrences {
        assert!(last <= occurrence.range.start && text.get(occurrence.range.clone()).is_some());
        if let Meaning::Bound(found) = &occurrence.meaning {
            assert!(found.iter().all(|number| *number < names.definitions.len()));
        }
        last = occurrence.range.end;
    }
    complexity(text, entry.language);
});
