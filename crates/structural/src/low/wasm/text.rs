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

/// The words of a text, without comments; the comment that says what number a constant is stays.
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
    /// Whether a block of it leaves a value.
    pub(super) leaves: bool,
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

/// Whether a word is the name of an instruction and not an operand.
fn is_instruction(word: &str) -> bool {
    let known = [
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
    known.contains(&word)
        || (word.contains('.')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && !word.contains('='))
}

/// What is open: an instruction that waits for its operands, a block, or something to skip.
enum Open<'a> {
    Function,
    Skip,
    /// Types of parameters, results or local variables.
    Types(u8),
    Waiting(Instruction<'a>),
    Block,
}

/// Reads a function; folded forms are put in the order of execution.
pub(super) fn read(text: &str) -> Function<'_> {
    let all = tokens(text);
    let mut function = Function::default();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    let mut has_function = false;
    let mut locals = 0_u32;
    while at < all.len() {
        let token = all[at];
        at += 1;
        match token {
            Token::Open => {
                let head = match all.get(at) {
                    Some(Token::Word(word)) => *word,
                    _ => "",
                };
                at += usize::from(!head.is_empty());
                match head {
                    "func" if has_function => break,
                    "func" => {
                        has_function = true;
                        if let Some(Token::Word(name)) = all.get(at)
                            && name.starts_with('$')
                        {
                            function.name = Some(name);
                        }
                        open.push(Open::Function);
                    }
                    "module" => open.push(Open::Block),
                    "param" if function.code.is_empty() => open.push(Open::Types(0)),
                    "result" if function.code.is_empty() => open.push(Open::Types(1)),
                    "local" => open.push(Open::Types(2)),
                    "result" => {
                        if let Some(last) = function.code.last_mut() {
                            last.leaves = true;
                        }
                        open.push(Open::Skip);
                    }
                    "then" => {
                        function.code.push(Instruction {
                            name: "if",
                            ..Instruction::default()
                        });
                        open.push(Open::Block);
                    }
                    // The condition comes first: the instruction stands at `then`.
                    "if" => open.push(Open::Waiting(Instruction {
                        name: "end",
                        ..Instruction::default()
                    })),
                    "else" => {
                        function.code.push(Instruction {
                            name: "else",
                            ..Instruction::default()
                        });
                        open.push(Open::Block);
                    }
                    "block" | "loop" => {
                        function.code.push(Instruction {
                            name: head,
                            ..Instruction::default()
                        });
                        open.push(Open::Waiting(Instruction {
                            name: "end",
                            ..Instruction::default()
                        }));
                    }
                    _ if is_instruction(head) => {
                        let mut instruction = Instruction {
                            name: head,
                            ..Instruction::default()
                        };
                        while let Some(Token::Word(word)) = all.get(at) {
                            instruction.operands.push(word);
                            at += 1;
                        }
                        if let Some(Token::Text(comment)) = all.get(at) {
                            instruction.comment = Some(comment);
                            at += 1;
                        }
                        open.push(Open::Waiting(instruction));
                    }
                    _ => open.push(Open::Skip),
                }
            }
            Token::Close => match open.pop() {
                Some(Open::Waiting(instruction)) => function.code.push(instruction),
                Some(_) => {}
                None => break,
            },
            Token::Word(word) => match open.last() {
                Some(Open::Skip) => {}
                Some(Open::Types(kind)) => {
                    if word.starts_with('$') {
                        function.names.insert(word, locals);
                    } else {
                        match kind {
                            0 => function.parameters.push(word),
                            1 => function.result = Some(word),
                            _ => {}
                        }
                        locals += u32::from(*kind != 1);
                    }
                }
                _ if is_instruction(word) => function.code.push(Instruction {
                    name: word,
                    ..Instruction::default()
                }),
                _ => {
                    if let Some(last) = function.code.last_mut() {
                        last.operands.push(word);
                    }
                }
            },
            Token::Text(text) => {
                if let Some(last) = function.code.last_mut() {
                    last.comment.get_or_insert(text);
                }
            }
        }
    }
    function
}
