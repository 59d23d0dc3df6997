//! Conditions in a template of which one must hold, because the template ends in an error otherwise.
//!
//! `#if @FORM_C99@`, `#elif @FORM_BSD@`, `#else`, `#error no such type`: where the code that sets the three is not
//! followed, all of them would be false, and the header would be an error. In that case the first is chosen.

/// A chain of conditions that ends in `#error`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chain<'t> {
    /// The line of its `#if`, from 0.
    pub(super) line: usize,
    /// The name in each condition, in order.
    pub(super) names: Vec<&'t str>,
    is_in_else: bool,
    is_refused: bool,
}

/// The chains of a template whose conditions are one question each, in the order of their ends.
pub(super) fn chains(template: &str) -> Vec<Chain<'_>> {
    let mut open: Vec<Chain<'_>> = Vec::new();
    let mut ended = Vec::new();
    for (line, text) in template.lines().enumerate() {
        let directive = text.trim_start().strip_prefix('#');
        let directive = directive.map_or("", str::trim_start);
        let (verb, rest) = directive.split_once([' ', '\t']).unwrap_or((directive, ""));
        match (verb, open.last_mut()) {
            ("if" | "ifdef" | "ifndef", _) => {
                let names = vec![question(rest)];
                open.push(Chain {
                    line,
                    names,
                    ..Chain::default()
                });
            }
            ("elif", Some(chain)) => chain.names.push(question(rest)),
            ("else", Some(chain)) => chain.is_in_else = true,
            ("error", Some(chain)) => chain.is_refused |= chain.is_in_else,
            ("endif", _) => ended.extend(open.pop()),
            _ => {}
        }
    }
    ended.retain(|chain| chain.is_refused && !chain.names.contains(&""));
    ended
}

/// The name that a condition tests, if the condition is that test only; empty otherwise.
fn question(condition: &str) -> &str {
    let condition = condition.split("//").next().unwrap_or_default().trim();
    let name = condition
        .strip_prefix('@')
        .and_then(|rest| rest.strip_suffix('@'));
    name.filter(|name| !name.contains('@')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_a_chain_where_none_of_them_is_an_error() {
        let template = "#if @A@ // first\n#ifdef X\n#error x\n#endif\n#elif @B@\n#else\n#  error none\n#endif\n\
                        #if @C@\n#elif D\n#else\n#error e\n#endif\n#if @E@\n#else\n#endif\n#endif\n#else\n";
        let found = chains(template);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, &found[0].names[..]), (0, &["A", "B"][..]));
    }
}
