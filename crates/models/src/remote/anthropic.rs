//! Anthropic's messages.

use super::chat::ANTHROPIC_CHAT;
use super::provider::Provider;

/// It has no model that embeds or scores texts.
pub(crate) const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    base: Some("https://api.anthropic.com/v1"),
    key_names: &["ANTHROPIC_API_KEY"],
    needs_key: true,
    embedding: None,
    chat: Some(ANTHROPIC_CHAT),
    rerank: None,
};
