//! The assembly of a batch → a listing of each text in it, without names.
//!
//! Two texts of C whose listings are equal leave equal objects when each is compiled alone (see
//! [`Object::fingerprint`](crate::Object)): same sections, same instructions and data in the same order, same
//! constants; names of the texts and labels are numbers, by first appearance. The converse does not hold: the
//! compiler writes the name of a function or a file into some texts, and batches separate those.
//!
//! A name of a text has the text's ending in it (see [`isolate`](crate::isolate)), which assigns a line to its text.
//! No line that may belong to a text is left out: if a line has no owner, the result is empty for all texts.

use std::collections::{BTreeMap, HashMap};

/// The beginnings of lines that have no data.
const NO_DATA: [&str; 13] = [
    ".section", ".text", ".data", ".bss", ".align", ".p2align", ".globl", ".type", ".local",
    ".comm", ".weak", ".set", ".hidden",
];

/// The beginnings of lines that mean the same in any section.
const ABOUT_SYMBOLS: [&str; 8] = [
    ".globl", ".type", ".size", ".local", ".comm", ".weak", ".set", ".hidden",
];

/// The listings of the texts of a batch of C, by slot; `None` if it has a line without an owner.
pub(crate) fn read(assembly: &str) -> Option<BTreeMap<usize, String>> {
    let lines: Vec<&str> = assembly.lines().map(str::trim).collect();
    let constants = constants(&lines);
    let mut texts: BTreeMap<usize, Listing<'_>> = BTreeMap::new();
    let mut place = Place::default();
    let mut lines = lines.into_iter().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        if let Some(section) = section(line) {
            if section.contains(".note.gnu.property") {
                // The compiler describes itself at the end of every file.
                return (!lines.any(|line| slot_in(line).is_some())).then(|| finish(texts));
            }
            place.section = section;
            continue;
        }
        if line.starts_with(".LC") && line.ends_with(':') {
            place.waiting.clear();
            while lines.next_if(|line| is_data(line)).is_some() {}
            continue;
        }
        if line.starts_with(".file") || line.starts_with(".ident") {
            continue;
        }
        if let Some(slot) = slot_in(line) {
            let text = texts.entry(slot).or_default();
            if place.owner != Some(slot) && place.function.is_some() {
                // The function of one text that names another's.
                return None;
            }
            place.owner = Some(slot);
            for (section, line) in std::mem::take(&mut place.waiting) {
                text.add(section, line, &constants);
            }
            text.add(place.section, line, &constants);
            place.step(line);
            continue;
        }
        match place.owner {
            _ if place.function.is_none() && line.starts_with(".align") => {
                place.waiting.push((place.section, line));
            }
            // The headers' functions are before the first text.
            None if texts.is_empty() => {}
            None => return None,
            Some(_)
                if place.function.is_none()
                    && (line.starts_with(".type") || line.starts_with(".globl")) =>
            {
                return None;
            }
            Some(slot) => texts
                .entry(slot)
                .or_default()
                .add(place.section, line, &constants),
        }
    }
    Some(finish(texts))
}

fn finish(texts: BTreeMap<usize, Listing<'_>>) -> BTreeMap<usize, String> {
    let texts = texts.into_iter();
    let whole = texts.filter(|(_, text)| !text.is_cut);
    whole.map(|(slot, text)| (slot, text.listed)).collect()
}

/// The position of a reader.
#[derive(Default)]
struct Place<'a> {
    section: &'a str,
    /// The owner of the last line.
    owner: Option<usize>,
    /// The function that is open.
    function: Option<&'a str>,
    /// Alignments of the next data, with their sections.
    waiting: Vec<(&'a str, &'a str)>,
}

impl<'a> Place<'a> {
    /// Enters a function at its type, leaves it at its size.
    fn step(&mut self, line: &'a str) {
        if let Some(typed) = line.strip_prefix(".type") {
            self.function = typed.strip_suffix(", @function");
        } else if line.starts_with(".size") {
            self.function = None;
        }
    }
}

/// The constants inside of each other, and the bytes of a listing, beyond which a text has none.
const DEPTH: usize = 8;
const MOST: usize = 16 << 20;

/// The listing of a text.
#[derive(Default)]
struct Listing<'a> {
    listed: String,
    /// True if it became too long.
    is_cut: bool,
    section: &'a str,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Listing<'a> {
    fn add(
        &mut self,
        section: &'a str,
        line: &'a str,
        constants: &BTreeMap<&'a str, Vec<&'a str>>,
    ) {
        let is_about_symbols = ABOUT_SYMBOLS.iter().any(|word| line.starts_with(word));
        if self.section != section && !is_about_symbols {
            self.section = section;
            self.listed.push_str(section);
            self.listed.push('\n');
        }
        self.describe(line, constants, 0);
        self.listed.push('\n');
    }

    /// A line with names as numbers, and constants as their values, those inside of them too: the number of a label shows
    /// nothing, for the texts of another process have the same numbers.
    fn describe(
        &mut self,
        line: &'a str,
        constants: &BTreeMap<&'a str, Vec<&'a str>>,
        depth: usize,
    ) {
        if depth > DEPTH || self.listed.len() > MOST {
            self.is_cut = true;
            return;
        }
        for piece in pieces(line) {
            if let Some(lines) = constants.get(piece) {
                for line in lines {
                    self.listed.push('{');
                    self.describe(line, constants, depth + 1);
                    self.listed.push('}');
                }
            } else if !piece.starts_with('"')
                && (slot_of(piece).is_some()
                    || (piece.starts_with(".L") && !piece.starts_with(".LC")))
            {
                let next = self.numbers.len();
                let number = *self.numbers.entry(piece).or_insert(next);
                self.listed.push('#');
                self.listed.push_str(&number.to_string());
            } else {
                self.listed.push_str(piece);
            }
        }
    }
}

/// The section that a line switches to. The kind of the section is given only where it is named first.
fn section(line: &str) -> Option<&str> {
    let names = [".text", ".data", ".bss"];
    let (name, _) = line.split_once(',').unwrap_or((line, ""));
    (names.contains(&line) || line.starts_with(".section")).then_some(name)
}

fn is_data(line: &str) -> bool {
    !line.ends_with(':') && !NO_DATA.iter().any(|word| line.starts_with(word))
}

/// The data at each label of a constant, with its section and alignment.
fn constants<'a>(lines: &[&'a str]) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut constants = BTreeMap::new();
    let mut place = "";
    for (at, line) in lines.iter().enumerate() {
        place = section(line).unwrap_or(place);
        let Some(label) = line
            .strip_suffix(':')
            .filter(|label| label.starts_with(".LC"))
        else {
            continue;
        };
        let aligned = at.checked_sub(1).map(|before| lines[before]);
        let data = lines.get(at + 1..).unwrap_or_default().iter().copied();
        let all = [place].into_iter();
        let all = all.chain(aligned.filter(|line| line.starts_with(".align")));
        constants.insert(
            label,
            all.chain(data.take_while(|line| is_data(line))).collect(),
        );
    }
    constants
}

/// Words, strings, and the text between them.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte) || !byte.is_ascii();
    let mut rest = line;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let first = *bytes.first()?;
        let length = if first == b'"' {
            let mut escaped = false;
            let end = bytes.iter().skip(1).position(|&byte| {
                let ends = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                ends
            });
            end.map_or(bytes.len(), |end| end + 2)
        } else {
            let same = |byte: &&u8| **byte != b'"' && is_word(**byte) == is_word(first);
            bytes.iter().take_while(same).count()
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

/// The slot of a name: its ending, which the number of a variable inside of a function may follow.
fn slot_of(word: &str) -> Option<usize> {
    let (_, rest) = word.rsplit_once("__u")?;
    let (digits, after) = rest.split_at_checked(3)?;
    (after.is_empty() || after.starts_with('.')).then(|| digits.parse().ok())?
}

/// The slot of the first name in a line that has one.
fn slot_in(line: &str) -> Option<usize> {
    if !line.contains("__u") {
        return None;
    }
    pieces(line)
        .filter(|piece| !piece.starts_with('"'))
        .find_map(slot_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two texts: a variable and a function each, with a constant that both use.
    const BOTH: &str = "\t.file\t\"b.c\"
\t.text
\t.type\t__bswap_16, @function
__bswap_16:
\tret
\t.size\t__bswap_16, .-__bswap_16
\t.data
\t.align 4
\t.type\tn__u000, @object
n__u000:
\t.long\t3
\t.section\t.rodata
.LC0:
\t.string\t\"f__u000 \\\" g\"
\t.text
\t.type\tf__u000, @function
f__u000:
.LFB6:
\tleaq\t.LC0(%rip), %rax
\tcall\tputs@PLT
\tjmp\t.L2
.L2:
\tmovl\tk__u000.1(%rip), %eax
\t.size\tf__u000, .-f__u000
\t.data
\t.align 4
\t.type\tother__u001, @object
other__u001:
\t.long\t3
\t.text
\t.type\tname__u001, @function
name__u001:
.LFB7:
\tleaq\t.LC0(%rip), %rax
\tcall\tputs@PLT
\tjmp\t.L5
.L5:
\tmovl\tcalls__u001.0(%rip), %eax
\t.size\tname__u001, .-name__u001
\t.section\t.note.GNU-stack,\"\",@progbits
\t.section\t.note.gnu.property,\"a\"
\t.align 8
\t.long\t1
";

    #[test]
    fn a_listing_has_numbers_for_names_and_constants_in_full() {
        let texts = read(BOTH).unwrap();
        assert_eq!(
            texts[&0],
            ".data\n.align 4\n.type\t#0, @object\n#0:\n.long\t3\n\
             .type\t#1, @function\n.text\n#1:\n#2:\n\
             leaq\t{.section\t.rodata}{.string\t\"f__u000 \\\" g\"}(%rip), %rax\n\
             call\tputs@PLT\njmp\t#3\n#3:\nmovl\t#4(%rip), %eax\n.size\t#1, .-#1\n"
        );
        assert_eq!(texts[&0], texts[&1]);
        assert_eq!(texts.len(), 2);
    }

    #[test]
    fn constants_inside_of_constants_count() {
        let nested = BOTH.replace(
            "\t.section\t.rodata\n.LC0:\n",
            "\t.section\t.rodata\n.LC1:\n\t.quad\t.LC2\n.LC2:\n\t.string\t\"in\"\n.LC0:\n",
        );
        let nested = nested.replace("leaq\t.LC0", "leaq\t.LC1");
        let listed = |text: &str| read(text).unwrap().remove(&0).unwrap();
        let one = listed(&nested);
        assert!(one.contains("{.string\t\"in\"}"), "{one}");
        assert_ne!(one, listed(&nested.replace("\"in\"", "\"other\"")));
        assert_eq!(listed(&nested.replace(".LC2", ".LC7")), one);
        // One that never ends.
        let endless = nested.replace(".string\t\"in\"", ".quad\t.LC1");
        assert_eq!(read(&endless).unwrap().get(&0), None);
    }

    #[test]
    fn each_part_of_a_text_counts() {
        let one = read(BOTH).unwrap().remove(&0);
        for (old, new) in [
            ("other__u001:\n\t.long\t3", "other__u001:\n\t.long\t4"),
            ("\t.align 4\n\t.type\tother", "\t.align 8\n\t.type\tother"),
            (
                "\t.data\n\t.align 4\n\t.type\tother",
                "\t.bss\n\t.align 4\n\t.type\tother",
            ),
            ("jmp\t.L5", "jmp\t.LFB7"),
            ("puts@PLT\n\tjmp\t.L5", "gets@PLT\n\tjmp\t.L5"),
            ("calls__u001.0(", "calls__u001.0+4("),
            ("calls__u001.0(", "name__u001("),
            ("movl\tcalls", "movb\tcalls"),
        ] {
            let changed = BOTH.replacen(old, new, 1);
            assert_ne!(changed, BOTH, "{old}");
            assert_ne!(read(&changed).unwrap().remove(&1), one, "{new}");
        }
    }

    #[test]
    fn what_no_text_owns_says_nothing_of_any() {
        for (old, new) in [
            // The name of a function, as data.
            (
                "\t.data\n\t.align 4\n\t.type\tother",
                "\t.type\t__func__.0, @object\n__func__.0:\n\t.string\t\"f\"\n\t.data\n\t.type\tother",
            ),
            // One text in another's function.
            ("call\tputs@PLT\n\tjmp\t.L5", "call\tf__u000\n\tjmp\t.L5"),
            // More of a text after the end.
            ("\t.long\t1\n", "\t.long\tf__u000\n"),
        ] {
            let changed = BOTH.replacen(old, new, 1);
            assert_ne!(changed, BOTH, "{old}");
            assert_eq!(read(&changed), None, "{new}");
        }
    }
}
