//! The text of a function: its head, and its instructions in the order of execution.

use std::collections::HashMap;

/// One word or bracket of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
    Text(&'a str),
}

/// The words of a text, without comments, except those with the number of a constant.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("(;") {
            let (comment, after) = after.split_once(";)").unwrap_or((after, ""));
            if comment.starts_with('=') {
                found.push(Token::Text(comment));
            }
            rest = after;
        } else if let Some(after) = rest.strip_prefix(";;") {
            rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix('(') {
            found.push(Token::Open);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(')') {
            found.push(Token::Close);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = after.find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let (text, after) = after
                .split_at_checked(end.unwrap_or(after.len()))
                .unwrap_or((after, ""));
            found.push(Token::Text(text));
            rest = after.strip_prefix('"').unwrap_or("");
        } else if rest.is_empty() {
            return found;
        } else {
            let end = rest
                .find(|c: char| c.is_whitespace() || "();\"".contains(c))
                .unwrap_or(rest.len())
                .max(1);
            let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if !word.starts_with(';') {
                found.push(Token::Word(word));
            }
            rest = after;
        }
    }
}

/// An instruction with its operands, in the order of execution.
#[derive(Debug, Clone, Default)]
pub(super) struct Instruction<'a> {
    pub(super) name: &'a str,
    pub(super) operands: Vec<&'a str>,
    pub(super) comment: Option<&'a str>,
    /// True if a block of it leaves a value.
    pub(super) leaves: bool,
}

impl<'a> Instruction<'a> {
    fn of(name: &'a str) -> Self {
        Instruction {
            name,
            ..Instruction::default()
        }
    }

    /// The first operand.
    pub(super) fn operand(&self) -> &'a str {
        self.operands.first().copied().unwrap_or("")
    }
}

/// The head of a function and its instructions.
#[derive(Debug, Default)]
pub(super) struct Function<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) parameters: Vec<&'a str>,
    pub(super) names: HashMap<&'a str, u32>,
    pub(super) result: Option<&'a str>,
    pub(super) code: Vec<Instruction<'a>>,
}

/// Names of instructions without a point.
const NAMES: [&str; 18] = [
    "block",
    "loop",
    "if",
    "else",
    "end",
    "br",
    "br_if",
    "br_table",
    "return",
    "call",
    "call_indirect",
    "drop",
    "select",
    "unreachable",
    "nop",
    "return_call",
    "return_call_indirect",
    "then",
];

/// Returns `true` if a word is the name of an instruction and not an operand.
fn is_instruction(word: &str) -> bool {
    NAMES.contains(&word)
        || (word.contains('.')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && !word.contains('='))
}

/// The part of the text that is still open: an instruction that waits for its operands, types, something to skip, or
/// a block of instructions.
enum Open<'a> {
    Waiting(Instruction<'a>),
    Parameters,
    Results,
    Locals,
    Skip,
    Block,
}

/// Reads a function; folded forms are put in the order of execution.
pub(super) fn read(text: &str) -> Function<'_> {
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
        function: Function::default(),
        has_function: false,
        open: Vec::new(),
        locals: 0,
    };
    while let Some(token) = reader.next() {
        let goes_on = match token {
            Token::Open => reader.open(),
            Token::Close => reader.close(),
            Token::Word(word) => {
                reader.word(word);
                true
            }
            Token::Text(text) => {
                if let Some(last) = reader.function.code.last_mut() {
                    last.comment.get_or_insert(text);
                }
                true
            }
        };
        if !goes_on {
            break;
        }
    }
    reader.function
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    function: Function<'a>,
    has_function: bool,
    open: Vec<Open<'a>>,
    /// Parameters and local variables so far.
    locals: u32,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    /// The word that comes next, which is taken.
    fn next_word(&mut self) -> Option<&'a str> {
        let Some(Token::Word(word)) = self.tokens.get(self.at) else {
            return None;
        };
        self.at += 1;
        Some(word)
    }

    fn push(&mut self, name: &'a str) {
        self.function.code.push(Instruction::of(name));
    }

    /// A bracket opens; whether the function goes on.
    fn open(&mut self) -> bool {
        let head = self.next_word().unwrap_or("");
        let is_head = self.function.code.is_empty();
        let opened = match head {
            "func" if self.has_function => return false,
            "func" => {
                self.has_function = true;
                if let Some(Token::Word(name)) = self.tokens.get(self.at)
                    && name.starts_with('$')
                {
                    self.function.name = Some(name);
                }
                Open::Block
            }
            "module" => Open::Block,
            "param" if is_head => Open::Parameters,
            "result" if is_head => Open::Results,
            "local" => Open::Locals,
            "result" => {
                if let Some(last) = self.function.code.last_mut() {
                    last.leaves = true;
                }
                Open::Skip
            }
            // The condition comes first: the instruction is at `then`.
            "if" => Open::Waiting(Instruction::of("end")),
            "then" => {
                self.push("if");
                Open::Block
            }
            "else" => {
                self.push("else");
                Open::Block
            }
            "block" | "loop" => {
                self.push(head);
                Open::Waiting(Instruction::of("end"))
            }
            _ if is_instruction(head) => Open::Waiting(self.folded(head)),
            _ => Open::Skip,
        };
        self.open.push(opened);
        true
    }

    /// An instruction behind a bracket, with the operands that are words.
    fn folded(&mut self, name: &'a str) -> Instruction<'a> {
        let mut instruction = Instruction::of(name);
        while let Some(word) = self.next_word() {
            instruction.operands.push(word);
        }
        if let Some(Token::Text(comment)) = self.tokens.get(self.at) {
            instruction.comment = Some(comment);
            self.at += 1;
        }
        instruction
    }

    /// A bracket closes; whether it was open.
    fn close(&mut self) -> bool {
        let closed = self.open.pop();
        let was_open = closed.is_some();
        if let Some(Open::Waiting(instruction)) = closed {
            self.function.code.push(instruction);
        }
        was_open
    }

    fn word(&mut self, word: &'a str) {
        match self.open.last() {
            Some(Open::Skip) => {}
            Some(Open::Parameters | Open::Results | Open::Locals) if word.starts_with('$') => {
                self.function.names.insert(word, self.locals);
            }
            Some(Open::Parameters) => {
                self.function.parameters.push(word);
                self.locals += 1;
            }
            Some(Open::Results) => self.function.result = Some(word),
            Some(Open::Locals) => self.locals += 1,
            _ if is_instruction(word) => self.push(word),
            _ => {
                if let Some(last) = self.function.code.last_mut() {
                    last.operands.push(word);
                }
            }
        }
    }
}
