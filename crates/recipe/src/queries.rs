//! `[queries]`: the comments that are queries, the files of the user's own queries, and the models that write more.

use std::path::Path;

use barecode_queries::{OwnQuery, QueryConfig, Review};
use barecode_records::guarded;
use serde::Deserialize;
use toml::Spanned;

use super::classify::{self, Classifier};
use super::models::Known;
use super::recipe_text::RecipeText;
use super::writers::{self, QueryWriter};
use barecode_runs::exit::Failure;

/// The form of a file of queries.
const FORM: &str = "a file has the columns `text` and `function`: an id, `src/list.c:120`, `list_add`, or `src/list.c::list_add`";

/// The table as it is in the file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Wire {
    comments: Option<bool>,
    further_comments: Option<bool>,
    min_words: Option<u32>,
    max_words: Option<u32>,
    files: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    reviews: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    write: Vec<Spanned<writers::Wire>>,
    align: Option<Spanned<writers::Wire>>,
    classify: Option<Spanned<classify::Wire>>,
}

/// The sources of queries.
pub(super) struct Asking {
    pub(super) config: QueryConfig,
    pub(super) own: Vec<OwnQuery>,
    pub(super) reviews: Vec<Review>,
    pub(super) writers: Vec<QueryWriter>,
    pub(super) aligner: Option<QueryWriter>,
    pub(super) classifier: Option<Classifier>,
}

/// Looks at the values, and reads the files.
pub(super) fn check(
    wire: Wire,
    known: &mut Known,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Asking, Failure> {
    let usual = QueryConfig::default();
    let files = wire.files.unwrap_or_default();
    let mut own = Vec::new();
    for file in &files {
        let name = file.get_ref();
        let read = |message: String| recipe.refuse(file.span(), &message).hint(FORM);
        let bytes = guarded::read(base.join(name))
            .map_err(|error| read(format!("cannot read the queries in `{name}`: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| read(format!("the queries in `{name}` are not UTF-8: {error}")))?;
        own.extend(OwnQuery::parse(&text, name).map_err(|error| read(error.to_string()))?);
    }
    let reviewed = wire.reviews.unwrap_or_default();
    let mut reviews = Vec::new();
    for file in &reviewed {
        let name = file.get_ref();
        let read = |message: String| {
            recipe
                .refuse(file.span(), &message)
                .hint("`barecode review export` prints such a file")
        };
        let text = guarded::text(base.join(name))
            .map_err(|error| read(format!("cannot read the reviews in `{name}`: {error}")))?;
        reviews.extend(Review::parse(&text, name).map_err(|error| read(error.to_string()))?);
    }
    let config = QueryConfig {
        comments: wire.comments.unwrap_or(usual.comments),
        further_comments: wire.further_comments.unwrap_or(usual.further_comments),
        min_words: wire.min_words.unwrap_or(usual.min_words),
        max_words: wire.max_words.unwrap_or(usual.max_words),
        files: files.into_iter().map(Spanned::into_inner).collect(),
        reviews: reviewed.into_iter().map(Spanned::into_inner).collect(),
    };
    let writers = writers::check(wire.write, known, recipe, base)?;
    let aligner = wire
        .align
        .map(|align| writers::check_alignment(align, known, recipe, base));
    let classifier = wire
        .classify
        .map(|classify| classify::check(classify, known, recipe, base));
    Ok(Asking {
        config,
        own,
        reviews,
        writers,
        aligner: aligner.transpose()?,
        classifier: classifier.transpose()?,
    })
}
