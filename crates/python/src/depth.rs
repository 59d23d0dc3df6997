//! The nesting depth of a text, before it is parsed: the tree of a text that nests too deep cannot be walked on a
//! thread's stack, and CPython refuses it too.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

/// A bound for the depth of text that is read. CPython gives up at some thousand operators or a hundred blocks.
pub(crate) const DEEPEST: usize = 400;

/// Returns `true` if a text may nest deeper than [`DEEPEST`].
pub(crate) fn is_too_deep(text: &str) -> bool {
    // Most texts have too few operators and brackets for that, whatever their order.
    let bytes = text.as_bytes();
    let nests = |at: &usize| {
        let rest = &bytes[*at..];
        match rest[0] {
            b'n' => rest.starts_with(b"not"),
            b'i' => rest.starts_with(b"if"),
            b'l' => rest.starts_with(b"lambda"),
            b'a' => rest.starts_with(b"await"),
            b'e' => rest.starts_with(b"else"),
            b'a'..=b'z' | b' ' | b'\n' => false,
            byte => b"+-*/%@&|^~.([{:<>=".contains(&byte),
        }
    };
    nesting_at_most(bytes) > DEEPEST
        && (0..bytes.len()).filter(nests).count() > DEEPEST
        && deepest(text) > DEEPEST
}

/// At least the number of operators and brackets, by what their first two bytes look like: comparisons without branches,
/// which a processor makes for many bytes at once.
#[expect(clippy::needless_bitwise_bool, reason = "no branch, so many at once")]
fn nesting_at_most(bytes: &[u8]) -> usize {
    // As many as a byte can count.
    const CHUNK: usize = 255;
    let may_nest = |byte: u8, next: u8| {
        matches!(byte, b'%'..=b'/' | b':'..=b'@' | b'[' | b'^' | b'{'..=b'~')
            | ((byte == b'n') & (next == b'o'))
            | ((byte == b'i') & (next == b'f'))
            | ((byte == b'l') & (next == b'a'))
            | ((byte == b'a') & (next == b'w'))
            | ((byte == b'e') & (next == b'l'))
    };
    let followed = bytes.get(1..).unwrap_or_default();
    let chunks = bytes.chunks(CHUNK).zip(followed.chunks(CHUNK));
    let counts = chunks.map(|(bytes, followed)| {
        let pairs = bytes.iter().zip(followed);
        let count = pairs.fold(0_u8, |sum, (byte, next)| {
            sum.wrapping_add(u8::from(may_nest(*byte, *next)))
        });
        usize::from(count)
    });
    // Nothing follows the last byte.
    counts.sum::<usize>() + 1
}

/// The largest number of blocks, brackets and operators that a token can be inside of.
fn deepest(text: &str) -> usize {
    let mut lexer = lex(text, Mode::Module);
    // The operators since the last comma, for each open bracket and for the line.
    let mut operators = vec![0_usize];
    let (mut blocks, mut sum, mut deepest) = (0_usize, 0_usize, 0_usize);
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return deepest,
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace | TokenKind::FStringStart => {
                // The call or subscript is a level of the expression around it, too.
                *operators.last_mut().expect("the line is there") += 1;
                sum += 1;
                operators.push(0);
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd
                if operators.len() > 1 =>
            {
                sum -= operators.pop().unwrap_or_default();
            }
            TokenKind::Comma => {
                let last = operators.last_mut().expect("the line is there");
                sum -= std::mem::take(last);
            }
            TokenKind::Newline => {
                operators = vec![0];
                sum = 0;
            }
            kind if is_operator(kind) => {
                *operators.last_mut().expect("the line is there") += 1;
                sum += 1;
            }
            _ => {}
        }
        deepest = deepest.max(blocks + sum);
    }
}

fn is_operator(kind: TokenKind) -> bool {
    kind.is_operator()
        || matches!(
            kind,
            TokenKind::Not
                | TokenKind::If
                | TokenKind::Else
                | TokenKind::Lambda
                | TokenKind::Await
                | TokenKind::Dot
                | TokenKind::Colon
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_shallow_and_a_long_sum_is_deep() {
        let list = format!("x = [{}]\n", "a + b, ".repeat(5000));
        assert!(!is_too_deep(&list));
        assert!(is_too_deep(&format!("x = a{}\n", " + b".repeat(500))));
        assert!(is_too_deep(&format!(
            "x = {}1{}\n",
            "(".repeat(500),
            ")".repeat(500)
        )));
        assert!(is_too_deep(&format!("x = {}y\n", "not ".repeat(500))));
        assert!(!is_too_deep(&"x = a + b\n".repeat(5000)));
    }
}
