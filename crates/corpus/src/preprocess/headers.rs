//! The definitions of the standard headers, according to the compiler that decides.
//!
//! The virtual preprocessor never enters a standard header: it only needs the macros that come from it, because
//! conditions check for them. The compiler reports these once, through the `check` crate.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_records::{Digest, Language};
use serde::{Deserialize, Serialize};

use super::macros::{MacroTable, StandardMacros};

/// The macros that the compiler predefines, and those that each standard header defines.
#[derive(Debug, Clone, Default)]
pub struct StandardHeaders {
    language: Option<Language>,
    macros: Arc<StandardMacros>,
    /// The number of each header that is installed.
    headers: BTreeMap<String, usize>,
    digest: String,
}

impl StandardHeaders {
    /// The headers that a unit in a language may include, one name each. C++ has those of C too.
    pub fn names(language: Language) -> Vec<&'static str> {
        barecode_languages::standard_headers(language).collect()
    }

    /// From the `#define` lines that the language's compiler prints: those it predefines, and those that including
    /// each header adds; `None` for a header that is not installed.
    pub fn new(
        language: Language,
        predefined: &str,
        per_header: impl IntoIterator<Item = (String, Option<String>)>,
    ) -> StandardHeaders {
        let mut digest = Digest::new("standard headers")
            .field(language.name())
            .field(predefined);
        let mut headers = BTreeMap::new();
        let mut macros = StandardMacros::default();
        macros.add(predefined);
        for (name, defines) in per_header {
            digest = digest
                .field(&name)
                .field(defines.as_deref().unwrap_or("missing"));
            if let Some(defines) = defines {
                let number = macros.add(&defines);
                headers.insert(name, number);
            }
        }
        StandardHeaders {
            language: Some(language),
            macros: Arc::new(macros.ready()),
            headers,
            digest: digest.hex(),
        }
    }

    /// The language of the compiler that listed the headers.
    pub fn language(&self) -> Language {
        self.language.unwrap_or(Language::C)
    }

    /// Distinguishes compilers whose headers differ.
    pub fn digest(&self) -> String {
        self.digest.clone()
    }

    /// All headers that are installed.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.headers.keys().map(String::as_str)
    }

    /// The macros in force before the first line.
    pub(crate) fn predefined(&self) -> MacroTable {
        let mut table = MacroTable::over(self.macros.clone());
        if self.language.is_some() {
            table.include(0);
        }
        table
    }

    /// The number of a header in the table of macros; `None` if it is not standard or not installed.
    pub(crate) fn number_of(&self, header: &str) -> Option<usize> {
        self.headers.get(header).copied()
    }
}

/// Headers that a recipe adds to those of the lists (`standard-headers`): a list for both languages, or a table
/// with a list for each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct MoreHeaders {
    c: BTreeSet<String>,
    cpp: BTreeSet<String>,
}

impl MoreHeaders {
    /// The headers that a unit in a language may include, those of the lists first; each once.
    pub fn names(&self, language: Language) -> Vec<&str> {
        let more = match language {
            Language::C => Some(&self.c),
            Language::CPP => Some(&self.cpp),
            _ => None,
        };
        let listed: Vec<&str> = StandardHeaders::names(language);
        let known: BTreeSet<&str> = listed.iter().copied().collect();
        let new = more.into_iter().flatten().map(String::as_str);
        let new = new.filter(|name| !known.contains(name));
        listed.into_iter().chain(new).collect()
    }
}

/// `standard-headers` as it is written in a recipe.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Both(BTreeSet<String>),
    Each(WrittenEach),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEach {
    #[serde(default)]
    c: BTreeSet<String>,
    #[serde(default)]
    cpp: BTreeSet<String>,
}

impl TryFrom<Written> for MoreHeaders {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let (c, cpp) = match written {
            Written::Both(names) => (names.clone(), names),
            Written::Each(WrittenEach { c, cpp }) => (c, cpp),
        };
        // Only the plain name of a header may reach the compiler.
        let plain = |name: &str| {
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "_+-./".contains(c))
                && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
        };
        match c.union(&cpp).find(|name| !plain(name)) {
            Some(name) => Err(format!(
                "`{}` in `standard-headers` is not the name of a header, such as `sys/personality.h`",
                name.escape_debug()
            )),
            None => Ok(MoreHeaders { c, cpp }),
        }
    }
}

/// The definitions of the standard headers in each language that a source may be written in.
#[derive(Debug, Clone, Default)]
pub struct Dialects {
    /// For C.
    pub c: StandardHeaders,
    /// For C++; without it, files in C++ are set aside.
    pub cpp: Option<StandardHeaders>,
}

impl Dialects {
    /// The headers that are installed, those of C++ behind those of C.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let cpp = self.cpp.iter().flat_map(StandardHeaders::known);
        self.c.known().chain(cpp)
    }

    /// The headers of a language, if it is read at all.
    pub fn of(&self, language: Language) -> Option<&StandardHeaders> {
        match language {
            Language::C => Some(&self.c),
            Language::CPP => self.cpp.as_ref(),
            _ => None,
        }
    }
}
