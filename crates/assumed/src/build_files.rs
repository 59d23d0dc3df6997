//! The text of a build file → its commands, in order and as written.

/// `name(argument …)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// In lower case.
    pub(super) name: String,
    /// Without quotes.
    pub(super) arguments: Vec<String>,
}

impl Command {
    /// The path that `configure_file` makes of a template with this name, without the folders of the build.
    pub(super) fn configures(&self, template: &str) -> Option<String> {
        let [from, to, ..] = self.arguments.as_slice() else {
            return None;
        };
        let same = from.rsplit('/').next() == Some(template);
        (self.name == "configure_file" && same).then(|| behind_variables(to))
    }

    /// The name and text of the header that `generate_export_header` makes.
    pub(super) fn export_header(&self) -> Option<(String, String)> {
        let target = self
            .arguments
            .first()
            .filter(|_| self.name == "generate_export_header")?;
        let argument = |key: &str| {
            let at = self.arguments.iter().position(|word| word == key)?;
            self.arguments.get(at + 1).cloned()
        };
        let base = argument("BASE_NAME").unwrap_or_else(|| target.clone());
        let file = argument("EXPORT_FILE_NAME").map(|path| behind_variables(&path));
        let file = file.unwrap_or_else(|| format!("{}_export.h", base.to_ascii_lowercase()));
        let base = super::words::capitals(&base);
        let name =
            |key: &str, ending: &str| argument(key).unwrap_or_else(|| format!("{base}_{ending}"));
        let (export, hidden, old) = (
            name("EXPORT_MACRO_NAME", "EXPORT"),
            name("NO_EXPORT_MACRO_NAME", "NO_EXPORT"),
            name("DEPRECATED_MACRO_NAME", "DEPRECATED"),
        );
        // As for a static library, which is CMake's default.
        let text = format!(
            "#ifndef {base}_EXPORT_H\n#define {base}_EXPORT_H\n#define {export}\n#define {hidden}\n#define {old} __attribute__ ((__deprecated__))\n#define {old}_EXPORT {export} {old}\n#define {old}_NO_EXPORT {hidden} {old}\n#endif\n"
        );
        Some((file, text))
    }
}

/// `${CMAKE_BINARY_DIR}/include/config.h` → `include/config.h`
fn behind_variables(path: &str) -> String {
    let path = path.rsplit('}').next().unwrap_or(path);
    path.trim_start_matches(['/', '.']).to_owned()
}

/// The commands of a build file.
pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut words = Words { rest: text }.peekable();
    let mut last = String::new();
    while let Some(word) = words.next() {
        if word != "(" {
            last = word;
            continue;
        }
        let name = last.to_ascii_lowercase();
        let is_condition = matches!(name.as_str(), "if" | "elseif");
        let mut depth = 1;
        let mut arguments = Vec::new();
        for word in words.by_ref() {
            match word.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if is_condition || !matches!(word.as_str(), "(" | ")") {
                let word = word.strip_prefix('"').unwrap_or(&word);
                arguments.push(word.replace("\\\"", "\""));
            }
        }
        commands.push(Command { name, arguments });
    }
    commands
}

/// A text in brackets, `[[text]]` or `[=[text]=]`, and the rest after it.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let equals = inner.len() - inner.trim_start_matches('=').len();
    let inner = inner.get(equals..)?.strip_prefix('[')?;
    inner.split_once(&format!("]{}]", "=".repeat(equals)))
}

/// Words, parentheses, and quoted texts with the opening quote in front; comments are left out.
struct Words<'a> {
    rest: &'a str,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            self.rest = self.rest.trim_start();
            let (is_comment, opened) = match self.rest.strip_prefix('#') {
                Some(rest) => (true, rest),
                None => (false, self.rest),
            };
            if let Some((word, rest)) = in_brackets(opened) {
                self.rest = rest;
                if is_comment {
                    continue;
                }
                return Some(format!("\"{word}"));
            }
            match self.rest.chars().next()? {
                '#' => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = self.rest.get(end..).unwrap_or_default();
                }
                '"' => {
                    let bytes = self.rest.as_bytes();
                    let mut end = 1;
                    while end < bytes.len() && bytes[end] != b'"' {
                        end += if bytes[end] == b'\\' { 2 } else { 1 };
                    }
                    let word = self.rest.get(..end).unwrap_or(self.rest).to_owned();
                    self.rest = self.rest.get(end + 1..).unwrap_or_default();
                    return Some(word);
                }
                '(' | ')' => {
                    let (word, rest) = self.rest.split_at(1);
                    self.rest = rest;
                    return Some(word.to_owned());
                }
                _ => {
                    let stops = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '#' | '"');
                    let end = self.rest.find(stops).unwrap_or(self.rest.len());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    return Some(word.to_owned());
                }
            }
        }
    }
}
