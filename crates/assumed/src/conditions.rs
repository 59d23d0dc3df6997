//! Conditions of `CMake` → whether they hold on Linux with gcc, and whether that is sure.
//!
//! A variable that a build sets by asking the machine, or by code that is not followed, makes a condition unsure unless
//! its other half decides. An unsure condition counts as false, and the caller knows that this is a guess.

/// The value of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) holds: bool,
    pub(super) is_sure: bool,
}

impl Truth {
    pub(super) fn sure(holds: bool) -> Truth {
        Truth {
            holds,
            is_sure: true,
        }
    }

    const UNKNOWN: Truth = Truth {
        holds: false,
        is_sure: false,
    };

    fn not(self) -> Truth {
        Truth {
            holds: !self.holds,
            ..self
        }
    }

    /// `AND`, and with `wanted` true `OR`: one half that is sure and has the deciding value is enough.
    fn with(self, other: Truth, wanted: bool) -> Truth {
        for one in [self, other] {
            if one.is_sure && one.holds == wanted {
                return one;
            }
        }
        Truth {
            holds: (self.holds == wanted || other.holds == wanted) == wanted,
            is_sure: self.is_sure && other.is_sure,
        }
    }
}

/// The value of a variable, and whether that is sure; a variable that nothing sets has none.
pub(super) type Value = (Option<String>, bool);

/// The truth of the condition of an `if` or `elseif`.
pub(super) fn holds(words: &[String], value: &dyn Fn(&str) -> Value) -> Truth {
    let mut reader = Reader { rest: words, value };
    reader.any(0)
}

/// The operators between two words.
const OPERATORS: &str = "\
    STREQUAL MATCHES EQUAL LESS GREATER LESS_EQUAL GREATER_EQUAL STRLESS STRGREATER VERSION_LESS VERSION_GREATER \
    VERSION_EQUAL VERSION_LESS_EQUAL VERSION_GREATER_EQUAL IN_LIST";

struct Reader<'a> {
    rest: &'a [String],
    value: &'a dyn Fn(&str) -> Value,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.rest.first().is_some_and(|next| next == word);
        self.rest = &self.rest[usize::from(is_next)..];
        is_next
    }

    fn any(&mut self, depth: usize) -> Truth {
        let mut truth = self.all(depth);
        while self.takes("OR") {
            truth = truth.with(self.all(depth), true);
        }
        truth
    }

    fn all(&mut self, depth: usize) -> Truth {
        let mut truth = self.one(depth);
        while self.takes("AND") {
            truth = truth.with(self.one(depth), false);
        }
        truth
    }

    fn one(&mut self, depth: usize) -> Truth {
        if depth > 50 {
            return Truth::UNKNOWN;
        }
        if self.takes("NOT") {
            return self.one(depth + 1).not();
        }
        if self.takes("(") {
            let truth = self.any(depth + 1);
            self.takes(")");
            return truth;
        }
        let value = self.value;
        let Some(word) = self.next().map(str::to_owned) else {
            return Truth::UNKNOWN;
        };
        match word.as_str() {
            "DEFINED" => {
                let name = self.next().unwrap_or_default();
                let (value, is_sure) = value(name);
                let holds = value.is_some();
                return Truth { holds, is_sure };
            }
            "TARGET" | "EXISTS" | "COMMAND" | "POLICY" | "TEST" | "IS_DIRECTORY"
            | "IS_ABSOLUTE" => {
                self.next();
                return Truth::UNKNOWN;
            }
            _ => {}
        }
        let next = self.rest.first().map(String::as_str).unwrap_or_default();
        let Some(operator) = OPERATORS.split_whitespace().find(|one| *one == next) else {
            return truth_of(&word, value);
        };
        self.next();
        let right = self.next().unwrap_or_default().to_owned();
        let (left, is_sure) = meant(&word, value);
        let (right, also_sure) = meant(&right, value);
        let number = |text: &str| text.parse::<i64>().ok();
        let numbers = number(&left).zip(number(&right));
        let holds = match operator {
            "STREQUAL" => Some(left == right),
            "MATCHES" => plain(&right).map(|plain| matches(&left, &right, plain)),
            "EQUAL" => numbers.map(|(left, right)| left == right),
            "LESS" => numbers.map(|(left, right)| left < right),
            "GREATER" => numbers.map(|(left, right)| left > right),
            _ => operator.strip_prefix("VERSION_").and_then(|operator| {
                let order = version(&left)?.cmp(&version(&right)?);
                Some(match operator {
                    "LESS" => order.is_lt(),
                    "GREATER" => order.is_gt(),
                    "LESS_EQUAL" => order.is_le(),
                    "GREATER_EQUAL" => order.is_ge(),
                    _ => order.is_eq(),
                })
            }),
        };
        holds
            .filter(|_| is_sure && also_sure)
            .map_or(Truth::UNKNOWN, Truth::sure)
    }
}

/// The numbers of a version, without zeros at its end.
fn version(text: &str) -> Option<Vec<u64>> {
    let numbers = text.split('.').map(|part| part.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

/// A regular expression without special signs but those at its ends.
fn plain(pattern: &str) -> Option<&str> {
    let plain = pattern.strip_prefix('^').unwrap_or(pattern);
    let plain = plain.strip_suffix('$').unwrap_or(plain);
    (!plain.contains(['.', '*', '+', '?', '[', '(', '\\', '^', '$'])).then_some(plain)
}

fn matches(text: &str, pattern: &str, plain: &str) -> bool {
    plain.split('|').any(
        |plain| match (pattern.starts_with('^'), pattern.ends_with('$')) {
            (true, true) => text == plain,
            (true, false) => text.starts_with(plain),
            (false, true) => text.ends_with(plain),
            (false, false) => text.contains(plain),
        },
    )
}

/// A word with its variables replaced by their values.
pub(super) fn filled(word: &str, value: &dyn Fn(&str) -> Value) -> (String, bool) {
    let (mut text, mut is_sure, mut rest) = (String::new(), true, word);
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        let (known, sure) = value(name);
        text.push_str(before);
        text.push_str(&known.unwrap_or_default());
        is_sure &= sure;
        rest = after;
    }
    (text + rest, is_sure)
}

/// The meaning of a word beside an operator: the value of a variable of that name, else the word itself.
fn meant(word: &str, value: &dyn Fn(&str) -> Value) -> (String, bool) {
    let (text, is_sure) = filled(word, value);
    match value(&text) {
        (Some(known), sure) if is_sure => (known, sure),
        _ => (text, is_sure),
    }
}

fn truth_of(word: &str, value: &dyn Fn(&str) -> Value) -> Truth {
    let (text, is_sure) = filled(word, value);
    let upper = text.to_ascii_uppercase();
    let holds = match upper.as_str() {
        "ON" | "YES" | "TRUE" | "Y" => true,
        _ if text.parse::<i64>().is_ok_and(|number| number != 0) => true,
        _ if !super::words::is_true(&text) => false,
        _ => {
            let (known, sure) = value(&text);
            let holds = known.is_some_and(|known| super::words::is_true(&known));
            let is_sure = is_sure && sure;
            return Truth { holds, is_sure };
        }
    };
    Truth { holds, is_sure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unsure_counts_only_where_the_other_half_does_not_decide() {
        let value = |name: &str| match name {
            "UNIX" => (Some("1".to_owned()), true),
            "NAME" => (Some("Linux".to_owned()), true),
            "FOUND" => (None, false),
            _ => (None, true),
        };
        let said = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let truth = holds(&words, &value);
            (truth.holds, truth.is_sure)
        };
        assert_eq!(said("UNIX AND NOT WIN32"), (true, true));
        assert_eq!(said("WIN32 AND FOUND"), (false, true));
        assert_eq!(said("UNIX AND FOUND"), (false, false));
        assert_eq!(said("FOUND OR UNIX"), (true, true));
        assert_eq!(said("NOT ( WIN32 OR FOUND )"), (true, false));
        assert_eq!(said("NAME STREQUAL Linux"), (true, true));
        assert_eq!(said("${NAME} MATCHES ^(Lin|Dar)"), (false, false));
        assert_eq!(said("NAME MATCHES Windows|Linux"), (true, true));
        assert_eq!(said("DEFINED NOWHERE"), (false, true));
        assert_eq!(said("VERSION VERSION_LESS 3.1"), (false, false));
        assert_eq!(said("3.10 VERSION_LESS 3.4"), (false, true));
        assert_eq!(said("3.4.0 VERSION_GREATER_EQUAL 3.4"), (true, true));
    }
}
