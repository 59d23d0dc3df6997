//! The overload that a prototype of C++ declares, by the types of its parameters.

use barecode_languages::lex::Token;

/// Words of a parameter that name no type of the project.
const QUALIFIERS: [&str; 9] = [
    "class", "const", "enum", "register", "restrict", "struct", "typename", "union", "volatile",
];
const BUILT_IN: [&str; 11] = [
    "auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
];

/// Returns `Some(true)` if a prototype and a definition that begin with these tokens have the same parameters,
/// `const` behind them included. `None` if the parameters of one cannot be found, as with operators.
pub(crate) fn declares(
    name: &str,
    (prototype, in_text): (&[Token], &str),
    (definition, of_text): (&[Token], &str),
) -> Option<bool> {
    let one = parameters(name, prototype, in_text)?;
    let other = parameters(name, definition, of_text)?;
    let is_same = |a: &Vec<&str>, b: &Vec<&str>| {
        let (unnamed_a, unnamed_b) = (without_name(a), without_name(b));
        a == b || *a == unnamed_b || unnamed_a == *b || unnamed_a == unnamed_b
    };
    let (one, is_const) = one;
    let (other, other_is_const) = other;
    let mut pairs = one.iter().zip(&other);
    Some(
        is_const == other_is_const && one.len() == other.len() && pairs.all(|(a, b)| is_same(a, b)),
    )
}

/// The parameters behind the name, each without scopes and its default, and whether `const` follows.
fn parameters<'t>(
    name: &str,
    tokens: &[Token],
    text: &'t str,
) -> Option<(Vec<Vec<&'t str>>, bool)> {
    let mut words = tokens.iter().map(|token| token.text(text)).peekable();
    let name = name.trim_start_matches('~');
    while words.next()? != name || words.peek() != Some(&"(") {}
    words.next();
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut depth, mut is_default) = (0_usize, false);
    loop {
        let word = words.next()?;
        match word {
            ")" if depth == 0 => break,
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            ">>" => depth = depth.saturating_sub(2),
            "," if depth == 0 => {
                all.push(Vec::new());
                is_default = false;
                continue;
            }
            "=" if depth == 0 => is_default = true,
            _ => {}
        }
        let parameter = all.last_mut()?;
        match word {
            _ if is_default => {}
            // A scope that only one of the two needs to write.
            "::" => drop(parameter.pop_if(|last| is_word(last))),
            _ => parameter.push(word),
        }
    }
    if all.len() == 1 && (all[0].is_empty() || all[0] == ["void"]) {
        all.clear();
    }
    Some((all, words.next() == Some("const")))
}

/// A parameter without its name, if it has one besides its type.
fn without_name<'t>(parameter: &[&'t str]) -> Vec<&'t str> {
    let is_type = |word: &&&str| is_word(word) && !QUALIFIERS.contains(*word);
    let has_two = parameter.iter().filter(is_type).count() > 1;
    let last = parameter.iter().rposition(|word| is_type(&word));
    let last = last.filter(|&at| has_two && !BUILT_IN.contains(&parameter[at]));
    let rest = parameter.iter().enumerate();
    let rest = rest.filter(|&(at, _)| Some(at) != last);
    rest.map(|(_, &word)| word).collect()
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use barecode_languages::lex::lex;

    fn is_of(name: &str, prototype: &str, definition: &str) -> Option<bool> {
        let (one, other) = (lex(prototype), lex(definition));
        declares(name, (&one, prototype), (&other, definition))
    }

    #[test]
    fn an_overload_has_the_types_of_its_prototype() {
        let turn =
            "int air::Kite::turn(const air::Angle &by, unsigned int, std::map<int, int> m) const {";
        assert_eq!(
            is_of(
                "turn",
                "int turn(const Angle& angle, unsigned int times = 2, map<int, int>) const;",
                turn
            ),
            Some(true)
        );
        for other in [
            "int turn(const Angle& angle, unsigned int times, map<int, int> m);",
            "int turn(const Place& angle, unsigned int times, map<int, int> m) const;",
            "int turn(const Angle& angle, unsigned char times, map<int, int> m) const;",
            "int turn(const Angle& angle, unsigned int times, map<int, char> m) const;",
            "int turn(const Angle& angle, unsigned int times) const;",
        ] {
            assert_eq!(is_of("turn", other, turn), Some(false), "{other}");
        }
        assert_eq!(is_of("f", "void f();", "void f(void) {}"), Some(true));
        assert_eq!(is_of("f", "void f(Kite);", "void f(Tail) {}"), Some(false));
        assert_eq!(
            is_of("~Kite", "virtual ~Kite();", "Kite::~Kite() {}"),
            Some(true)
        );
        assert_eq!(is_of("operator==", "bool operator==(A, B);", "x"), None);
    }
}
