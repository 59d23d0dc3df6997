//! Assembly → its functions, described so that two texts can be compared.
//!
//! Labels are named by their positions within the function, and a constant without a name by its content. Leaving
//! out other parts of a text therefore does not change the result.

use std::collections::BTreeMap;

/// Functions by symbol, each with its instructions.
pub(crate) type Functions = BTreeMap<String, String>;

/// The functions of each text, by the slot in their symbols. A function that does not belong to a text, such as the
/// code of a template of the headers, is left out: nothing shows which text instantiated it.
pub(crate) fn read(
    assembly: &str,
    slot_of: impl Fn(&str) -> Option<usize>,
) -> BTreeMap<usize, Functions> {
    let lines: Vec<&str> = assembly.lines().map(str::trim).collect();
    let constants = constants(&lines);
    let mut all: BTreeMap<usize, Functions> = BTreeMap::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some(symbol) = line
            .strip_suffix(':')
            .filter(|label| !label.starts_with(".L"))
        else {
            continue;
        };
        let typed = format!(".type\t{symbol}, @function");
        let head = lines.get(at.saturating_sub(4)..at).unwrap_or_default();
        if !head.contains(&typed.as_str()) {
            continue;
        }
        let size = format!(".size\t{symbol}, .-{symbol}");
        let body = lines.get(at..).unwrap_or_default();
        let length = body.iter().take_while(|line| **line != size).count();
        let body = body.get(..length).unwrap_or_default();
        at += length;
        if let Some(slot) = slot_of(symbol) {
            all.entry(slot)
                .or_default()
                .insert(plain(symbol), described(body, &constants));
        }
    }
    all
}

/// A piece of assembly without the parts that distinguish texts of a batch.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let found = ["__u", "13barecode_u"]
            .iter()
            .filter_map(|mark| rest.find(mark).map(|at| (at, mark.len())))
            .min();
        let Some((at, length)) = found else {
            out.push_str(rest);
            return out;
        };
        let end = at + length;
        out.push_str(rest.get(..end).unwrap_or_default());
        rest = rest.get(end..).unwrap_or_default();
        let digits = rest
            .get(..3)
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if digits {
            rest = rest.get(3..).unwrap_or_default();
        }
    }
}

/// The constant at each `.LC` label.
fn constants<'a>(lines: &[&'a str]) -> BTreeMap<&'a str, String> {
    let mut constants = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(label) = line
            .strip_suffix(':')
            .filter(|label| label.starts_with(".LC"))
        else {
            continue;
        };
        let data = lines.get(at + 1..).unwrap_or_default().iter();
        let data: Vec<&str> = data
            .take_while(|line| {
                let data = [
                    ".string", ".ascii", ".long", ".quad", ".byte", ".value", ".zero",
                ];
                data.iter().any(|kind| line.starts_with(kind))
            })
            .copied()
            .collect();
        constants.insert(label, data.join(";"));
    }
    constants
}

/// The lines of a function with labels by number.
fn described(body: &[&str], constants: &BTreeMap<&str, String>) -> String {
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = String::new();
    for line in body {
        // Functions before this one decide whether it declares the personality, and whether it shares the section of its
        // exception table.
        let unimportant = [
            ".cfi_personality",
            ".cfi_lsda",
            ".globl",
            ".align",
            ".p2align",
            ".section\t.gcc_except_table",
            ".section\t.text",
            ".text",
        ];
        if unimportant.iter().any(|word| line.starts_with(word)) {
            continue;
        }
        let mut rest = *line;
        while let Some(at) = rest.find('.') {
            let is_label = rest.get(at..).is_some_and(|label| label.starts_with(".L"));
            let behind_word = rest
                .get(..at)
                .and_then(|before| before.chars().next_back())
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
            out.push_str(rest.get(..=at).unwrap_or_default());
            let tail = rest.get(at + 1..).unwrap_or_default();
            let word = |digits: bool| {
                tail.bytes()
                    .take_while(|byte| {
                        byte.is_ascii_digit()
                            || (!digits && (byte.is_ascii_alphanumeric() || *byte == b'_'))
                    })
                    .count()
            };
            rest = if is_label {
                let length = word(false);
                let label = format!(".{}", tail.get(..length).unwrap_or_default());
                if let Some(constant) = constants.get(label.as_str()) {
                    out.push_str(constant);
                } else {
                    let next = labels.len();
                    let number = *labels.entry(label).or_insert(next);
                    out.push('L');
                    out.push_str(&number.to_string());
                }
                tail.get(length..).unwrap_or_default()
            } else if behind_word {
                // A variable inside of a function has a number that counts all of them.
                tail.get(word(true)..).unwrap_or_default()
            } else {
                tail
            };
        }
        out.push_str(rest);
        out.push('\n');
    }
    // A call through the linker's table shows where the function is, not which one it is.
    plain(&out).replace("@PLT", "")
}
