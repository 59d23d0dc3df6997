//! A suite of test sets that exist already: `[[benchmark]]` tables, as `recipes/gencodesearchnet.toml` has them.
//!
//! ```toml
//! name = "suite"
//! data = "suite"               # the folder of the files, relative to the recipe; `--data` names another
//! pool = "uniform:99"          # the candidates of a query; all documents are ranked beside them
//! draws = 3                    # of the pool
//! ties = "expected"
//! profile = "gecs"             # in place of the three: as `GenCodeSearchNet`'s released script draws and counts
//!
//! [card]                       # what the GenBench evaluation card says of all members
//! motivation = ["practical"]
//! shift-type = ["covariate"]
//! shift-source = ["naturally-occurring"]
//! shift-locus = ["finetune-train-test", "pretrain-test"]
//!
//! [[benchmark]]
//! name = "go"                  # of its files and folders
//! title = "CodeSearchNet Go"
//! files = ["test_go_mrr.jsonl", "go/final/jsonl/test"]    # the first that is there is read
//! source = "https://zenodo.org/records/8310891"           # where people get it
//! generalization = ["cross-lingual"]                      # robustness, cross-lingual, domain
//! average = "CodeSearchNet"    # those with one name count as one, by their mean
//! language = "Go"              # as prompts name it
//! text = "comment"             # or "query": which of the paper's two prompts asks about its pairs
//! format = "codesearchnet"     # if it cannot be recognized
//! tokens = false               # read tokens joined by blanks where rows have them
//! subset = "go"                # of a file that has several
//! role = "test"                # or "train": thresholds are fitted on it, and it is not scored
//! ```
//!
//! Such a recipe has nothing to mine, so its commands are `eval`, `stats` and `audit`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_evaluate::{Generalization, PoolConfig, Wording};
use barecode_formats::Format;
use barecode_records::guarded;
use barecode_scores::Ties;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::recipe_text::{RecipeText, check_file_name, check_name, nearest_in};
use super::retrieve::{self, RetrieveConfig};
use barecode_runs::exit::{Failure, read_text};

/// The candidates of a query unless others are requested.
const USUAL: RetrieveConfig = RetrieveConfig {
    pool: PoolConfig::Uniform(99),
    draws: 3,
};

/// A suite of test sets.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The folder of its files.
    pub data: PathBuf,
    /// The candidates of a query.
    pub retrieve: RetrieveConfig,
    /// The rule for equal scores.
    pub ties: Ties,
    /// True if everything is as in the released script.
    pub is_gecs: bool,
    /// The axes of the evaluation card that hold for all members.
    pub card: CardAxes,
    /// Its members, in the order of tables.
    pub members: Vec<SuiteMember>,
}

/// The axes of the evaluation card (Hupkes and others, 2023) that a member does not have by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CardAxes {
    /// Why generalization is studied.
    pub motivation: Vec<String>,
    /// The change between training and test.
    pub shift_type: Vec<String>,
    /// The source of the change.
    pub shift_source: Vec<String>,
    /// The two sets of data between which the change is.
    pub shift_locus: Vec<String>,
}

/// The values of an axis, as recipes write them.
pub const MOTIVATIONS: [&str; 4] = ["practical", "cognitive", "intrinsic", "fairness"];
/// As above.
pub const SHIFT_TYPES: [&str; 4] = ["covariate", "label", "full", "assumed"];
/// As above.
pub const SHIFT_SOURCES: [&str; 4] = [
    "naturally-occurring",
    "partitioned-natural",
    "generated-shift",
    "fully-generated",
];
/// As above.
pub const SHIFT_LOCI: [&str; 4] = [
    "train-test",
    "finetune-train-test",
    "pretrain-train",
    "pretrain-test",
];

/// A test set, or the training set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SuiteMember {
    /// The name of its folders and files.
    pub name: String,
    /// The name in tables; `name` by default.
    #[serde(default)]
    pub title: String,
    /// Its possible paths, relative to the folder of the suite; the first that exists is read.
    pub files: Vec<String>,
    /// The address from which users get it.
    pub source: String,
    /// The types that it belongs to.
    #[serde(default)]
    pub generalization: Vec<Generalization>,
    /// The name under which it and others count as one.
    pub average: Option<String>,
    /// The programming language, as prompts name it.
    #[serde(default)]
    pub language: String,
    /// The words of prompts for its texts.
    #[serde(default, rename = "text")]
    pub wording: Wording,
    /// The format by its name, if it is not recognized.
    pub format: Option<String>,
    /// True if tokens are read from rows that have them.
    #[serde(default)]
    pub tokens: bool,
    /// Which subset of its file, if that has several.
    pub subset: Option<String>,
    /// True if thresholds are fitted on it.
    #[serde(default, rename = "role", deserialize_with = "is_training")]
    pub trains: bool,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    Test,
    Train,
}

fn is_training<'de, D: Deserializer<'de>>(role: D) -> Result<bool, D::Error> {
    Ok(Role::deserialize(role)? == Role::Train)
}

impl SuiteMember {
    /// A member of which only a name is known.
    pub fn named(name: String) -> Self {
        SuiteMember {
            title: name.clone(),
            source: name.clone(),
            name,
            ..SuiteMember::default()
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
    name: Spanned<String>,
    data: Option<String>,
    pool: Option<Spanned<String>>,
    draws: Option<Spanned<u32>>,
    ties: Option<Spanned<String>>,
    profile: Option<Spanned<String>>,
    #[serde(default)]
    card: CardAxes,
    #[serde(rename = "benchmark")]
    benchmarks: Vec<Spanned<SuiteMember>>,
}

/// Returns `true` if a path is a suite of test sets.
pub fn is_suite(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        benchmark: Option<serde::de::IgnoredAny>,
    }
    path.extension().is_some_and(|ending| ending == "toml")
        && guarded::text(path).is_ok_and(|text| {
            let probe: Result<Probe, _> = toml::from_str(&text);
            // Text that is not TOML at all is read as the kind that it claims to be, and refused by its reader.
            probe.map_or(text.contains("[[benchmark]]"), |it| it.benchmark.is_some())
        })
}

impl Suite {
    /// The suite of test sets that a path is, if it is one; `data` is the folder of its files instead of its own.
    pub fn at(path: &Path, data: Option<&Path>) -> Result<Option<Self>, Failure> {
        if !is_suite(path) {
            return Ok(None);
        }
        let mut suite = Suite::read(path)?;
        if let Some(data) = data {
            data.clone_into(&mut suite.data);
        }
        Ok(Some(suite))
    }

    /// Reads a recipe file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        let base = path.parent().unwrap_or(Path::new(""));
        let file = path.display().to_string();
        let recipe = RecipeText {
            text: &text,
            file: &file,
        };
        let wire: Wire = toml::from_str(&text).map_err(|error| {
            let message = error.message().lines().next().unwrap_or_default();
            recipe.error(error.span(), message, nearest_in(message))
        })?;
        check(wire, &recipe, base)
    }

    /// Everything as `GenCodeSearchNet`'s released script has it.
    pub fn as_gecs(&mut self) {
        self.is_gecs = true;
        self.retrieve = RetrieveConfig {
            pool: PoolConfig::Gecs(99),
            draws: 1,
        };
        self.ties = Ties::Pessimistic;
    }
}

fn check(wire: Wire, recipe: &RecipeText<'_>, base: &Path) -> Result<Suite, Failure> {
    let name = check_name(wire.name, recipe)?;
    let asked = retrieve::Wire {
        pool: wire.pool,
        draws: wire.draws,
    };
    let retrieve = retrieve::check(asked, USUAL, recipe)?;
    let ties = match &wire.ties {
        None => Ties::default(),
        Some(ties) => {
            let read: Result<Ties, _> = ties.get_ref().parse();
            read.map_err(|error| recipe.refuse(ties.span(), &error.to_string()))?
        }
    };
    let axes = [
        ("motivation", &wire.card.motivation, MOTIVATIONS),
        ("shift-type", &wire.card.shift_type, SHIFT_TYPES),
        ("shift-source", &wire.card.shift_source, SHIFT_SOURCES),
        ("shift-locus", &wire.card.shift_locus, SHIFT_LOCI),
    ];
    for (axis, values, known) in axes {
        if let Some(value) = values.iter().find(|value| !known.contains(&value.as_str())) {
            let message = format!("`{axis}` of `[card]` has `{value}`");
            let known = known.join(", ");
            return Err(recipe
                .error(None, &message, None)
                .hint(format!("there are {known}")));
        }
    }
    let mut names = BTreeSet::new();
    let mut members = Vec::new();
    for member in wire.benchmarks {
        let span = member.span();
        let member = check_member(member, recipe)?;
        if !names.insert(member.name.to_lowercase()) {
            let message = format!("two benchmarks are named `{}`", member.name);
            return Err(recipe.refuse(span, &message));
        }
        if member.trains && members.iter().any(|other: &SuiteMember| other.trains) {
            let message = "a second benchmark of role `train`: thresholds are fitted on one";
            return Err(recipe.refuse(span, message));
        }
        members.push(member);
    }
    let mut suite = Suite {
        data: base.join(wire.data.as_deref().unwrap_or(&name)),
        name,
        retrieve,
        ties,
        is_gecs: false,
        card: wire.card,
        members,
    };
    if let Some(profile) = &wire.profile {
        if profile.get_ref() != "gecs" {
            let message = format!("no profile `{}`; there is gecs", profile.get_ref());
            return Err(recipe.refuse(profile.span(), &message));
        }
        suite.as_gecs();
    }
    Ok(suite)
}

fn check_member(
    member: Spanned<SuiteMember>,
    recipe: &RecipeText<'_>,
) -> Result<SuiteMember, Failure> {
    let span = member.span();
    let mut member = member.into_inner();
    let refuse = |message: String| Err(recipe.refuse(span.clone(), &message));
    check_file_name("name", &member.name, span.clone(), recipe)?;
    if let Some(suffix) = ["-all", "-pairs"]
        .iter()
        .find(|it| member.name.ends_with(**it))
    {
        return refuse(format!(
            "the name `{}` ends in `{suffix}`, as a subset of a member does",
            member.name
        ));
    }
    if member.files.is_empty() {
        return refuse(format!("`files` of `{}` names no file", member.name));
    }
    if !member.trains && member.generalization.is_empty() {
        return refuse(format!(
            "`{}` has no `generalization`: robustness, cross-lingual or domain",
            member.name
        ));
    }
    if let Some(Err(message)) = member.format.as_deref().map(str::parse::<Format>) {
        return refuse(message);
    }
    if member.title.is_empty() {
        member.title.clone_from(&member.name);
    }
    Ok(member)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Result<Suite, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        fs::write(&path, text).unwrap();
        assert!(is_suite(&path), "{text}");
        Suite::read(&path)
    }

    const MEMBER: &str = "[[benchmark]]\nname = \"go\"\nfiles = [\"a\"]\nsource = \"s\"\ngeneralization = [\"domain\"]\n";

    #[test]
    fn wrong_values_are_refused_with_what_there_is() {
        let cases = [
            (
                "",
                "generalisation = [\"domain\"]",
                "unknown field `generalisation`",
            ),
            ("", "role = \"tests\"", "unknown variant `tests`"),
            ("", "format = \"csv\"", "no format `csv`"),
            ("pool = \"all\"", "", "a pool is everyone, uniform:N"),
            ("draws = 0", "", "`draws` is not a number from 1"),
            ("ties = \"best\"", "", "unknown rule for ties `best`"),
            (
                "profile = \"paper\"",
                "",
                "no profile `paper`; there is gecs",
            ),
            (
                "card = { motivation = [\"fun\"] }",
                "",
                "`motivation` of `[card]` has `fun`",
            ),
            ("", MEMBER, "two benchmarks are named `go`"),
        ];
        for (head, tail, expected) in cases {
            let failure = read(&format!("name = \"s\"\n{head}\n{MEMBER}{tail}\n")).unwrap_err();
            assert!(failure.message.contains(expected), "{}", failure.message);
        }
        let bare = MEMBER.replace("generalization = [\"domain\"]\n", "");
        let failure = read(&format!("name = \"s\"\n{bare}")).unwrap_err();
        assert!(
            failure.message.contains("no `generalization`"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn the_profile_is_pool_and_ties_together() {
        let suite = read(&format!("name = \"s\"\nprofile = \"gecs\"\n{MEMBER}")).unwrap();
        assert_eq!(
            (suite.retrieve.pool, suite.ties),
            (PoolConfig::Gecs(99), Ties::Pessimistic)
        );
        let usual = read(&format!("name = \"s\"\n{MEMBER}")).unwrap();
        assert_eq!(
            (usual.retrieve.pool, usual.ties),
            (PoolConfig::Uniform(99), Ties::Expected)
        );
        assert!(usual.data.ends_with("s"));
    }

    #[test]
    fn the_published_suite_is_read() {
        let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
        let suite = Suite::read(&recipes.join("gencodesearchnet.toml")).unwrap();
        let trains = suite.members.iter().filter(|member| member.trains).count();
        assert_eq!((suite.members.len(), trains), (9, 1));
        let of = |kind| {
            let members = suite.members.iter();
            members
                .filter(|member| member.generalization.contains(&kind))
                .count()
        };
        assert_eq!(Generalization::ALL.map(of), [2, 6, 1]);
    }
}
