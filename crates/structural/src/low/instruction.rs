//! A line of assembly → an instruction: mnemonic and operands, in AT&T's order whatever the syntax.

/// The kind of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// For whole numbers.
    General,
    /// For floating-point numbers and vectors.
    Vector,
    /// The stack of the old floating-point unit.
    Old,
    /// The instruction pointer.
    Pointer,
    /// Segments and anything else.
    Other,
}

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    /// The kind of this register.
    pub(super) kind: Kind,
    /// As the processor numbers them: 0 is `rax`, 7 is `rdi`.
    pub(super) number: u8,
    /// Its width in bytes.
    pub(super) bytes: u8,
    /// True if it is the second byte of a register: `ah`.
    pub(super) is_high: bool,
}

/// An operand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory<'a> {
    /// True if it counts from a segment: `%fs:`.
    pub(super) segment: bool,
    /// The displacement, if one is written.
    pub(super) displacement: Option<i64>,
    /// The symbol, if one is written.
    pub(super) symbol: Option<&'a str>,
    /// The base.
    pub(super) base: Option<Register>,
    /// The index.
    pub(super) index: Option<Register>,
    /// The number that the index is multiplied by.
    pub(super) scale: u8,
    /// The number of bytes, if the syntax states it.
    pub(super) bytes: u8,
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// A register.
    Register(Register),
    /// A number.
    Immediate(i64),
    /// A symbol as a number.
    Symbol(&'a str),
    /// Memory.
    Memory(Memory<'a>),
    /// A number that code is at.
    Target(u64),
    /// A label or function.
    Label(&'a str),
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Instruction<'a> {
    /// The mnemonic, without prefixes, in small letters as written.
    pub(super) mnemonic: &'a str,
    /// The operands; the last is written.
    pub(super) operands: Vec<Operand<'a>>,
    /// True if a jump goes to the address that an operand holds: `*`.
    pub(super) is_indirect: bool,
    /// The number of prefixes of one byte before it.
    pub(super) prefixes: u8,
    /// The address in the comment behind it.
    pub(super) comment: Option<u64>,
    /// Its own address, where it is written.
    pub(super) address: Option<u64>,
}

impl<'a> Instruction<'a> {
    fn read_operands(&mut self, text: &'a str) {
        let is_branch = self.mnemonic.starts_with('j') || self.mnemonic.starts_with("call");
        let is_intel = !text.contains(['%', '$']);
        for operand in Parts(text).take(6) {
            let text = operand.trim();
            let bare = text.strip_prefix('*');
            self.is_indirect |= bare.is_some();
            if let Some(operand) = operand_of(bare.unwrap_or(text), is_branch) {
                let is_place = matches!(operand, Operand::Target(_) | Operand::Label(_));
                self.is_indirect |= is_branch && is_intel && !is_place;
                self.operands.push(operand);
            }
        }
        if is_intel && self.operands.len() > 1 && !is_branch {
            self.operands.reverse();
        }
    }

    /// The index of the last operand.
    pub(super) fn last(&self) -> usize {
        self.operands.len().saturating_sub(1)
    }

    /// Returns `true` if an operand counts from a segment.
    pub(super) fn is_of_segment(&self) -> bool {
        let is =
            |operand: &Operand<'_>| matches!(operand, Operand::Memory(memory) if memory.segment);
        self.operands.iter().any(is)
    }

    /// Returns `true` if the first operand and the last are the same register.
    pub(super) fn is_on_itself(&self) -> bool {
        matches!((self.operands.first(), self.operands.last()),
            (Some(Operand::Register(one)), Some(Operand::Register(other))) if one == other)
    }

    /// Returns `true` if the last operand is the pointer to the stack.
    pub(super) fn changes_stack(&self) -> bool {
        matches!(self.operands.last(), Some(Operand::Register(register))
            if register.number == 4 && register.kind == Kind::General)
    }
}

/// A line of assembly.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing that counts.
    Nothing,
    /// A label.
    Label(&'a str),
    /// A string that a directive states.
    Text(&'a str),
    /// An instruction.
    Instruction(Instruction<'a>),
}

/// Reads a line.
pub(super) fn read(line: &str) -> Line<'_> {
    let rest = line.trim();
    if rest.is_empty() || rest.starts_with(['#', ';', '/']) {
        return Line::Nothing;
    }
    // `0000000000001139 <name>:`
    if let Some(name) = rest.strip_suffix(">:")
        && let Some((_, name)) = name.split_once('<')
    {
        return Line::Label(name);
    }
    if let Some(label) = rest.strip_suffix(':')
        && !label.contains(|c: char| c.is_whitespace() || c == '"')
    {
        return Line::Label(label);
    }
    let (address, rest) = match place(rest) {
        Place::Here(address, rest) => (address, rest),
        Place::Label(label) => return Line::Label(label),
        Place::Nothing => return Line::Nothing,
    };
    if rest.starts_with('.') {
        let is_text = [".string", ".asciz", ".ascii"]
            .iter()
            .any(|word| rest.starts_with(word));
        return match rest.split_once('"') {
            Some((_, text)) if is_text => Line::Text(text.strip_suffix('"').unwrap_or(text)),
            _ => Line::Nothing,
        };
    }
    let (rest, comment) = match rest.split_once('#') {
        Some((before, after)) => {
            let word = after.trim().split([' ', '\t', '<']).next().unwrap_or("");
            let digits = word.strip_prefix("0x").unwrap_or(word);
            (before.trim_end(), u64::from_str_radix(digits, 16).ok())
        }
        None => (rest, None),
    };
    let (prefixes, mnemonic, rest) = without_prefixes(rest);
    let is_mnemonic = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.';
    if mnemonic.is_empty() || !mnemonic.bytes().all(is_mnemonic) {
        return Line::Nothing;
    }
    let mut found = Instruction {
        mnemonic,
        operands: Vec::new(),
        is_indirect: false,
        prefixes,
        comment,
        address,
    };
    found.read_operands(rest);
    Line::Instruction(found)
}

/// The text before an instruction.
enum Place<'a> {
    /// Its address, if that is written, and the rest of the line.
    Here(Option<u64>, &'a str),
    Label(&'a str),
    Nothing,
}

/// The text before an instruction in a dump: its address, and its bytes.
fn place(line: &str) -> Place<'_> {
    let Some((number, after)) = line.split_once(':').filter(|(it, _)| !it.is_empty()) else {
        return Place::Here(None, line);
    };
    if !number.bytes().all(|byte| byte.is_ascii_hexdigit()) || !after.starts_with([' ', '\t']) {
        let is_label = number
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._$@".contains(c));
        return if is_label && after.trim().is_empty() {
            Place::Label(number)
        } else {
            Place::Here(None, line)
        };
    }
    let address = u64::from_str_radix(number, 16).ok();
    let mut rest = after.trim_start();
    let is_byte = |word: &str| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((bytes, instruction)) = rest.split_once('\t')
        && bytes.split_whitespace().all(is_byte)
    {
        return Place::Here(address, instruction.trim());
    }
    // Bytes of the same instruction, or bytes with blanks behind them.
    while let Some((word, after)) = rest.split_once(' ')
        && is_byte(word)
    {
        rest = after.trim_start();
    }
    if is_byte(rest) {
        Place::Nothing
    } else {
        Place::Here(address, rest)
    }
}

/// The number of prefixes, the mnemonic behind them, and the operands.
fn without_prefixes(mut rest: &str) -> (u8, &str, &str) {
    let mut prefixes = 0_u8;
    loop {
        let (word, after) = rest
            .split_once([' ', '\t'])
            .map_or((rest, ""), |(word, after)| (word, after.trim_start()));
        let is_prefix = matches!(
            word,
            "rep"
                | "repz"
                | "repe"
                | "repnz"
                | "repne"
                | "lock"
                | "notrack"
                | "bnd"
                | "data16"
                | "cs"
                | "ds"
                | "es"
                | "addr32"
        );
        if !is_prefix || after.is_empty() {
            return (prefixes, word, after);
        }
        prefixes = prefixes.saturating_add(1);
        rest = after;
    }
}

/// Operands between commas that are not in brackets.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let mut depth = 0_i32;
        let mut end = self.0.len();
        for (at, byte) in self.0.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b')' | b']' | b'}' | b'>' => depth -= 1,
                b',' if depth <= 0 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (part, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.strip_prefix(',').unwrap_or("");
        Some(part)
    }
}

/// A number: decimal or `0x…`, with a sign.
pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let value = value as i64;
    Some(if is_negative {
        value.wrapping_neg()
    } else {
        value
    })
}

fn operand_of(text: &str, is_branch: bool) -> Option<Operand<'_>> {
    if text.is_empty() {
        return None;
    }
    if let Some(immediate) = text.strip_prefix('$') {
        return Some(match number(immediate) {
            Some(number) => Operand::Immediate(number),
            None => Operand::Symbol(immediate),
        });
    }
    if let Some(open) = text.find('[') {
        return intel_memory(text, open);
    }
    if text.starts_with('%') && !text.contains(':') {
        return Some(Operand::Register(register(text.trim_start_matches('%'))?));
    }
    if is_branch && !text.contains(['(', '%']) {
        let word = text.split([' ', '<']).next().unwrap_or(text);
        let digits = word.strip_prefix("0x").unwrap_or(word);
        if let Some((_, name)) = text.split_once('<')
            && !name.contains('+')
            && let Some(name) = name.strip_suffix('>')
            && u64::from_str_radix(digits, 16).is_err()
        {
            return Some(Operand::Label(name));
        }
        if word.starts_with("0x") || word.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
            return u64::from_str_radix(digits, 16).ok().map(Operand::Target);
        }
        // Names of functions may begin as registers do: `strlen`.
        return Some(match register(word).filter(|_| word.len() <= 4) {
            Some(register) => Operand::Register(register),
            None => Operand::Label(word),
        });
    }
    if let Some(open) = text.find('(') {
        return memory(text, open);
    }
    let (segment, rest) = match text.split_once(':') {
        Some((_, rest)) => (true, rest),
        None => (false, text),
    };
    if !segment && let Some(register) = register(rest) {
        return Some(Operand::Register(register));
    }
    if let Some(number) = number(rest) {
        // Intel writes a plain number where AT&T means memory; only a segment distinguishes them.
        if !segment {
            return Some(Operand::Immediate(number));
        }
        return Some(Operand::Memory(Memory {
            segment,
            displacement: Some(number),
            symbol: None,
            base: None,
            index: None,
            scale: 1,
            bytes: 0,
        }));
    }
    let symbol = rest.strip_prefix("OFFSET FLAT:");
    Some(match symbol {
        Some(symbol) => Operand::Symbol(symbol),
        None => Operand::Memory(Memory {
            segment,
            displacement: None,
            symbol: Some(rest),
            base: None,
            index: None,
            scale: 1,
            bytes: 0,
        }),
    })
}

/// `%fs:name+8(%base,%index,8)`
fn memory(text: &str, open: usize) -> Option<Operand<'_>> {
    let (before, inside) = text.split_at_checked(open)?;
    let inside = inside.strip_prefix('(')?.strip_suffix(')')?;
    let (segment, before) = match before.rsplit_once(':') {
        Some((_, rest)) => (true, rest),
        None => (false, before),
    };
    let before = before.trim();
    let mut parts = inside.split(',');
    let named = |part: Option<&str>| register(part?.trim().trim_start_matches('%'));
    let base = named(parts.next());
    let index = named(parts.next());
    let scale = parts.next().and_then(number).unwrap_or(1);
    let displacement = number(before);
    Some(Operand::Memory(Memory {
        segment,
        displacement,
        symbol: (displacement.is_none() && !before.is_empty()).then_some(before),
        base,
        index,
        scale: u8::try_from(scale).unwrap_or(1),
        bytes: 0,
    }))
}

/// `DWORD PTR name[rip+rax*4-8]`
fn intel_memory(text: &str, open: usize) -> Option<Operand<'_>> {
    let (before, inside) = text.split_at_checked(open)?;
    let inside = inside.strip_prefix('[')?.strip_suffix(']')?;
    let (size, symbol) = match before.split_once("PTR") {
        Some((size, rest)) => (size.trim(), rest.trim()),
        None => ("", before.trim()),
    };
    let mut memory = Memory {
        segment: symbol.contains(':'),
        displacement: None,
        symbol: (!symbol.is_empty() && !symbol.ends_with(':')).then_some(symbol),
        base: None,
        index: None,
        scale: 1,
        bytes: match size {
            "BYTE" => 1,
            "WORD" => 2,
            "DWORD" => 4,
            "QWORD" => 8,
            "XMMWORD" => 16,
            _ => 0,
        },
    };
    let mut sum = None;
    let mut is_negative = false;
    let mut rest = inside;
    while !rest.is_empty() {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let (term, after) = rest.split_at_checked(end)?;
        let term = term.trim();
        if let Some((one, other)) = term.split_once('*') {
            let (name, scale) = match register(one.trim()) {
                Some(register) => (Some(register), number(other)),
                None => (register(other.trim()), number(one)),
            };
            memory.index = name;
            memory.scale = scale
                .and_then(|scale| u8::try_from(scale).ok())
                .unwrap_or(1);
        } else if let Some(register) = register(term) {
            if memory.base.is_none() {
                memory.base = Some(register);
            } else {
                memory.index = Some(register);
            }
        } else if let Some(number) = number(term) {
            let number = if is_negative {
                number.wrapping_neg()
            } else {
                number
            };
            sum = Some(sum.unwrap_or(0_i64).wrapping_add(number));
        } else if !term.is_empty() {
            memory.symbol = Some(term);
        }
        is_negative = after.starts_with('-');
        rest = after.strip_prefix(['+', '-']).unwrap_or("");
    }
    memory.displacement = sum;
    Some(Operand::Memory(memory))
}

/// A register by its name.
pub(super) fn register(name: &str) -> Option<Register> {
    let made = |kind, number, bytes| {
        Some(Register {
            kind,
            number,
            bytes,
            is_high: false,
        })
    };
    let old = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    let position = |of: &str| old.iter().position(|one| *one == of);
    let bytes = name.as_bytes();
    match bytes {
        [b'r', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number: u8 = name.get(1..=digits)?.parse().ok()?;
            let width = match name.get(1 + digits..)? {
                "" => 8,
                "d" => 4,
                "w" => 2,
                "b" | "l" => 1,
                _ => return None,
            };
            if (8..16).contains(&number) {
                return made(Kind::General, number, width);
            }
            None
        }
        [b'r' | b'e', b'i', b'p'] => made(Kind::Pointer, 0, 8),
        [first @ (b'r' | b'e'), _, _] => {
            let number = position(name.get(1..)?)?;
            made(
                Kind::General,
                u8::try_from(number).ok()?,
                if *first == b'r' { 8 } else { 4 },
            )
        }
        [_, _] if position(name).is_some() => {
            made(Kind::General, u8::try_from(position(name)?).ok()?, 2)
        }
        [b'a'..=b'd', b'l'] => {
            let number = ["al", "cl", "dl", "bl"]
                .iter()
                .position(|one| *one == name)?;
            made(Kind::General, u8::try_from(number).ok()?, 1)
        }
        [b'a'..=b'd', b'h'] => {
            let number = ["ah", "ch", "dh", "bh"]
                .iter()
                .position(|one| *one == name)?;
            Some(Register {
                kind: Kind::General,
                number: u8::try_from(number).ok()?,
                bytes: 1,
                is_high: true,
            })
        }
        [_, _, b'l'] => {
            let number = position(name.get(..2)?)?;
            made(Kind::General, u8::try_from(number).ok()?, 1)
        }
        [b'x' | b'y' | b'z', b'm', b'm', ..] => {
            let width = match bytes.first()? {
                b'x' => 16,
                b'y' => 32,
                _ => 64,
            };
            made(Kind::Vector, name.get(3..)?.parse().ok()?, width)
        }
        [b's', b't', ..] => made(Kind::Old, 0, 10),
        [b'c' | b'd' | b'e' | b'f' | b'g' | b's', b's'] | [b'm', b'm', _] => {
            made(Kind::Other, 0, 8)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Instruction<'_> {
        match read(line) {
            Line::Instruction(instruction) => instruction,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn both_syntaxes_say_the_same() {
        for (gnu, intel) in [
            ("mov %edi,-0x4(%rbp)", "mov DWORD PTR [rbp-4], edi"),
            ("lea 0x8(%rdi,%rax,4),%rcx", "lea rcx, [rdi+rax*4+8]"),
            ("add $0x10,%rsp", "add rsp, 16"),
        ] {
            let (gnu, intel) = (one(gnu), one(intel));
            assert_eq!(gnu.mnemonic, intel.mnemonic);
            let plain = |operand: &Operand<'_>| {
                let mut text = format!("{operand:?}");
                if let Some(at) = text.find(", bytes: ") {
                    text.truncate(at);
                }
                text
            };
            let texts = |instruction: &Instruction<'_>| {
                instruction.operands.iter().map(plain).collect::<Vec<_>>()
            };
            assert_eq!(texts(&gnu), texts(&intel));
        }
    }

    #[test]
    fn addresses_and_bytes_before_an_instruction_are_read_past() {
        let found =
            one("    1139:\t48 8d 05 c4 0e 00 00 \tlea    0xec4(%rip),%rax        # 2004 <x>");
        assert_eq!(found.mnemonic, "lea");
        assert_eq!(found.address, Some(0x1139));
        assert_eq!(found.comment, Some(0x2004));
        assert_eq!(read("0000000000001139 <main>:"), Line::Label("main"));
        assert_eq!(read(".L3:"), Line::Label(".L3"));
        assert_eq!(one("notrack jmp *%rax").mnemonic, "jmp");
        assert!(one("call *0x18(%rax)").is_indirect);
        assert_eq!(one("jne 0x79").operands, [Operand::Target(0x79)]);
        assert_eq!(one("jne .L2").operands, [Operand::Label(".L2")]);
    }
}
