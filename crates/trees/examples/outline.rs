//! What the queries of a language see in a file, for whoever writes them.
//!
//! `cargo run -p barecode-trees --example outline -- FILE...` prints each function with its lines, the classes around
//! it, and the first line of its comment; `--names` prints each file with every name that may change in `«»`, names of
//! members that nothing is known of in `‹›`, and the names that stay wherever they stand.

#![expect(clippy::print_stdout, reason = "it prints what is seen")]
#![expect(clippy::print_stderr, reason = "it prints what is not")]
#![expect(clippy::string_slice, reason = "the ranges are those of the text")]

use barecode_trees::{ItemKind, Items, Meaning, Names, Parsed};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_names = arguments.iter().any(|argument| argument == "--names");
    arguments.retain(|argument| argument != "--names");
    for path in arguments {
        let Some((entry, _)) = barecode_languages::of_path(&path) else {
            eprintln!("{path}: its ending is not known");
            continue;
        };
        let bytes = std::fs::read(&path).expect("the file can be read");
        let text = String::from_utf8_lossy(&bytes);
        let Some(parsed) = Parsed::of(&text, entry.language) else {
            eprintln!("{path}: {} is not read by queries", entry.title);
            continue;
        };
        if let Some(problem) = parsed.problem() {
            println!("{path}: not {}: {problem}", entry.title);
        }
        let items = Items::of(&parsed);
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        if !with_names {
            for item in &items.items {
                let ItemKind::Function(kind) = item.kind else {
                    continue;
                };
                let doc = items.doc(&text, item.range.start);
                let doc = doc.and_then(|doc| text.get(doc)?.lines().next().map(str::to_owned));
                let mut name = items.path(item).join(".");
                name.push('.');
                name.push_str(item.name());
                let inside = if item.inside.is_some() {
                    " (inside)"
                } else {
                    ""
                };
                println!(
                    "{path}:{}-{} {kind:?} {}{inside} {}",
                    line(item.range.start),
                    line(item.range.end.saturating_sub(1)),
                    name.trim_start_matches('.'),
                    doc.unwrap_or_default()
                );
            }
            continue;
        }
        let names = Names::of(&parsed, &items);
        let mut at = 0;
        for occurrence in &names.occurrences {
            print!("{}", &text[at..occurrence.range.start]);
            let name = &text[occurrence.range.clone()];
            match &occurrence.meaning {
                Meaning::Bound(_) if !names.kept.contains_key(name) => print!("«{name}»"),
                Meaning::Foreign | Meaning::Others => print!("‹{name}›"),
                _ => print!("{name}"),
            }
            at = occurrence.range.end;
        }
        println!("{}", &text[at..]);
        println!("kept: {:?}", names.kept);
    }
}
