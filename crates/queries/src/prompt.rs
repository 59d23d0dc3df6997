//! The prompts by which a model writes a query (CLARC, section 3.1.4 and appendix G).
//!
//! Enters: templates, examples, and a unit. Leaves: a prompt. `clarc` has the paper's texts word for word, one for
//! each dependency group and one for style alignment; `default` requests the words that a developer would type. A
//! folder of the user may replace them.
//!
//! The one hard part is the limit: a closure may be longer than a model reads or than a user is ready to pay for. The
//! pieces that the function itself names go in first, then its helpers, then the rest; the number of pieces that did
//! not fit is part of the result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use barecode_records::{Digest, Group, Piece, PieceKind, Unit, guarded};
use serde::Deserialize;

/// The sets of templates that need no folder.
pub const PROMPT_SETS: [&str; 2] = ["default", "clarc"];

/// The file for every group without one of its own.
const ANY_GROUP: &str = "query.txt";
const ALIGNMENT: &str = "alignment.txt";

const BUILT_IN: [(&str, &str, &str); 6] = [
    (
        "default",
        ANY_GROUP,
        include_str!("../prompts/default/query.txt"),
    ),
    (
        "default",
        ALIGNMENT,
        include_str!("../prompts/default/alignment.txt"),
    ),
    (
        "clarc",
        "group1.txt",
        include_str!("../prompts/clarc/group1.txt"),
    ),
    (
        "clarc",
        "group2.txt",
        include_str!("../prompts/clarc/group2.txt"),
    ),
    (
        "clarc",
        "group3.txt",
        include_str!("../prompts/clarc/group3.txt"),
    ),
    (
        "clarc",
        ALIGNMENT,
        include_str!("../prompts/clarc/alignment.txt"),
    ),
];

/// The fence around code in a template.
const FENCE: &str = "```";

/// A fence that is longer than any in some texts, so that none of them ends the block around it.
fn fence_around(texts: &[&str]) -> String {
    let ticks = |text: &&str| {
        let runs = text.split(|c| c != '`').map(str::len);
        runs.max().unwrap_or_default()
    };
    let longest = texts.iter().map(ticks).max().unwrap_or_default();
    "`".repeat(FENCE.len().max(longest + 1))
}

/// The slots that a template may hold, in braces.
const SLOTS: [&str; 8] = [
    "function_name",
    "function_text",
    "type_declaration",
    "dependencies",
    "examples",
    "few_shot_examples",
    "few_shot_example",
    "original_query",
];

/// A function and the query that was written for it, to show the required form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The function.
    pub function: String,
    /// Its query.
    pub query: String,
}

/// The templates of a set, with the examples that go into them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    templates: BTreeMap<String, String>,
    examples: Vec<Example>,
}

/// A prompt, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// Pieces of the function's closure that did not fit.
    pub left_out: u32,
}

impl Prompts {
    /// The templates of `default` or `clarc`, or of a folder with `query.txt`, or `group1.txt` to `group3.txt`, and
    /// perhaps `alignment.txt`.
    ///
    /// # Errors
    /// For a folder that cannot be read or lacks a file, and for a template without a slot for the function, or with
    /// an unknown slot.
    pub fn of(set: &str, base: &Path, examples: Vec<Example>) -> Result<Self, String> {
        let mut templates = BTreeMap::new();
        for (of, name, text) in BUILT_IN {
            if of == set {
                templates.insert(name.to_owned(), text.to_owned());
            }
        }
        if templates.is_empty() {
            let folder = base.join(set);
            for name in [
                "group1.txt",
                "group2.txt",
                "group3.txt",
                ANY_GROUP,
                ALIGNMENT,
            ] {
                let path = folder.join(name);
                if path.exists() {
                    let text = guarded::text(&path).map_err(|error| {
                        format!("cannot read the prompt `{set}/{name}`: {error}")
                    })?;
                    check(&text, name).map_err(|why| format!("`{set}/{name}` {why}"))?;
                    templates.insert(name.to_owned(), text);
                }
            }
            let lacks = |group: &Group| !templates.contains_key(&format!("{}.txt", group.name()));
            if !templates.contains_key(ANY_GROUP) && Group::ALL.iter().any(lacks) {
                return Err(format!(
                    "the prompts `{set}` are neither {} nor a folder with `query.txt`, or `group1.txt`, `group2.txt` and `group3.txt`",
                    PROMPT_SETS.map(|set| format!("`{set}`")).join(", ")
                ));
            }
        }
        Ok(Prompts {
            templates,
            examples,
        })
    }

    /// Examples from the text of a TOML file with tables `[[example]]`.
    ///
    /// # Errors
    /// For text that is not such a file, and for one without examples.
    pub fn examples(text: &str) -> Result<Vec<Example>, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            example: Vec<Example>,
        }
        let wire: Wire = toml::from_str(text).map_err(|error| error.to_string())?;
        if wire.example.is_empty() {
            return Err("`[[example]]` not found".to_owned());
        }
        Ok(wire.example)
    }

    /// A digest of all that is the same in every prompt.
    pub fn digest(&self) -> String {
        let mut digest = Digest::new("prompts");
        for (name, text) in &self.templates {
            digest = digest.field(name).field(text);
        }
        for example in &self.examples {
            digest = digest.field(&example.function).field(&example.query);
        }
        digest.hex()
    }

    /// Returns the prompt for a query for a unit; the code that the function needs has at most `limit` characters.
    pub fn query(&self, unit: &Unit, limit: usize) -> Filled {
        let of_group = format!("{}.txt", unit.group.name());
        let template = self
            .templates
            .get(&of_group)
            .or_else(|| self.templates.get(ANY_GROUP))
            .map_or("", String::as_str);
        let needs = Needs::of(unit, limit);
        let mut text = self.fill(template, unit, &needs, "");
        let has_slot = ["{few_shot_examples}", "{examples}"]
            .iter()
            .any(|slot| template.contains(slot));
        if !has_slot && !self.examples.is_empty() {
            // The paper uses examples in all groups and shows a slot for them in one prompt only.
            text.push_str(
                "\nHere are some examples of how the final summary should look like:\n\n",
            );
            text.push_str(&self.shown_examples());
        }
        Filled {
            text,
            left_out: needs.left_out,
        }
    }

    /// Returns the prompt that rewrites the query of a human author in the style of the examples (appendix G.4);
    /// `None` if the set has no such template.
    pub fn alignment(&self, query: &str, unit: &Unit) -> Option<String> {
        let template = self.templates.get(ALIGNMENT)?;
        Some(self.fill(template, unit, &Needs::default(), query))
    }

    fn fill(&self, template: &str, unit: &Unit, needs: &Needs, query: &str) -> String {
        let mut filled = String::with_capacity(template.len() + unit.text.len() + needs.text.len());
        let fence = fence_around(&[&unit.text, &needs.text]);
        let mut examples = self.examples.iter();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(&before.replace(FENCE, &fence));
            let slot = after
                .split_once('}')
                .filter(|(name, _)| SLOTS.contains(name));
            let Some((name, after)) = slot else {
                filled.push('{');
                rest = after;
                continue;
            };
            rest = after;
            match name {
                "function_name" => filled.push_str(&unit.name),
                // The paper's prompt for group 3 has no slot for the code that the function needs, and speaks of the
                // label.
                "function_text" if !needs.text.is_empty() && !has_slot_for_needs(template) => {
                    filled.push_str(&needs.text);
                    filled.push_str("\nFunction to Summarize:\n\n");
                    filled.push_str(unit.text.trim_end());
                }
                "function_text" => filled.push_str(unit.text.trim_end()),
                "type_declaration" => filled.push_str(needs.text.trim_end()),
                "dependencies" if !needs.text.is_empty() => {
                    filled.push_str("\nWhat the function needs, for context only:\n\n");
                    for line in [&fence, needs.text.trim_end(), &fence] {
                        filled.push_str(line);
                        filled.push('\n');
                    }
                }
                "examples" if !self.examples.is_empty() => {
                    filled.push_str("\nExamples:\n\n");
                    filled.push_str(&self.shown_examples());
                }
                "few_shot_examples" => filled.push_str(self.shown_examples().trim_end()),
                "few_shot_example" => {
                    let example = examples.next();
                    filled.push_str(example.map_or("", |example| example.query.trim()));
                }
                "original_query" => filled.push_str(query),
                _ => {}
            }
        }
        filled.push_str(&rest.replace(FENCE, &fence));
        filled
    }

    fn shown_examples(&self) -> String {
        let shown = self.examples.iter().map(|example| {
            let (function, query) = (example.function.trim_end(), example.query.trim());
            format!("{function}\n\nSUMMARY:\n{query}\n")
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Returns `true` if a template for alignment exists.
    pub fn can_align(&self) -> bool {
        self.templates.contains_key(ALIGNMENT)
    }

    /// Examples that the template for alignment has slots for and that are missing.
    pub fn missing_examples(&self) -> usize {
        let template = self.templates.get(ALIGNMENT).map_or("", String::as_str);
        let slots = template.matches("{few_shot_example}").count();
        slots.saturating_sub(self.examples.len())
    }
}

fn has_slot_for_needs(template: &str) -> bool {
    template.contains("{type_declaration}") || template.contains("{dependencies}")
}

/// Checks that a template can be filled.
fn check(text: &str, name: &str) -> Result<(), String> {
    let needed = if name == ALIGNMENT {
        "{original_query}"
    } else {
        "{function_text}"
    };
    if !text.contains(needed) {
        return Err(format!("has no `{needed}`"));
    }
    let is_name = |name: &&str| {
        name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    let mut slots = text
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0));
    match slots.find(|slot| is_name(slot) && !SLOTS.contains(slot)) {
        Some(slot) => Err(format!(
            "has a slot `{{{slot}}}` that nothing fills; slots are {}",
            SLOTS.map(|slot| format!("`{{{slot}}}`")).join(", ")
        )),
        None => Ok(()),
    }
}

/// The code that a function needs to be understood.
#[derive(Debug, Default)]
struct Needs {
    /// The pieces that fit, in the order of the closure.
    text: String,
    /// The number of pieces that did not fit.
    left_out: u32,
}

impl Needs {
    fn of(unit: &Unit, limit: usize) -> Self {
        let closure = &unit.closure;
        let references = &unit.references;
        let named: BTreeSet<&str> = [
            &references.types,
            &references.globals,
            &references.macros,
            &references.functions,
        ]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
        // The function is in the prompt by itself, standard headers add nothing, and scopes are only borders.
        let is_shown = |piece: &&Piece| {
            !matches!(
                piece.kind,
                PieceKind::Header | PieceKind::Scope | PieceKind::Target
            )
        };
        let rank = |piece: &Piece| match piece.kind {
            _ if piece.external => 3,
            PieceKind::Helper => 1,
            _ if piece.names.iter().any(|name| named.contains(name.as_str())) => 0,
            _ => 2,
        };
        let mut pieces: Vec<(usize, &Piece)> =
            closure.pieces.iter().filter(is_shown).enumerate().collect();
        pieces.sort_by_key(|(at, piece)| (rank(piece), *at));
        let (mut left, mut left_out) = (limit, 0);
        pieces.retain(|(_, piece)| {
            let length = (piece.span.end - piece.span.start) as usize;
            let fits = length <= left;
            if fits {
                left -= length;
            } else {
                left_out += 1;
            }
            fits
        });
        pieces.sort_by_key(|(at, _)| *at);
        let mut text = String::new();
        for (_, piece) in pieces {
            let range = piece.span.start as usize..piece.span.end as usize;
            let piece = closure.text.get(range).unwrap_or_default().trim();
            if !piece.is_empty() {
                text.push_str(piece);
                text.push('\n');
            }
        }
        Needs { text, left_out }
    }
}
