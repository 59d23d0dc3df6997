//! A prompt in, a text out: the chat endpoints of providers.
//!
//! An answer that was stopped or declined is an answer too: it came, it was paid for, and the same request again
//! would be paid again. Only an answer that cannot be read is requested once more.

use serde_json::{Value, json};

use super::answer::tokens_of;
use super::provider::Endpoint;
use super::transport::Request;
use crate::ledger::Tokens;
use crate::writer::{Answer, End, Sampling};

/// A chat endpoint's requests and answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChatApi {
    /// Makes the request for a text.
    pub(crate) request: fn(&Endpoint, &Chat<'_>) -> Request,
    /// Reads the answer.
    pub(crate) answer: fn(&Value) -> Result<Answer, String>,
}

/// A request to a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chat<'a> {
    /// The system prompt.
    pub(crate) system: Option<&'a str>,
    /// The prompt.
    pub(crate) prompt: &'a str,
    /// The sampling of the answer.
    pub(crate) sampling: Sampling,
}

/// `/chat/completions` of OpenAI, whose newer models refuse `max_tokens`.
pub(crate) const OPENAI_CHAT: ChatApi = ChatApi {
    request: |endpoint, chat| completions(endpoint, chat, "max_completion_tokens"),
    answer: choice,
};

/// The same for other servers.
pub(crate) const COMPATIBLE_CHAT: ChatApi = ChatApi {
    request: |endpoint, chat| completions(endpoint, chat, "max_tokens"),
    answer: choice,
};

fn completions(endpoint: &Endpoint, chat: &Chat<'_>, most: &str) -> Request {
    let mut messages = Vec::new();
    if let Some(system) = chat.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    messages.push(json!({ "role": "user", "content": chat.prompt }));
    let mut body = json!({ "model": endpoint.model, "messages": messages });
    if let Some(temperature) = chat.sampling.temperature {
        // An integer if the value is one, so that earlier recordings are found again.
        body["temperature"] = if temperature == 0.0 {
            json!(0)
        } else {
            json!(temperature)
        };
    }
    if let Some(seed) = chat.sampling.seed {
        body["seed"] = json!(seed);
    }
    if let Some(tokens) = chat.sampling.max_tokens {
        body[most] = json!(tokens);
    }
    endpoint.post("/chat/completions", &body)
}

/// `{choices: [{message: {content, refusal}, finish_reason}], usage}`.
fn choice(body: &Value) -> Result<Answer, String> {
    let choice = body
        .pointer("/choices/0")
        .ok_or("no choice in the answer")?;
    let message = choice
        .get("message")
        .ok_or("no message in the first choice")?;
    let refusal = message.get("refusal").and_then(Value::as_str);
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => joined(parts),
        Some(Value::Null) | None => String::new(),
        Some(_) => return Err("a message that is not text".to_owned()),
    };
    let end = match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => End::Cut,
        Some("content_filter") => End::Refused,
        _ if refusal.is_some_and(|refusal| !refusal.is_empty()) => End::Refused,
        _ => End::Whole,
    };
    Ok(Answer {
        text,
        end,
        tokens: counted(body),
        served: served(body),
    })
}

/// Anthropic's `/messages` (API reference, "Messages"): the limit of an answer is required.
pub(crate) const ANTHROPIC_CHAT: ChatApi = ChatApi {
    request: messages,
    answer: blocks,
};

/// Tokens of an answer if the recipe has no limit.
const USUAL_LIMIT: u32 = 4096;

fn messages(endpoint: &Endpoint, chat: &Chat<'_>) -> Request {
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": chat.sampling.max_tokens.unwrap_or(USUAL_LIMIT),
        "messages": [{ "role": "user", "content": chat.prompt }],
    });
    if let Some(system) = chat.system {
        body["system"] = json!(system);
    }
    if let Some(temperature) = chat.sampling.temperature {
        body["temperature"] = json!(temperature);
    }
    let mut request = endpoint.post("/messages", &body);
    let version = ("anthropic-version", "2023-06-01".to_owned());
    request.headers.push(version);
    request
}

/// `{content: [{type: "text", text}], stop_reason, usage: {input_tokens, output_tokens}}`.
fn blocks(body: &Value) -> Result<Answer, String> {
    let content = body.get("content").and_then(Value::as_array);
    let content = content.ok_or("no list `content` in the answer")?;
    let end = match body.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => End::Cut,
        Some("refusal") => End::Refused,
        _ => End::Whole,
    };
    Ok(Answer {
        text: joined(content),
        end,
        tokens: counted(body),
        served: served(body),
    })
}

/// The texts of a list of parts.
fn joined(parts: &[Value]) -> String {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    parts.iter().filter_map(text).collect()
}

fn counted(body: &Value) -> Option<Tokens> {
    tokens_of(body).filter(|tokens| tokens.all() > 0)
}

fn served(body: &Value) -> Option<String> {
    body.get("model").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_both_kinds_are_read_however_they_end() {
        let read = |body: Value| {
            let answer = choice(&body).unwrap();
            (answer.text, answer.end, answer.tokens)
        };
        let tokens = |input, output| Some(Tokens { input, output });
        assert_eq!(
            read(json!({
                "choices": [{ "message": { "content": "hello" }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 12 },
            })),
            // A model's reasoning is billed like its answer.
            ("hello".to_owned(), End::Whole, tokens(7, 5))
        );
        let cut =
            json!({ "choices": [{ "message": { "content": "hel" }, "finish_reason": "length" }] });
        assert_eq!(read(cut), ("hel".to_owned(), End::Cut, None));
        let refused = json!({ "choices": [{ "message": { "content": null, "refusal": "no" } }] });
        assert_eq!(read(refused), (String::new(), End::Refused, None));
        let parts = json!({ "choices": [{ "message": { "content": [
            { "type": "text", "text": "a" }, { "type": "text", "text": "b" } ] } }] });
        assert_eq!(read(parts).0, "ab");
        assert!(choice(&json!({ "choices": [] })).is_err());
        assert!(choice(&json!({ "choices": [{ "message": { "content": 3 } }] })).is_err());

        let answer = blocks(&json!({
            "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "hello" }],
            "stop_reason": "end_turn", "usage": { "input_tokens": 7, "output_tokens": 5 },
        }));
        let answer = answer.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.end, answer.tokens),
            ("hello", End::Whole, tokens(7, 5))
        );
        for (reason, end) in [("max_tokens", End::Cut), ("refusal", End::Refused)] {
            let answer = blocks(&json!({ "content": [], "stop_reason": reason })).unwrap();
            assert_eq!((answer.text.as_str(), answer.end), ("", end));
        }
        assert!(blocks(&json!({ "type": "error" })).is_err());
    }
}
