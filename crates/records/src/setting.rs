//! The settings: how much of the code is left.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What was done to the code before it became a candidate (CLARC, section 3.1.3 and appendix D.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// The code as written, comments removed.
    Standard,
    /// Every name of the project replaced by its kind and a number: `func_0`, `var_1`.
    Neutralized,
    /// Every name of the project replaced by random letters, drawn per unit and seed.
    Randomized,
}

impl Setting {
    /// All settings, from most to least said by names.
    pub const ALL: [Setting; 3] = [Setting::Standard, Setting::Neutralized, Setting::Randomized];

    /// `neutralized`, as files, columns and recipes have it.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Standard => "standard",
            Setting::Neutralized => "neutralized",
            Setting::Randomized => "randomized",
        }
    }

    /// Whether the setting is drawn anew for each seed.
    pub fn is_seeded(self) -> bool {
        match self {
            Setting::Standard | Setting::Neutralized => false,
            Setting::Randomized => true,
        }
    }

    /// `randomized-2`, or `neutralized` where there is no seed.
    pub fn label(self, seed: Option<u32>) -> String {
        match seed {
            Some(seed) => format!("{}-{seed}", self.name()),
            None => self.name().to_owned(),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Setting::ALL
            .into_iter()
            .find(|setting| setting.name() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Setting::ALL.iter().map(|setting| setting.name()).collect();
                format!(
                    "unknown setting `{text}`, expected one of {}",
                    known.join(", ")
                )
            })
    }
}
