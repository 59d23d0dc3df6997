//! The options of the structural retriever.

/// The structural retriever with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structural {
    /// Whether words of names count. Calls that are named like library functions (`my_malloc`) count in any case.
    pub names: bool,
}

impl Default for Structural {
    fn default() -> Self {
        Structural { names: true }
    }
}

impl Structural {
    /// Reads `names=false`; nothing leaves everything as it is by default.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut structural = Structural::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            structural.names = match part
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()))
            {
                Some(("names", "true")) => true,
                Some(("names", "false")) => false,
                _ => {
                    return Err(format!(
                        "`structural` has no option `{part}`: write names=true or names=false"
                    ));
                }
            };
        }
        Ok(structural)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_left_out() {
        assert_eq!(Structural::read(""), Ok(Structural { names: true }));
        assert_eq!(
            Structural::read(" names = false"),
            Ok(Structural { names: false })
        );
        for wrong in ["names", "names=maybe", "k1=2"] {
            assert!(
                Structural::read(wrong).is_err_and(|why| why.contains("names=false")),
                "{wrong}"
            );
        }
    }
}
