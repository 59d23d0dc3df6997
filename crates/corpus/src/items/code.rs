//! Code in two parts: the text between the braces of functions and initializers is parsed by itself, so
//! that a macro in one body cannot confuse the parser about all that follows.

use std::borrow::Cow;
use std::ops::Range;

use barecode_records::Language;
use tree_sitter::Tree;

use crate::outline::opens_function;
use crate::syntax::parse;

/// The code of a file, and which parts of it are bodies.
pub(super) struct Code<'a> {
    /// The code with these bodies blanked.
    pub(super) outline: Cow<'a, str>,
    /// The code as the parser would see it at once.
    pub(super) whole: &'a str,
    bodies: &'a [Range<usize>],
}

impl<'a> Code<'a> {
    /// Takes out `bodies`, which are in order and do not overlap.
    pub(super) fn of(whole: &'a str, bodies: &'a [Range<usize>]) -> Self {
        let mut outline = Cow::Borrowed(whole);
        if !bodies.is_empty() {
            let mut bytes = whole.as_bytes().to_vec();
            for byte in bodies.iter().flat_map(Clone::clone) {
                if !matches!(bytes[byte], b'\n' | b'\r') {
                    bytes[byte] = b' ';
                }
            }
            // Behind a body that is blank a semicolon would make it the initializer of a member.
            for body in bodies {
                let behind = bytes.get(body.end + 1..).unwrap_or_default();
                let next = behind.iter().position(|byte| !byte.is_ascii_whitespace());
                if let Some(next) = next.filter(|&next| behind[next] == b';')
                    && opens_function(whole, body.start - 1)
                {
                    bytes[body.end + 1 + next] = b' ';
                }
            }
            outline = Cow::Owned(String::from_utf8(bytes).unwrap_or_default());
        }
        Code {
            outline,
            whole,
            bodies,
        }
    }

    /// The bodies inside of a range, each parsed.
    pub(super) fn fragments(&self, range: &Range<usize>, language: Language) -> Vec<Fragment<'a>> {
        let first = self.bodies.partition_point(|body| body.start < range.start);
        let inside = self.bodies[first..]
            .iter()
            .take_while(|body| body.end <= range.end);
        let fragments = inside.filter_map(|body| {
            // With its braces, which are right around it.
            let start = body.start.checked_sub(1)?;
            let text = self.whole.get(start..body.end + 1)?;
            let tree = parse(text, language)?;
            Some(Fragment { start, text, tree })
        });
        fragments.collect()
    }
}

/// A body that was parsed by itself.
pub(super) struct Fragment<'a> {
    /// Its beginning in the file.
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) tree: Tree,
}
