//! The settings: the changes that are made to the code before it is searched.
//!
//! A setting is written as one word with parts, the same in recipes, columns, file names and reports:
//!
//! | form | examples |
//! | --- | --- |
//! | as written | `standard` |
//! | renamed: scheme, then dose, then literals, then profile | `neutralized`, `randomized`, `characters-same`, `neutralized-dose-50`, `randomized-only-function-variable`, `neutralized-foreign`, `neutralized-strings`, `neutralized-masked`, `neutralized-clarc` |
//! | lowered: form, compiler, machine, optimization, profile | `assembly-o0`, `assembly-clang-o2`, `assembly-aarch64-os`, `wasm-o0`, `llvm-ir-o1`, `assembly-o0-clarc` |

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Role,
    c::{CompilerFamily, Form, Machine, Optimization},
};

/// The change that was made to the code before it became a candidate (CLARC, section 3.1.3 and appendix D.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    /// The code as written, comments removed.
    Standard,
    /// Names of the project replaced.
    Renamed {
        /// The scheme of the new names.
        scheme: Scheme,
        /// The names that are replaced.
        dose: Dose,
        /// The treatment of string literals.
        literals: Literals,
        /// The profile of the text.
        profile: Profile,
    },
    /// The source replaced by a compiler's output.
    Lowered {
        /// The form that it is lowered to.
        form: Form,
        /// The optimization level.
        optimization: Optimization,
        /// The profile of the text.
        profile: Profile,
    },
}

/// The scheme of the new names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Kind and number: `func_0`, `var_1`.
    Neutralized,
    /// One fixed naming by order of use, the same for every renaming of a text.
    Canonical,
    /// Random letters of random length, drawn per unit and seed.
    Randomized,
    /// Random letters, the same number as in the name.
    RandomizedSameLength,
    /// pydra's `random_chars`.
    Characters(Length),
    /// pydra's `shuffle_original`: the letters of the name in another order.
    Shuffled,
    /// pydra's `funky`: an adjective and a noun.
    AdjectiveNoun,
    /// `AdvTest`'s: `Func` and `arg_0`, of a function's own names.
    AdvTest,
    /// The same by spelling, as published.
    AdvTestTokens,
}

/// pydra's length modes of `random_chars` (appendix B.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Length {
    /// The same number of letters as in the name.
    Same,
    /// From 1 to 10, each with the same probability.
    Uniform,
    /// The fewest letters that still distinguish the names.
    Shortest,
    /// This many; from 1 to 64.
    Fixed(u8),
}

/// The names that are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dose {
    /// The share of the names with one of the roles that is changed, in percent, from 1 to 100.
    pub percent: u8,
    /// The roles whose names are changed.
    pub roles: Roles,
}

impl Dose {
    /// All names of the project.
    pub const ALL: Dose = Dose {
        percent: 100,
        roles: Roles::PROJECT,
    };
}

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Roles(u32);

impl Roles {
    /// Every role.
    pub const ALL: Roles = Roles((1 << Role::ALL.len()) - 1);
    /// Every role but [`Role::Foreign`].
    pub const PROJECT: Roles = Roles(Roles::ALL.0 & !(1 << Role::Foreign as u32));

    /// These roles.
    pub fn of(roles: impl IntoIterator<Item = Role>) -> Roles {
        Roles(
            roles
                .into_iter()
                .fold(0, |bits, role| bits | 1 << role as u32),
        )
    }

    /// Returns `true` if a role is among them.
    pub fn contains(self, role: Role) -> bool {
        self.0 & 1 << role as u32 != 0
    }

    /// The roles, in their order.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL
            .into_iter()
            .filter(move |role| self.contains(*role))
    }
}

/// The treatment of string literals under a renaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literals {
    /// They stay as they are written.
    Kept,
    /// Names that changed are changed in them too, as whole words: `-strings`.
    Names,
    /// They are emptied: `-masked`.
    Masked,
}

impl Literals {
    /// The ending of the name of a setting.
    fn suffix(self) -> &'static str {
        match self {
            Literals::Kept => "",
            Literals::Names => "-strings",
            Literals::Masked => "-masked",
        }
    }
}

/// The textual form of a setting's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Ours: nothing is left that the setting promises to remove, and every text is proven.
    Strict,
    /// CLARC's, as in its released files, with the leaks of these.
    Clarc,
}

impl Setting {
    /// Every name becomes its kind and a number.
    pub const NEUTRALIZED: Setting = Setting::renamed(Scheme::Neutralized);
    /// Every name becomes random letters, drawn per unit and seed.
    pub const RANDOMIZED: Setting = Setting::renamed(Scheme::Randomized);
    /// One fixed naming by order of use.
    pub const CANONICAL: Setting = Setting::renamed(Scheme::Canonical);

    /// The settings of a recipe that does not name any.
    pub const DEFAULT: [Setting; 3] =
        [Setting::Standard, Setting::NEUTRALIZED, Setting::RANDOMIZED];

    /// One setting of each kind, in the order of [`Ord`]: the first entries of lists of settings.
    pub fn kinds() -> Vec<Setting> {
        let forms = [CompilerFamily::Gcc, CompilerFamily::Clang]
            .into_iter()
            .flat_map(|compiler| {
                Machine::ALL
                    .into_iter()
                    .map(move |machine| Form::Assembly { compiler, machine })
            })
            .chain([Form::Wasm, Form::LlvmIr]);
        [Setting::Standard]
            .into_iter()
            .chain(SCHEMES.map(|(scheme, _)| Setting::renamed(scheme)))
            .chain(forms.map(|form| Setting::Lowered {
                form,
                optimization: Optimization::O0,
                profile: Profile::Strict,
            }))
            .collect()
    }

    /// All names under a scheme.
    pub const fn renamed(scheme: Scheme) -> Setting {
        Setting::Renamed {
            scheme,
            dose: Dose::ALL,
            literals: Literals::Kept,
            profile: Profile::Strict,
        }
    }

    /// Returns `true` if the setting is drawn anew for each seed. CLARC's codes are the same everywhere.
    pub fn is_seeded(self) -> bool {
        let is_fixed = |scheme: Scheme| {
            matches!(scheme, Scheme::Neutralized | Scheme::Canonical) || !scheme.is_naming()
        };
        matches!(
            self,
            Setting::Renamed { scheme, profile: Profile::Strict, .. } if !is_fixed(scheme)
        )
    }

    /// Returns `true` if it changes names of other packages too, which are known by spelling only.
    pub fn takes_foreign(self) -> bool {
        matches!(self, Setting::Renamed { dose, .. } if dose.roles.contains(Role::Foreign))
    }

    /// The textual form of its texts.
    pub fn profile(self) -> Profile {
        match self {
            Setting::Standard => Profile::Strict,
            Setting::Renamed { profile, .. } | Setting::Lowered { profile, .. } => profile,
        }
    }

    /// `randomized-2`, or `neutralized` if there is no seed.
    pub fn label(self, seed: Option<u32>) -> String {
        match seed {
            Some(seed) => format!("{self}-{seed}"),
            None => self.to_string(),
        }
    }
}

impl Scheme {
    /// Returns `true` if it is a naming that applies to any name of any language. The names of `AdvTest` are for the
    /// names that a function of Python binds.
    pub fn is_naming(self) -> bool {
        !matches!(self, Scheme::AdvTest | Scheme::AdvTestTokens)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Scheme::Characters(Length::Fixed(length)) = self {
            return write!(f, "{FIXED}-{length}");
        }
        let known = SCHEMES.iter().find(|(scheme, _)| scheme == self);
        f.write_str(known.map_or(FIXED, |(_, word)| word))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Standard => return f.write_str("standard"),
            Setting::Renamed {
                scheme,
                dose,
                literals,
                ..
            } => {
                write!(f, "{scheme}")?;
                if dose.percent != 100 {
                    write!(f, "-dose-{}", dose.percent)?;
                }
                match dose.roles {
                    Roles::PROJECT => {}
                    Roles::ALL => write!(f, "-{}", Role::Foreign.name())?,
                    roles => {
                        f.write_str("-only")?;
                        for role in roles.iter() {
                            write!(f, "-{}", role.name())?;
                        }
                    }
                }
                f.write_str(literals.suffix())?;
            }
            Setting::Lowered {
                form, optimization, ..
            } => write!(f, "{form}-{}", optimization.name())?,
        }
        match self.profile() {
            Profile::Strict => Ok(()),
            Profile::Clarc => f.write_str("-clarc"),
        }
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            let known: Vec<_> = Setting::kinds().iter().map(Setting::to_string).collect();
            format!(
                "unknown setting `{text}`, expected one of {}; names may end in `-dose-PERCENT`, \
                 `-only-ROLE-…`, `-foreign`, `-strings` or `-masked`, or in `-clarc`, code in `-o0` to `-o3`, `-os` and `-clarc`",
                known.join(", ")
            )
        })
    }
}

/// Removes a word and the hyphen after it from the front of `rest`.
fn take<'a>(rest: &'a str, word: &str) -> Option<&'a str> {
    let after = rest.strip_prefix(word)?;
    after
        .strip_prefix('-')
        .filter(|rest| !rest.is_empty())
        .or_else(|| after.is_empty().then_some(""))
}

fn parse(text: &str) -> Option<Setting> {
    if text == "standard" {
        return Some(Setting::Standard);
    }
    let (text, profile) = match text.strip_suffix("-clarc") {
        Some(text) => (text, Profile::Clarc),
        None => (text, Profile::Strict),
    };
    let setting = parse_renamed(text, profile).or_else(|| parse_lowered(text, profile))?;
    (profile == Profile::Strict || is_in_clarc(setting)).then_some(setting)
}

/// Returns `true` if CLARC released texts of a kind.
fn is_in_clarc(setting: Setting) -> bool {
    match setting {
        Setting::Standard => false,
        Setting::Renamed {
            scheme,
            dose,
            literals,
            ..
        } => {
            let is_whole = dose == Dose::ALL && literals == Literals::Kept;
            matches!(scheme, Scheme::Neutralized | Scheme::Randomized) && is_whole
        }
        Setting::Lowered { form, .. } => match form {
            Form::Assembly { compiler, machine } => {
                compiler == CompilerFamily::Gcc && machine == Machine::X86_64
            }
            Form::Wasm => true,
            Form::LlvmIr => false,
        },
    }
}

fn parse_renamed(text: &str, profile: Profile) -> Option<Setting> {
    let mut literals = Literals::Kept;
    let mut text = text;
    for changed in [Literals::Names, Literals::Masked] {
        if let Some(before) = text.strip_suffix(changed.suffix()) {
            (text, literals) = (before, changed);
            break;
        }
    }
    let (scheme, mut rest) = parse_scheme(text)?;
    let mut dose = Dose::ALL;
    if !scheme.is_naming() && literals != Literals::Kept {
        return None;
    }
    if !scheme.is_naming() && !rest.is_empty() {
        return None;
    }
    if let Some(after) = take(rest, "dose") {
        let (percent, after) = after.split_once('-').unwrap_or((after, ""));
        dose.percent = number(percent).filter(|percent| (1..100).contains(percent))?;
        rest = after;
    }
    if rest == Role::Foreign.name() {
        dose.roles = Roles::ALL;
        rest = "";
    }
    if let Some(mut after) = take(rest, "only") {
        let mut roles = Vec::new();
        while !after.is_empty() {
            let (role, left) = Role::ALL
                .into_iter()
                .find_map(|role| Some((role, take(after, role.name())?)))?;
            roles.push(role);
            after = left;
        }
        dose.roles = Roles::of(roles);
        if [Roles::ALL, Roles::PROJECT, Roles::of([])].contains(&dose.roles) {
            return None;
        }
        rest = "";
    }
    rest.is_empty().then_some(Setting::Renamed {
        scheme,
        dose,
        literals,
        profile,
    })
}

/// The word before a length.
const FIXED: &str = "characters-fixed";

/// Each scheme and its word, one of those with a length; of two that begin alike the shorter one comes first.
const SCHEMES: [(Scheme, &str); 12] = [
    (Scheme::Neutralized, "neutralized"),
    (Scheme::Canonical, "canonical"),
    (Scheme::Randomized, "randomized"),
    (Scheme::RandomizedSameLength, "randomized-same-length"),
    (Scheme::Characters(Length::Same), "characters-same"),
    (Scheme::Characters(Length::Uniform), "characters-uniform"),
    (Scheme::Characters(Length::Shortest), "characters-shortest"),
    (Scheme::Characters(Length::Fixed(8)), FIXED),
    (Scheme::Shuffled, "shuffled"),
    (Scheme::AdjectiveNoun, "adjective-noun"),
    (Scheme::AdvTest, "advtest"),
    (Scheme::AdvTestTokens, "advtest-tokens"),
];

fn parse_scheme(text: &str) -> Option<(Scheme, &str)> {
    if let Some(rest) = take(text, FIXED) {
        let (length, rest) = rest.split_once('-').unwrap_or((rest, ""));
        let length = number(length).filter(|length| (1..=64).contains(length))?;
        return Some((Scheme::Characters(Length::Fixed(length)), rest));
    }
    // Of two that begin alike the longer one is tried first.
    SCHEMES
        .into_iter()
        .rev()
        .find_map(|(scheme, word)| Some((scheme, take(text, word)?)))
}

/// A number without sign or leading zeros.
fn number(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn parse_lowered(text: &str, profile: Profile) -> Option<Setting> {
    let (form, rest) = if let Some(rest) = take(text, "assembly") {
        let (compiler, rest) = match take(rest, "clang") {
            Some(rest) => (CompilerFamily::Clang, rest),
            None => (CompilerFamily::Gcc, rest),
        };
        let named = Machine::ALL
            .into_iter()
            .find_map(|machine| Some((machine, take(rest, machine.name())?)));
        let (machine, rest) = named.unwrap_or((Machine::X86_64, rest));
        (Form::Assembly { compiler, machine }, rest)
    } else if let Some(rest) = take(text, "wasm") {
        (Form::Wasm, rest)
    } else {
        (Form::LlvmIr, take(text, "llvm-ir")?)
    };
    let optimization = match rest {
        "" => Optimization::O0,
        rest => Optimization::named(rest)?,
    };
    Some(Setting::Lowered {
        form,
        optimization,
        profile,
    })
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // Schemas are traced by reading one record of blanks.
        if text.is_empty() {
            return Ok(Setting::Standard);
        }
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let mut all = Setting::kinds();
        for setting in Setting::kinds() {
            match setting {
                Setting::Standard => {}
                Setting::Renamed { scheme, .. } => {
                    for profile in [Profile::Strict, Profile::Clarc] {
                        for percent in [1, 50, 100] {
                            for roles in [
                                Roles::ALL,
                                Roles::of([Role::Function]),
                                Roles::of([Role::TemplateParameter, Role::Field]),
                            ] {
                                let dose = Dose { percent, roles };
                                let literals = [Literals::Kept, Literals::Names, Literals::Masked];
                                all.extend(literals.map(|literals| Setting::Renamed {
                                    scheme,
                                    dose,
                                    literals,
                                    profile,
                                }));
                            }
                        }
                    }
                }
                Setting::Lowered { form, .. } => {
                    for profile in [Profile::Strict, Profile::Clarc] {
                        for optimization in Optimization::ALL {
                            all.push(Setting::Lowered {
                                form,
                                optimization,
                                profile,
                            });
                        }
                    }
                }
            }
        }
        for setting in all {
            let is_whole = match setting {
                Setting::Renamed {
                    scheme,
                    dose,
                    literals,
                    ..
                } => scheme.is_naming() || dose == Dose::ALL && literals == Literals::Kept,
                _ => true,
            };
            let has_form =
                is_whole && (setting.profile() == Profile::Strict || is_in_clarc(setting));
            let read: Option<Setting> = setting.to_string().parse().ok();
            assert_eq!(read, has_form.then_some(setting), "{setting}");
        }
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for text in [
            "",
            "neutral",
            "neutralized-",
            "neutralized-dose-0",
            "neutralized-dose-100",
            "neutralized-dose-05",
            "neutralized-only",
            "neutralized-only-nothing",
            "assembly-o4",
            "assembly-gcc",
            "wasm-aarch64-o0",
            "characters-fixed-0",
            "standard-clarc",
            "canonical-clarc",
            "neutralized-dose-50-clarc",
            "llvm-ir-clarc",
        ] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_goes_without_saying_may_be_left_out() {
        assert_eq!("assembly".parse(), "assembly-x86-64-o0".parse::<Setting>());
        assert_eq!("wasm-clarc".parse(), "wasm-o0-clarc".parse::<Setting>());
    }
}
