//! Models by the name under which they were published, with the settings that their authors recommend.
//!
//! In comes a name, out come pooling, normalization, prompts, maximum length, and their source. The hard thing is
//! that a checkpoint without sentence-transformers' files has none of these settings, and a wrong pooling or a
//! missing prompt gives scores that look like a weaker model. The settings of a folder's own files precede this
//! table; those of a caller precede both.
//!
//! The table has all local models of the three papers: CLARC (appendix E), pydra (table 4), GenCodeSearchNet (section
//! 5.1). If a paper and a model's card differ, the card is followed and the difference is noted.

use barecode_models::Pooling::{self, First, Last};

/// The use of a model.
///
/// ```
/// use barecode_encoders::published;
/// let model = published("intfloat/e5-base-v2").unwrap();
/// assert_eq!((model.query_prompt, model.document_prompt), ("query: ", "passage: "));
/// assert!(published("nobody/nothing").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The pooling of rows into a vector.
    pub pooling: Pooling,
    /// True if vectors are brought to length 1.
    pub normalize: bool,
    /// The text before a query.
    pub query_prompt: &'static str,
    /// The text before a document.
    pub document_prompt: &'static str,
    /// Tokens that are read of a text.
    pub max_length: usize,
    /// Tokens behind the first one, which the tokenizer does not set.
    pub start: &'static [&'static str],
    /// A token that ends every text, if the tokenizer does not set it.
    pub end: Option<&'static str>,
    /// True if a token sees the tokens after it; `None` for the default of the architecture.
    pub both_ways: Option<bool>,
    /// The revision of the hub that has the weights as safetensors, if `main` has them in another form only.
    pub revision: Option<&'static str>,
    /// The source of these settings.
    pub source: &'static str,
}

/// A model by its name, in any case; `None` if it is not in the table.
pub fn published(name: &str) -> Option<&'static Published> {
    let has = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let found = PUBLISHED.iter().find(|(names, _)| has(names));
    found.map(|(_, usage)| usage)
}

const WEB_SEARCH: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const QWEN3: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";
const RELEVANT_CODE: &str = "Represent this query for searching relevant code: ";
const END_OF_TEXT: &str = "<|endoftext|>";
const RELEVANT_PASSAGES: &str = "Represent this sentence for searching relevant passages: ";

/// Mean, normalized, no prompts.
const fn plain(max_length: usize, source: &'static str) -> Published {
    Published {
        pooling: Pooling::Mean,
        normalize: true,
        query_prompt: "",
        document_prompt: "",
        max_length,
        start: &[],
        end: None,
        both_ways: None,
        revision: None,
        source,
    }
}

/// Another row than the mean, normalized, with a prompt before queries only.
const fn row(
    pooling: Pooling,
    max_length: usize,
    query_prompt: &'static str,
    source: &'static str,
) -> Published {
    Published {
        pooling,
        query_prompt,
        ..plain(max_length, source)
    }
}

const fn prompted(
    max_length: usize,
    query_prompt: &'static str,
    document_prompt: &'static str,
) -> Published {
    Published {
        query_prompt,
        document_prompt,
        ..plain(max_length, "model card, usage")
    }
}

const fn ended(model: Published, end: &'static str) -> Published {
    Published {
        end: Some(end),
        ..model
    }
}

const fn converted_at(revision: &'static str, model: Published) -> Published {
    Published {
        revision: Some(revision),
        ..model
    }
}

/// Organizations and names, as on the hub, of models that are used alike.
const PUBLISHED: &[(&[&str], Published)] = &[
    // CLARC.
    (
        &["Salesforce/codet5p-110m-embedding"],
        converted_at(
            "0e1ed90343bf82620599d632276a084868942391",
            row(
                First,
                512,
                "",
                "model card: the projected first row, normalized; CLARC, appendix E; GenCodeSearchNet, section 5.1",
            ),
        ),
    ),
    (
        &["Kwaipilot/OASIS-code-embedding-1.5B"],
        row(
            Last,
            8192,
            "Instruct: Given a code search query, retrieve relevant code snippet that answer the query\nQuery: ",
            "model card, usage; training code of Gao et al. 2025; CLARC, appendix E",
        ),
    ),
    (
        &["nomic-ai/nomic-embed-code"],
        row(
            Last,
            8192,
            RELEVANT_CODE,
            "model card, usage; 8,192 tokens by pydra, table 4, where MTEB has 32,768; CLARC, appendix E",
        ),
    ),
    // pydra.
    (
        &["Salesforce/CodeXEmbed-7B"],
        row(
            Last,
            4096,
            "Instruct: Given Code or Text, retrieve relevant content\nQuery: ",
            "Liu et al. 2024 (CodeXEmbed), section 3; pydra, table 4; its weights are not on the hub",
        ),
    ),
    (
        &["Salesforce/SFR-Embedding-Code-2B_R"],
        row(
            Last,
            8192,
            "Instruct: Given Code or Text, retrieval relevant content\nQuery: ",
            "model card, usage (its wording); its config.json has positions for 8,192 tokens, card and pydra 32,768",
        ),
    ),
    (
        &["codesage/codesage-small", "codesage/codesage-base"],
        ended(
            plain(1024, "model card: an end-of-text token is needed"),
            END_OF_TEXT,
        ),
    ),
    (
        &["codesage/codesage-large"],
        converted_at(
            "refs/pr/5",
            ended(
                plain(
                    1024,
                    "model card; files of the model: mean, 1,024 tokens; pydra, table 4, has its 2,048 positions",
                ),
                END_OF_TEXT,
            ),
        ),
    ),
    (
        &["codesage/codesage-small-v2", "codesage/codesage-base-v2"],
        ended(
            plain(
                1024,
                "model card: an end-of-text token is needed; files of the model: mean, 1,024 tokens",
            ),
            END_OF_TEXT,
        ),
    ),
    (
        &["codesage/codesage-large-v2"],
        converted_at(
            "refs/pr/2",
            ended(
                plain(2048, "model card: an end-of-text token is needed"),
                END_OF_TEXT,
            ),
        ),
    ),
    (
        &["Salesforce/codet5p-770m"],
        plain(512, "pydra, table 4: mean of the encoder's rows"),
    ),
    (&["Salesforce/codet5p-220m"], plain(512, "as codet5p-770m")),
    (
        &["jinaai/jina-embeddings-v2-base-code"],
        plain(8192, "model card, mean pooling; pydra, table 4"),
    ),
    (
        &[
            "jinaai/jina-embeddings-v2-base-en",
            "jinaai/jina-embeddings-v2-small-en",
        ],
        plain(8192, "model card, mean pooling"),
    ),
    (
        &["bigcode/starencoder"],
        plain(
            1024,
            "pydra, table 4; its authors take the row of a closing token that the published tokenizer lacks",
        ),
    ),
    // GenCodeSearchNet; both were trained further as cross-encoders there.
    (
        &["FacebookAI/roberta-base"],
        row(First, 512, "", "GenCodeSearchNet, section 5.1"),
    ),
    (
        &["microsoft/codebert-base"],
        row(
            First,
            512,
            "",
            "Feng et al. 2020, section 4.1: the first row; GenCodeSearchNet, section 5.1",
        ),
    ),
    (
        &["microsoft/graphcodebert-base"],
        row(First, 512, "", "Guo et al. 2021, section 5.1"),
    ),
    (
        &["microsoft/unixcoder-base"],
        Published {
            start: &["<encoder-only>", "</s>"],
            ..plain(
                512,
                "Guo et al. 2022, section 3.1: mode token, mean of rows",
            )
        },
    ),
    // Well known beyond the papers.
    (
        &["sentence-transformers/all-MiniLM-L6-v2"],
        plain(256, "files of the model: mean, normalized, 256 tokens"),
    ),
    (
        &["sentence-transformers/all-MiniLM-L12-v2"],
        plain(128, "files of the model: mean, normalized, 128 tokens"),
    ),
    (
        &["sentence-transformers/all-mpnet-base-v2"],
        plain(384, "files of the model: mean, normalized, 384 tokens"),
    ),
    (
        &[
            "BAAI/bge-small-en-v1.5",
            "BAAI/bge-base-en-v1.5",
            "BAAI/bge-large-en-v1.5",
        ],
        row(First, 512, RELEVANT_PASSAGES, "model card, usage"),
    ),
    (
        &["BAAI/bge-m3"],
        row(First, 8192, "", "model card, dense retrieval"),
    ),
    (
        &[
            "intfloat/e5-small-v2",
            "intfloat/e5-base-v2",
            "intfloat/e5-large-v2",
            "intfloat/multilingual-e5-small",
            "intfloat/multilingual-e5-base",
            "intfloat/multilingual-e5-large",
        ],
        prompted(512, "query: ", "passage: "),
    ),
    (
        &[
            "nomic-ai/nomic-embed-text-v1",
            "nomic-ai/nomic-embed-text-v1.5",
            "nomic-ai/modernbert-embed-base",
        ],
        prompted(8192, "search_query: ", "search_document: "),
    ),
    (
        &["nomic-ai/CodeRankEmbed"],
        row(
            First,
            8192,
            RELEVANT_CODE,
            "model card, usage; Suresh et al. 2025",
        ),
    ),
    (
        &["Alibaba-NLP/gte-modernbert-base"],
        row(First, 8192, "", "model card, usage"),
    ),
    (
        &[
            "Alibaba-NLP/gte-Qwen2-1.5B-instruct",
            "Alibaba-NLP/gte-Qwen2-7B-instruct",
        ],
        Published {
            both_ways: Some(true),
            end: Some(END_OF_TEXT),
            ..row(
                Last,
                32_768,
                WEB_SEARCH,
                "model card: attention both ways; code of its tokenizer: the end, which tokenizer.json lacks",
            )
        },
    ),
    (
        &[
            "Qwen/Qwen3-Embedding-0.6B",
            "Qwen/Qwen3-Embedding-4B",
            "Qwen/Qwen3-Embedding-8B",
        ],
        row(
            Last,
            32_768,
            QWEN3,
            "model card, usage; no blank after the colon",
        ),
    ),
    (
        &["Salesforce/SFR-Embedding-Mistral"],
        ended(
            row(
                Last,
                4096,
                WEB_SEARCH,
                "model card, usage; tokenizer_config.json: the end",
            ),
            "</s>",
        ),
    ),
    (
        &["Salesforce/SFR-Embedding-2_R"],
        ended(
            row(
                Last,
                4096,
                WEB_SEARCH,
                "model card, usage; the end as its forerunner has it",
            ),
            "</s>",
        ),
    ),
    (
        &["intfloat/e5-mistral-7b-instruct"],
        ended(
            row(
                Last,
                4096,
                WEB_SEARCH,
                "model card, usage; tokenizer_config.json: the end, which tokenizer.json lacks (MTEB, pull request 5237)",
            ),
            "</s>",
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once_and_has_a_source() {
        let mut names = std::collections::BTreeSet::new();
        for (of_model, model) in PUBLISHED {
            assert!(
                !of_model.is_empty() && !model.source.is_empty() && model.max_length >= 128,
                "{model:?}"
            );
            for name in *of_model {
                assert!(
                    name.contains('/') && names.insert(name.to_lowercase()),
                    "{name}"
                );
                assert_eq!(published(&name.to_uppercase()), Some(model));
            }
        }
    }
}
