//! Models by the name under which they were published, with what their authors use them with.
//!
//! In comes a name, out come pooling, normalization, prompts, maximum length, and where that is said.
//! The hard thing is that a checkpoint without sentence-transformers' files says none of it, and a wrong pooling
//! or a missing prompt gives scores that look like a weaker model.
//! What a folder's own files say goes before this table; what a caller says goes before both.
//!
//! All local models of the three papers are here: CLARC (appendix E), pydra (table 4), GenCodeSearchNet
//! (section 5.1). Where a paper and a model's card differ, the card is followed and the difference is noted.

use super::pooling::Pooling;

/// How a model is used.
///
/// ```
/// use barecode_encoders::published;
/// let model = published("intfloat/e5-base-v2").unwrap();
/// assert_eq!((model.query_prompt, model.document_prompt), ("query: ", "passage: "));
/// assert!(published("nobody/nothing").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Organization and name, as on the hub.
    pub name: &'static str,
    /// How rows become a vector.
    pub pooling: Pooling,
    /// Whether vectors are brought to length 1.
    pub normalize: bool,
    /// What stands before a query.
    pub query_prompt: &'static str,
    /// What stands before a document.
    pub document_prompt: &'static str,
    /// Tokens that are read of a text.
    pub max_length: usize,
    /// Tokens behind the first one, which the tokenizer does not set.
    pub start: &'static [&'static str],
    /// A token that ends every text, where the tokenizer does not set it.
    pub end: Option<&'static str>,
    /// Whether a token sees what stands after it, where that differs from the architecture.
    pub both_ways: Option<bool>,
    /// The revision of the hub that has the weights as safetensors, where `main` has them in another form only.
    pub revision: Option<&'static str>,
    /// Where this is said.
    pub source: &'static str,
}

/// A model by its name, in any case; `None` where it is not in the table.
pub fn published(name: &str) -> Option<&'static Published> {
    PUBLISHED
        .iter()
        .find(|model| model.name.eq_ignore_ascii_case(name))
}

/// All of the table, in its order.
///
/// ```
/// let names: Vec<&str> = barecode_encoders::all_published().iter().map(|model| model.name).collect();
/// assert!(names.contains(&"Salesforce/codet5p-110m-embedding"));
/// ```
pub fn all_published() -> &'static [Published] {
    PUBLISHED
}

const WEB_SEARCH: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const RELEVANT_CODE: &str = "Represent this query for searching relevant code: ";
const RELEVANT_PASSAGES: &str = "Represent this sentence for searching relevant passages: ";

/// Mean, normalized, no prompts.
const fn plain(name: &'static str, max_length: usize, source: &'static str) -> Published {
    Published {
        name,
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

const fn first(
    name: &'static str,
    max_length: usize,
    query_prompt: &'static str,
    source: &'static str,
) -> Published {
    Published {
        pooling: Pooling::First,
        query_prompt,
        ..plain(name, max_length, source)
    }
}

const fn last(
    name: &'static str,
    max_length: usize,
    query_prompt: &'static str,
    source: &'static str,
) -> Published {
    Published {
        pooling: Pooling::Last,
        query_prompt,
        ..plain(name, max_length, source)
    }
}

const fn prompted(
    name: &'static str,
    max_length: usize,
    prompts: (&'static str, &'static str),
    source: &'static str,
) -> Published {
    Published {
        query_prompt: prompts.0,
        document_prompt: prompts.1,
        ..plain(name, max_length, source)
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

const fn seeing_both_ways(model: Published) -> Published {
    Published {
        both_ways: Some(true),
        ..model
    }
}

const PUBLISHED: &[Published] = &[
    // CLARC.
    converted_at(
        "0e1ed90343bf82620599d632276a084868942391",
        first(
            "Salesforce/codet5p-110m-embedding",
            512,
            "",
            "model card: the projected first row, normalized; CLARC, appendix E; GenCodeSearchNet, section 5.1",
        ),
    ),
    last(
        "Kwaipilot/OASIS-code-embedding-1.5B",
        8192,
        "Instruct: Given a code search query, retrieve relevant code snippet that answer the query\nQuery: ",
        "model card, usage; training code of Gao et al. 2025; CLARC, appendix E",
    ),
    last(
        "nomic-ai/nomic-embed-code",
        8192,
        RELEVANT_CODE,
        "model card, usage; 8,192 tokens by pydra, table 4, where MTEB has 32,768; CLARC, appendix E",
    ),
    // pydra.
    last(
        "Salesforce/CodeXEmbed-7B",
        4096,
        "Instruct: Given Code or Text, retrieve relevant content\nQuery: ",
        "Liu et al. 2024 (CodeXEmbed), section 3; pydra, table 4; its weights are not on the hub",
    ),
    last(
        "Salesforce/SFR-Embedding-Code-2B_R",
        8192,
        "Instruct: Given Code or Text, retrieval relevant content\nQuery: ",
        "model card, usage (its wording); its config.json has places for 8,192 tokens, card and pydra say 32,768",
    ),
    ended(
        plain(
            "codesage/codesage-small",
            1024,
            "model card: an end-of-text token is needed",
        ),
        "<|endoftext|>",
    ),
    ended(
        plain(
            "codesage/codesage-base",
            1024,
            "model card: an end-of-text token is needed",
        ),
        "<|endoftext|>",
    ),
    converted_at(
        "refs/pr/5",
        ended(
            plain(
                "codesage/codesage-large",
                1024,
                "model card; files of the model: mean, 1,024 tokens; pydra, table 4, has its 2,048 places",
            ),
            "<|endoftext|>",
        ),
    ),
    ended(
        plain(
            "codesage/codesage-small-v2",
            1024,
            "model card: an end-of-text token is needed; files of the model: mean, 1,024 tokens",
        ),
        "<|endoftext|>",
    ),
    ended(
        plain(
            "codesage/codesage-base-v2",
            1024,
            "model card: an end-of-text token is needed; files of the model: mean, 1,024 tokens",
        ),
        "<|endoftext|>",
    ),
    converted_at(
        "refs/pr/2",
        ended(
            plain(
                "codesage/codesage-large-v2",
                2048,
                "model card: an end-of-text token is needed",
            ),
            "<|endoftext|>",
        ),
    ),
    plain(
        "Salesforce/codet5p-770m",
        512,
        "pydra, table 4: mean of the encoder's rows",
    ),
    plain("Salesforce/codet5p-220m", 512, "as codet5p-770m"),
    plain(
        "jinaai/jina-embeddings-v2-base-code",
        8192,
        "model card, mean pooling; pydra, table 4",
    ),
    plain(
        "jinaai/jina-embeddings-v2-base-en",
        8192,
        "model card, mean pooling",
    ),
    plain(
        "jinaai/jina-embeddings-v2-small-en",
        8192,
        "model card, mean pooling",
    ),
    plain(
        "bigcode/starencoder",
        1024,
        "pydra, table 4; its authors take the row of a closing token that the published tokenizer lacks",
    ),
    // GenCodeSearchNet; both were trained further as cross-encoders there.
    first(
        "FacebookAI/roberta-base",
        512,
        "",
        "GenCodeSearchNet, section 5.1",
    ),
    first(
        "microsoft/codebert-base",
        512,
        "",
        "Feng et al. 2020, section 4.1: the first row; GenCodeSearchNet, section 5.1",
    ),
    first(
        "microsoft/graphcodebert-base",
        512,
        "",
        "Guo et al. 2021, section 5.1",
    ),
    Published {
        start: &["<encoder-only>", "</s>"],
        ..plain(
            "microsoft/unixcoder-base",
            512,
            "Guo et al. 2022, section 3.1: mode token, mean of rows",
        )
    },
    // Well known beyond the papers.
    plain(
        "sentence-transformers/all-MiniLM-L6-v2",
        256,
        "files of the model: mean, normalized, 256 tokens",
    ),
    plain(
        "sentence-transformers/all-MiniLM-L12-v2",
        128,
        "files of the model: mean, normalized, 128 tokens",
    ),
    plain(
        "sentence-transformers/all-mpnet-base-v2",
        384,
        "files of the model: mean, normalized, 384 tokens",
    ),
    first(
        "BAAI/bge-small-en-v1.5",
        512,
        RELEVANT_PASSAGES,
        "model card, usage",
    ),
    first(
        "BAAI/bge-base-en-v1.5",
        512,
        RELEVANT_PASSAGES,
        "model card, usage",
    ),
    first(
        "BAAI/bge-large-en-v1.5",
        512,
        RELEVANT_PASSAGES,
        "model card, usage",
    ),
    first("BAAI/bge-m3", 8192, "", "model card, dense retrieval"),
    prompted(
        "intfloat/e5-small-v2",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "intfloat/e5-base-v2",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "intfloat/e5-large-v2",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "intfloat/multilingual-e5-small",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "intfloat/multilingual-e5-base",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "intfloat/multilingual-e5-large",
        512,
        ("query: ", "passage: "),
        "model card, usage",
    ),
    prompted(
        "nomic-ai/nomic-embed-text-v1",
        8192,
        ("search_query: ", "search_document: "),
        "model card, usage",
    ),
    prompted(
        "nomic-ai/nomic-embed-text-v1.5",
        8192,
        ("search_query: ", "search_document: "),
        "model card, usage",
    ),
    prompted(
        "nomic-ai/modernbert-embed-base",
        8192,
        ("search_query: ", "search_document: "),
        "model card, usage",
    ),
    first(
        "nomic-ai/CodeRankEmbed",
        8192,
        RELEVANT_CODE,
        "model card, usage; Suresh et al. 2025",
    ),
    first(
        "Alibaba-NLP/gte-modernbert-base",
        8192,
        "",
        "model card, usage",
    ),
    seeing_both_ways(ended(
        last(
            "Alibaba-NLP/gte-Qwen2-1.5B-instruct",
            32_768,
            WEB_SEARCH,
            "model card: attention both ways; code of its tokenizer: the end, which tokenizer.json lacks",
        ),
        "<|endoftext|>",
    )),
    seeing_both_ways(ended(
        last(
            "Alibaba-NLP/gte-Qwen2-7B-instruct",
            32_768,
            WEB_SEARCH,
            "model card: attention both ways; code of its tokenizer: the end, which tokenizer.json lacks",
        ),
        "<|endoftext|>",
    )),
    last(
        "Qwen/Qwen3-Embedding-0.6B",
        32_768,
        QWEN3,
        "model card, usage; no blank after the colon",
    ),
    last(
        "Qwen/Qwen3-Embedding-4B",
        32_768,
        QWEN3,
        "model card, usage; no blank after the colon",
    ),
    last(
        "Qwen/Qwen3-Embedding-8B",
        32_768,
        QWEN3,
        "model card, usage; no blank after the colon",
    ),
    ended(
        last(
            "Salesforce/SFR-Embedding-Mistral",
            4096,
            WEB_SEARCH,
            "model card, usage; tokenizer_config.json: the end",
        ),
        "</s>",
    ),
    ended(
        last(
            "Salesforce/SFR-Embedding-2_R",
            4096,
            WEB_SEARCH,
            "model card, usage; the end as its forerunner has it",
        ),
        "</s>",
    ),
    ended(
        last(
            "intfloat/e5-mistral-7b-instruct",
            4096,
            WEB_SEARCH,
            "model card, usage; tokenizer_config.json: the end, which tokenizer.json lacks (MTEB, pull request 5237)",
        ),
        "</s>",
    ),
];

const QWEN3: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once_and_has_a_source() {
        let mut names: Vec<String> = PUBLISHED
            .iter()
            .map(|model| model.name.to_lowercase())
            .collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for model in PUBLISHED {
            assert!(
                model.name.contains('/') && !model.source.is_empty() && model.max_length >= 128,
                "{model:?}"
            );
            assert_eq!(published(&model.name.to_uppercase()), Some(model));
        }
    }
}
