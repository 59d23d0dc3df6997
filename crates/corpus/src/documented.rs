//! Documentation away from the code → the functions it is about, by name.
//!
//! Doxygen's comments that name their function (`\fn int f(int)`), and pages of `reStructuredText` and Markdown
//! (`.. c:function:: int f(int)`, a heading `f(int)`, a manual page with `# NAME`). A name counts if it is documented
//! once. A text that could belong to two functions belongs to neither, as that of a group of functions does.

use std::collections::BTreeMap;

use barecode_languages::ending;
use barecode_records::{DocComment, DocPlace, Stored};
use rayon::prelude::*;

use crate::preprocess::unit::{Files, SourceText};

/// Texts by the function they are about, with the scopes that they name (`Kite::turn`); `None` if there are several
/// texts.
#[derive(Default)]
pub(crate) struct Documented {
    by_name: BTreeMap<String, Option<DocComment>>,
}

impl Documented {
    /// Collects documentation from the comments of files and from pages.
    pub(crate) fn in_files(files: &Files<'_>, pages: &BTreeMap<String, Stored>) -> Documented {
        let paths: Vec<&str> = files.paths().collect();
        let of_file = |path: &&str| files.get(path).map(|file| comments(&file));
        let mut documented = Documented::default();
        for all in paths.chunks(1024) {
            let found: Vec<_> = all.par_iter().filter_map(of_file).collect();
            for (name, doc) in found.into_iter().flatten() {
                documented.add(name, doc);
            }
        }
        for (path, bytes) in pages {
            documented.page(path, &String::from_utf8_lossy(&bytes.bytes()));
        }
        documented
    }

    /// The text about a function with this qualified name, if exactly one exists.
    pub(crate) fn of(&self, qualified_name: &str) -> Option<&DocComment> {
        let inner = qualified_name.match_indices("::");
        let inner = inner.filter_map(|(at, mark)| qualified_name.get(at + mark.len()..));
        let mut known = std::iter::once(qualified_name)
            .chain(inner)
            .filter_map(|name| self.by_name.get(name));
        let only = known.next()?;
        only.as_ref().filter(|_| known.next().is_none())
    }

    fn add(&mut self, name: String, doc: DocComment) {
        let entry = self.by_name.entry(name);
        entry.and_modify(|known| *known = None).or_insert(Some(doc));
    }

    /// Reads the content of a page, by its ending.
    fn page(&mut self, path: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let is_markdown = ending(path) == "md";
        if let Some((name, doc)) = manual(path, &lines).filter(|_| is_markdown) {
            return self.add(name, doc);
        }
        for (at, line) in lines.iter().enumerate() {
            let head = if is_markdown {
                heading(line)
            } else {
                directive(line)
            };
            let Some(name) = head.and_then(declared_name) else {
                continue;
            };
            // A text behind several signatures, one below the other, could belong to any of them.
            if at > 0
                && lines
                    .get(at - 1)
                    .is_some_and(|above| directive(above).is_some())
            {
                continue;
            }
            let indent = indentation(line);
            let behind = lines.iter().skip(at + 1);
            // Further signatures of the same entry, options, and fences of code come before the prose.
            let mut fenced = false;
            // The indentation of a directive whose lines are skipped: `.. versionadded:: 2.1`.
            let mut aside: Option<usize> = None;
            let skipped = behind.take_while(|line| {
                let is_deeper = |than: usize| indentation(line) > than;
                let trimmed = line.trim();
                let fence = trimmed.starts_with("```");
                let was = fenced;
                fenced ^= fence;
                if was || fence || trimmed.is_empty() || aside.is_some_and(is_deeper) {
                    return true;
                }
                let begins_aside = !is_markdown
                    && trimmed.starts_with(".. ")
                    && is_deeper(indent)
                    && directive(line).is_none();
                aside = begins_aside.then(|| indentation(line));
                begins_aside || (!is_markdown && (is_field(trimmed) || declared_again(line)))
            });
            let first = at + 1 + skipped.count();
            let belongs = |line: &&&str| {
                let trimmed = line.trim();
                !trimmed.is_empty()
                    && !trimmed.starts_with(['#', '|'])
                    && !["..", "```"].iter().any(|mark| trimmed.starts_with(mark))
                    && !is_field(trimmed)
                    && (is_markdown || indentation(line) > indent)
            };
            let prose: Vec<&str> = lines
                .iter()
                .skip(first)
                .take_while(belongs)
                .map(|line| line.trim())
                .collect();
            if prose.is_empty() {
                continue;
            }
            let line_number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
            let doc = DocComment {
                text: plain(&prose.join("\n")),
                place: DocPlace::Page,
                path: path.to_owned(),
                start_line: line_number(first),
                end_line: line_number(first + prose.len() - 1),
            };
            self.add(name, doc);
        }
    }
}

/// The comments of a file that name their function.
fn comments(file: &SourceText) -> Vec<(String, DocComment)> {
    let mut found = Vec::new();
    for comment in &file.lines.comments {
        let text = comment.text(&file.text);
        if let [name] = &*named_functions(text) {
            let (start_line, end_line) = file.lines_of(&(comment.start..comment.end));
            let doc = DocComment {
                text: text.to_owned(),
                place: DocPlace::Detached,
                path: file.path.clone(),
                start_line,
                end_line,
            };
            found.push((name.clone(), doc));
        }
    }
    found
}

/// The content of a manual page: under `# NAME` the function and its purpose in short, under `# DESCRIPTION` the same
/// at length, of which the first paragraph is used. A page about several functions counts for none of them.
fn manual(path: &str, lines: &[&str]) -> Option<(String, DocComment)> {
    let below = |heading: &str| {
        let at = lines.iter().position(|line| line.trim_end() == heading)?;
        let blank = lines
            .iter()
            .skip(at + 1)
            .take_while(|line| line.trim().is_empty());
        Some(at + 1 + blank.count())
    };
    let is_text = |line: &&&str| !line.trim().is_empty() && !line.starts_with(['#', '~', '`', '|']);
    let named = below("# NAME")?;
    let (name, short) = lines.get(named)?.split_once(" - ")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let described = below("# DESCRIPTION").unwrap_or(lines.len());
    let paragraph: Vec<&str> = lines
        .iter()
        .skip(described)
        .take_while(is_text)
        .copied()
        .collect();
    let last = if paragraph.is_empty() {
        named
    } else {
        described + paragraph.len() - 1
    };
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let doc = DocComment {
        text: plain(&format!("{short}\n\n{}", paragraph.join("\n")))
            .trim_end()
            .to_owned(),
        place: DocPlace::Page,
        path: path.to_owned(),
        start_line: number(named),
        end_line: number(last),
    };
    is_name.then(|| (name.to_owned(), doc))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The signature of `.. c:function:: signature`.
fn directive(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(".. ")?;
    let (kind, signature) = rest.split_once("::")?;
    matches!(kind, "function" | "c:function" | "cpp:function").then_some(signature)
}

/// Returns `true` if a line is a signature behind the first of a directive.
fn declared_again(line: &str) -> bool {
    directive(line).is_none()
        && line.ends_with(')')
        && declared_name(line).is_some()
        && line.contains(['*', ','])
}

/// Returns `true` if a line is an option or a field (`:param size: how long`), but not prose that begins with a role
/// (`` :c:func:`f` flies ``).
fn is_field(line: &str) -> bool {
    let role = line.split_once('`').map(|(before, _)| before);
    let is_role =
        role.is_some_and(|role| role.ends_with(':') && !role.contains(char::is_whitespace));
    line.starts_with(':') && !is_role
}

/// The signature in a heading of Markdown.
fn heading(line: &str) -> Option<&str> {
    let text = line.strip_prefix('#')?.trim_start_matches('#');
    let text = text.strip_prefix(' ')?.trim();
    Some(text.trim_matches('`')).filter(|text| text.ends_with([')', ';']))
}

/// The functions that a comment names as its subject: `\fn int Kite::turn(int)`.
pub(crate) fn named_functions(comment: &str) -> Vec<String> {
    let tags = ["\\fn ", "@fn "]
        .iter()
        .flat_map(|tag| comment.match_indices(tag));
    let lines = tags.filter_map(|(at, tag)| comment.get(at + tag.len()..)?.lines().next());
    lines.filter_map(declared_name).collect()
}

/// The name before the first parenthesis, with the scopes that are written before it.
fn declared_name(signature: &str) -> Option<String> {
    let (before, _) = signature.split_once('(')?;
    let before = before.trim_end();
    let path = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_~:".contains(c));
    let path = before.get(path.len()..)?.trim_start_matches(':');
    let is_name = path.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '~');
    is_name.then(|| path.to_owned())
}

/// The text of roles without the roles: `` :c:func:`f` `` → `f`.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('`').enumerate() {
        let is_prose = number % 2 == 0;
        let role = part.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let last = part.get(role..).unwrap_or_default();
        let has_role = is_prose && last.len() > 2 && last.starts_with(':') && last.ends_with(':');
        let before = part.get(..role).filter(|_| has_role);
        plain.push_str(before.unwrap_or(part));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str, names: &[&str]) -> Vec<Option<String>> {
        let mut documented = Documented::default();
        if ending(path) == "h" {
            let file = SourceText::new(path.to_owned(), text.to_owned());
            for (name, doc) in comments(&file) {
                documented.add(name, doc);
            }
        } else {
            documented.page(path, text);
        }
        let of = |name: &&str| documented.of(name).map(|doc| doc.text.clone());
        names.iter().map(of).collect()
    }

    #[test]
    fn pages_say_what_functions_do() {
        let rst = "API\n===\n\n.. c:function:: kite_t *kite_new(int size)\n                kite_t *kite_make(int size, int tail)\n\n   .. refcounting:: new\n\n.. c:function:: int kite_fly(kite_t *kite)\n\n   Lets :c:type:`kite_t` fly until\n   the wind ends.\n\n   :param kite: the kite\n\n.. function:: void kite_land(void)\n\nNot about it.\n\n.. cpp:function:: int air::Kite::turn(int by) const\n\n   Turns it.\n";
        assert_eq!(
            texts(
                "api.rst",
                rst,
                &["kite_new", "kite_fly", "kite_land", "low::air::Kite::turn"]
            ),
            [
                None,
                Some("Lets kite_t fly until\nthe wind ends.".to_owned()),
                None,
                Some("Turns it.".to_owned()),
            ]
        );
        let md = "# Kites\n\n## `int kite_fly(kite_t *kite)`\n\n```c\nint kite_fly();\n```\nLets it fly.\n\n### kite_land()\n### About f(x) and more\ntext\n## kite_up()\none\n## kite_up()\ntwo\n";
        assert_eq!(
            texts("api.md", md, &["kite_fly", "kite_land", "f", "kite_up"]),
            [Some("Lets it fly.".to_owned()), None, None, None]
        );
    }

    #[test]
    fn a_text_belongs_to_the_entry_that_it_stands_in() {
        let rst = ".. c:function:: kite_t kite_self(void)\n.. c:function:: int kite_join(kite_t *a, kite_t *b)\n\n   Both at once.\n\n\
                   .. c:function:: int kite_none(int a, int b)\n\n.. c:function:: int kite_turn(int a, int b)\n\n   .. versionadded:: 2.1\n      with a tail\n\n   \
                   Turns it. As soon as\n   :c:func:`kite_none()` returns,\n   ``a`` is gone.\n\n   :param a: angle\n";
        assert_eq!(
            texts(
                "api.rst",
                rst,
                &["kite_self", "kite_join", "kite_none", "kite_turn"]
            ),
            [
                None,
                None,
                None,
                Some("Turns it. As soon as\nkite_none() returns,\na is gone.".to_owned()),
            ]
        );
    }

    #[test]
    fn a_manual_page_is_about_the_function_that_it_names() {
        let page = "---\nTitle: kite_fly\n---\n\n# NAME\n\nkite_fly - let a kite fly\n\n# SYNOPSIS\n\n~~~c\nint kite_fly(kite_t *kite);\n~~~\n\n\
                    # DESCRIPTION\n\nLets it fly until\nthe wind ends.\n\nMore.\n\n# RETURN VALUE\n\n## kite_land()\nNot here.\n";
        assert_eq!(
            texts("kite_fly.md", page, &["kite_fly", "kite_land"]),
            [
                Some("let a kite fly\n\nLets it fly until\nthe wind ends.".to_owned()),
                None
            ]
        );
        let several = page.replace("kite_fly -", "kite_fly, kite_land -");
        assert_eq!(texts("a.md", &several, &["kite_fly"]), [None]);
        let short = "# NAME\n\nkite_fly - let a kite fly";
        assert_eq!(
            texts("a.md", short, &["kite_fly"]),
            [Some("let a kite fly".to_owned())]
        );
    }

    #[test]
    fn comments_may_name_their_function() {
        let text =
            "/*! \\fn int kite_fly(kite_t *kite)\n *  Lets it fly.\n */\n\n/* kite_land(void) */\n";
        let found = texts("a.h", text, &["kite_fly", "kite_land"]);
        assert!(
            found[0]
                .as_ref()
                .is_some_and(|text| text.contains("Lets it fly."))
        );
        assert_eq!(found[1], None);
        let text = "/** \\fn int kite_fly(int)\n * @fn int kite_land(int)\n * Both. */\n\n/** \\fn int Kite::turn(int)\n * Turns. */\n\n\
                    /** \\fn Kite::~Kite()\n * Ends. */\n";
        let asked = [
            "kite_fly",
            "kite_land",
            "Tail::turn",
            "turn",
            "air::Kite::turn",
            "Kite::Kite",
            "Kite::~Kite",
        ];
        let found: Vec<bool> = texts("a.h", text, &asked)
            .iter()
            .map(Option::is_some)
            .collect();
        assert_eq!(found, [false, false, false, false, true, false, true]);
    }
}
