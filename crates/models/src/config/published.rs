//! Prices of the providers' models, from their price pages of 2025, in dollars for a million tokens.
//!
//! A price is a default: `price` in models.toml overrides it, and for a model that is not in the list a budget in
//! money is refused rather than guessed. Servers of one's own are free.

use super::Source;
use crate::ledger::Price;

/// The price of a model, if one is known.
pub(super) fn price(source: &Source) -> Price {
    let tokens = |price: f64| Price {
        million_tokens: Some(price),
        ..Price::default()
    };
    let chat = |input: f64, output: f64| Price {
        million_tokens: Some(input),
        million_output_tokens: Some(output),
        ..Price::default()
    };
    match source {
        Source::OpenAi(model) => match model.as_str() {
            "text-embedding-3-small" => tokens(0.02),
            "text-embedding-3-large" => tokens(0.13),
            "text-embedding-ada-002" => tokens(0.10),
            "gpt-3.5-turbo" => chat(0.5, 1.5),
            "gpt-4o" => chat(2.5, 10.0),
            "gpt-4o-mini" => chat(0.15, 0.6),
            "gpt-4.1" | "o3" => chat(2.0, 8.0),
            "gpt-4.1-mini" => chat(0.4, 1.6),
            "gpt-4.1-nano" => chat(0.1, 0.4),
            "o3-mini" | "o4-mini" => chat(1.1, 4.4),
            "gpt-5" => chat(1.25, 10.0),
            "gpt-5-mini" => chat(0.25, 2.0),
            "gpt-5-nano" => chat(0.05, 0.4),
            _ => Price::default(),
        },
        Source::Anthropic(model) => {
            // `claude-sonnet-4-5-20250929` costs what `claude-sonnet-4-5` does.
            let of = |family: &str| model.starts_with(family);
            if of("claude-opus-4-5") {
                chat(5.0, 25.0)
            } else if of("claude-opus-4") || of("claude-3-opus") {
                chat(15.0, 75.0)
            } else if of("claude-sonnet-4") || of("claude-3-7-sonnet") || of("claude-3-5-sonnet") {
                chat(3.0, 15.0)
            } else if of("claude-haiku-4-5") {
                chat(1.0, 5.0)
            } else if of("claude-3-5-haiku") {
                chat(0.8, 4.0)
            } else {
                Price::default()
            }
        }
        Source::Voyage(model) => match model.as_str() {
            "voyage-code-3" | "voyage-3-large" => tokens(0.18),
            "voyage-code-2" => tokens(0.12),
            "voyage-3" | "voyage-3.5" => tokens(0.06),
            "rerank-2" | "rerank-2.5" => tokens(0.05),
            "voyage-3-lite" | "voyage-3.5-lite" | "rerank-2-lite" | "rerank-2.5-lite" => {
                tokens(0.02)
            }
            _ => Price::default(),
        },
        Source::Cohere(model) => match model.as_str() {
            "embed-v4.0" => tokens(0.12),
            "embed-english-v3.0" | "embed-multilingual-v3.0" => tokens(0.10),
            "rerank-v3.5" | "rerank-english-v3.0" | "rerank-multilingual-v3.0" => Price {
                thousand_requests: Some(2.0),
                ..Price::default()
            },
            _ => Price::default(),
        },
        Source::Gemini(model) => match model.as_str() {
            "gemini-embedding-001" => tokens(0.15),
            _ => Price::default(),
        },
        Source::Jina(_) => Price::default(),
        Source::Local(_)
        | Source::Hub(_)
        | Source::Compatible { .. }
        | Source::Tei(_)
        | Source::Process(_)
        | Source::Vectors(_)
        | Source::Run(_) => Price::FREE,
    }
}
