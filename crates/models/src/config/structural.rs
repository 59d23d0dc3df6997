//! The options of the structural retriever.

use std::fmt;

/// The structural retriever with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structural {
    /// Whether words of names count. Calls that are named like library functions (`my_malloc`) count in any case.
    pub names: bool,
    /// Whether what was learned from public repositories counts; without it hubs are not held back either.
    pub learned: bool,
}

impl Default for Structural {
    fn default() -> Self {
        Structural {
            names: true,
            learned: true,
        }
    }
}

/// The short form: `structural`, with the options that are not as usual.
impl fmt::Display for Structural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Structural::default();
        let options = [
            ("names", self.names, usual.names),
            ("learned", self.learned, usual.learned),
        ];
        f.write_str("structural")?;
        let stated = options.iter().filter(|(_, value, usual)| value != usual);
        for (at, (name, value, _)) in stated.enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl Structural {
    /// Reads `names=false,learned=false`; nothing leaves everything as it is by default.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut structural = Structural::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let option = match key.trim() {
                "names" => &mut structural.names,
                "learned" => &mut structural.learned,
                _ => return Err(unknown(part)),
            };
            *option = value.trim().parse().map_err(|_| unknown(part))?;
        }
        Ok(structural)
    }
}

fn unknown(part: &str) -> String {
    format!("`structural` has no option `{part}`: write names=false or learned=false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_was_learned_can_be_left_out() {
        let all = Structural::default();
        assert_eq!(Structural::read(""), Ok(all));
        let nameless = Structural {
            names: false,
            ..all
        };
        assert_eq!(Structural::read(" names = false"), Ok(nameless));
        let neither = Structural {
            names: false,
            learned: false,
        };
        assert_eq!(Structural::read("learned=false,names=false"), Ok(neither));
        let short = [all, nameless, neither].map(|it| it.to_string());
        let expected = [
            "structural",
            "structural:names=false",
            "structural:names=false,learned=false",
        ];
        assert_eq!(short, expected);
        for wrong in ["names", "names=maybe", "k1=2", "learned="] {
            assert!(
                Structural::read(wrong).is_err_and(|why| why.contains("names=false")),
                "{wrong}"
            );
        }
    }
}
