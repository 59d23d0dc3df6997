//! A language, by its name.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A language that a text is written in, by its lowercase name: `c`, `cpp`, `python`.
///
/// Any name is a language. The data about one (how users write it, endings, comments, keywords) are in the crate
/// `languages`, and nothing is known of a name without an entry there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(&'static str);

/// Names that are not built in. They live as long as the program; a program meets a few.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl Language {
    /// C, as gcc's `gnu17` dialect unless the recipe says otherwise.
    pub const C: Language = Language("c");
    /// C++, as g++'s `gnu++17` dialect unless the recipe says otherwise.
    pub const CPP: Language = Language("cpp");
    /// Python 3.
    pub const PYTHON: Language = Language("python");

    /// A language that is built in; `name` is lowercase.
    pub const fn of_name(name: &'static str) -> Language {
        Language(name)
    }

    /// The language of a name, in whatever case it is written.
    ///
    /// ```
    /// use barecode_records::Language;
    /// assert_eq!(Language::named("cpp"), Language::CPP);
    /// assert_eq!(Language::named("Zig").name(), "zig");
    /// ```
    pub fn named(name: &str) -> Language {
        let name = name.to_lowercase();
        match name.as_str() {
            "c" => return Language::C,
            "cpp" => return Language::CPP,
            "python" => return Language::PYTHON,
            _ => {}
        }
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name.as_str()) {
            return Language(known);
        }
        let name: &'static str = Box::leak(name.into_boxed_str());
        names.insert(name);
        Language(name)
    }

    /// The name, as files and columns have it.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl de::Visitor<'_> for Name {
            type Value = Language;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a language")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Language, E> {
                Ok(Language::named(name))
            }
        }
        deserializer.deserialize_str(Name)
    }
}
