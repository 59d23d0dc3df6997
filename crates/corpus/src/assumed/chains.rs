//! Conditions in a template of which one must hold, for it refuses to go on where none does.
//!
//! `#if @FORM_C99@`, `#elif @FORM_BSD@`, `#else`, `#error no such type`: where what sets the three is not followed, all of
//! them would be answered with no, and the header would be an error. The first is taken then.

/// A chain of conditions that ends in `#error`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain<'t> {
    /// The line of its `#if`, from 0.
    pub(super) line: usize,
    /// What each condition asks for, in order.
    pub(super) names: Vec<&'t str>,
}

/// A chain that is not ended yet.
struct Open<'t> {
    line: usize,
    /// `None` as soon as a condition is more than one question.
    names: Option<Vec<&'t str>>,
    is_in_else: bool,
    is_refused: bool,
}

/// The chains of a template, in the order of their ends.
pub(super) fn chains(template: &str) -> Vec<Chain<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut ended = Vec::new();
    for (line, text) in template.lines().enumerate() {
        let Some(directive) = text.trim_start().strip_prefix('#') else {
            continue;
        };
        let directive = directive.trim_start();
        let end = directive.find(|c: char| !c.is_ascii_alphabetic());
        let (verb, rest) = directive.split_at(end.unwrap_or(directive.len()));
        match (verb, open.last_mut()) {
            ("if" | "ifdef" | "ifndef", _) => open.push(Open {
                line,
                names: (verb == "if")
                    .then(|| question(rest))
                    .flatten()
                    .map(|name| vec![name]),
                is_in_else: false,
                is_refused: false,
            }),
            ("elif", Some(chain)) => {
                chain.names = chain.names.take().and_then(|mut names| {
                    names.push(question(rest)?);
                    Some(names)
                });
            }
            ("else", Some(chain)) => chain.is_in_else = true,
            ("error", Some(chain)) => chain.is_refused |= chain.is_in_else,
            ("endif", Some(_)) => {
                let chain = open.pop().filter(|chain| chain.is_refused);
                ended.extend(chain.and_then(|chain| {
                    Some(Chain {
                        line: chain.line,
                        names: chain.names?,
                    })
                }));
            }
            _ => {}
        }
    }
    ended
}

/// The name that a condition asks for, if it is that question and nothing else.
fn question(condition: &str) -> Option<&str> {
    let condition = condition.split("//").next()?.split("/*").next()?.trim();
    let name = condition.strip_prefix('@')?.strip_suffix('@')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_a_chain_where_none_of_them_is_an_error() {
        let template = "#if @A@ // first\n#ifdef X\n#error x\n#endif\n#elif @B@\n#else\n#  error none\n#endif\n\
                        #if @C@\n#elif D\n#else\n#error e\n#endif\n#if @E@\n#else\n#endif\n#endif\n#else\n";
        let chain = Chain {
            line: 0,
            names: vec!["A", "B"],
        };
        assert_eq!(chains(template), [chain]);
    }
}
