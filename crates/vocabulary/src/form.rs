//! The kind of a text: source, assembly or WebAssembly.

/// The kind of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// C or C++.
    #[default]
    Source,
    /// A listing of x86-64.
    Assembly,
    /// WebAssembly as text.
    Wasm,
}

impl Form {
    /// Looks at the beginning of each of the first lines.
    pub fn of(text: &str) -> Self {
        let start = text.trim_start();
        if ["(func", "(module", "(component"]
            .iter()
            .any(|it| start.starts_with(it))
        {
            return Form::Wasm;
        }
        let lines = start
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(40);
        let (mut all, mut of_assembly) = (0, 0);
        for line in lines {
            all += 1;
            of_assembly += usize::from(is_instruction(line));
        }
        if of_assembly * 2 > all {
            Form::Assembly
        } else {
            Form::Source
        }
    }
}

/// Returns `true` if a line is an instruction, a label or a directive of assembly: no braces or semicolons, and a
/// mnemonic first.
fn is_instruction(line: &str) -> bool {
    const MNEMONICS: [&str; 34] = [
        "add", "and", "call", "cmp", "cvt", "div", "endbr", "idiv", "imul", "j", "lea", "leave",
        "mov", "mul", "neg", "nop", "not", "or", "pop", "push", "pxor", "ret", "sar", "set", "shl",
        "shr", "sub", "test", "xor", "cltq", "cqto", "cwtl", "ud2", "hlt",
    ];
    let code = line.split(['#', ';']).next().unwrap_or(line).trim_end();
    if code.contains(['{', '}', '=']) {
        return false;
    }
    let mut words = code.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return false;
    };
    if first.ends_with(':') || first.starts_with('.') {
        return true;
    }
    let is_lower = first
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    // A branch has only a label for its operand.
    if is_lower
        && (first == "call" || first.starts_with('j'))
        && code.split_ascii_whitespace().count() == 2
    {
        return true;
    }
    let has_operand = code.contains(['%', '$', ','])
        || words
            .next()
            .is_none_or(|it| it.starts_with("0x") || it.starts_with('*') || it.starts_with('<'));
    is_lower && has_operand && MNEMONICS.iter().any(|it| first.starts_with(it))
}
