//! Units to queries: doc comments, code as queries for code, the user's own queries, leaks.
//!
//! Enters: a [`Unit`](barecode_records::Unit) with its comments. Leaves: the text by which a developer would search
//! for it: the comment's first paragraph, as one line of prose (the rule by which `CodeSearchNet` made its queries).
//! A comment that cannot serve is set aside with its reason, and in = kept + set aside.
//!
//! The one hard part is the names in a comment. A query with `ZSTD_compress` is about a name, not about the behavior
//! of the function, and is answered by string search. Such names are not cut out, because the sentence would break;
//! they are recorded ([`leaks`]), so that every score can be split by them.
//!
//! The user's own queries come with their answers ([`OwnQuery`]), and are used as they are written.
//!
//! Raters compare queries that a model wrote with those that human authors wrote; [`Ratings`] are their answers.
//! Decisions of reviewers about queries are a patch ([`Review`]) that [`apply_reviews`] applies.
//!
//! Models may put comments in classes ([`Classes`]).
//!
//! Queries that models write are requested with [`Prompts`] and judged by [`judge`]; the caller of the model is not
//! known here.
//!
//! This crate writes no sentence of its own and judges no sentence's meaning.

mod query;
mod clean;
mod markup;
mod prose;
mod leak;
mod code;
mod own;
mod standard;
mod ratings;
mod prompt;
mod written;
mod reviews;
mod classes;

pub use classes::{CLASS_PROMPT, Classes};
pub use clean::clean;
pub use code::code_queries;
pub use leak::leaks;
pub use own::{OWN_QUERIES, OwnQuery, OwnQueryError, Place, own_queries};
pub use prompt::{Example, Filled, PROMPT_SETS, Prompts};
pub use query::{FURTHER_COMMENTS, QueryConfig, could_ask, query};
pub use ratings::{Better, Rating, Ratings, RatingsError, Verdict};
pub use reviews::{Decision, REVIEWS, Review, ReviewError, apply_reviews};
pub use written::{
    Authorship, Came, Candidate, Judged, Leaking, WrittenConfig, again, judge, prompt_digest,
};
