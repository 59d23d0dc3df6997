//! The checks of a server's answer before it is believed.
//!
//! Servers answer with fewer vectors than texts, in another order, with values that are not numbers, or with an
//! HTML page. Each of these has been seen in practice, and each would be a wrong score that goes unnoticed. So
//! one file checks the answers of all providers: JSON; every index once; one length; finite numbers. The messages
//! describe the problem, and the caller decides about another request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::transport::Response;
use crate::ledger::Tokens;

/// The vectors of one answer, in the order of the texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) vectors: Vec<Vec<f32>>,
    /// Tokens of all texts by the server's count, if it has one.
    pub(crate) tokens: Option<u64>,
}

/// Scores in the order of the texts, and the tokens if the server counts them.
pub(crate) type Scores = (Vec<f32>, Option<u64>);

/// The body as JSON.
pub(crate) fn json_of(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| {
        let begin: String = String::from_utf8_lossy(body).chars().take(60).collect();
        if begin.trim_start().starts_with('<') {
            return format!("a page instead of JSON (it begins with `{}`)", begin.trim());
        }
        if error.is_eof() {
            return "JSON that is cut off".to_owned();
        }
        format!("no JSON ({error})")
    })
}

/// Tokens of an answer, in any of the fields in which the providers count them.
pub(crate) fn billed_tokens(response: &Response) -> Option<Tokens> {
    let body = json_of(&response.body).unwrap_or_default();
    let tokens = tokens_of(&body).or_else(|| Some(number_in(response, "x-compute-tokens")?.into()));
    tokens.filter(|tokens| tokens.all() > 0)
}

/// The same from a body; output is counted separately only for a model that writes.
pub(crate) fn tokens_of(body: &Value) -> Option<Tokens> {
    let first = |places: &[&str]| {
        places
            .iter()
            .find_map(|place| body.pointer(place)?.as_u64())
    };
    let output = first(&["/usage/completion_tokens", "/usage/output_tokens"]).unwrap_or(0);
    let all = first(&["/usage/total_tokens"]);
    let input = first(&[
        "/usage/prompt_tokens",
        "/usage/input_tokens",
        "/meta/billed_units/input_tokens",
    ]);
    // A total has more than both parts if a provider bills a model's reasoning beside its answer.
    let output = match (all, input) {
        (Some(all), Some(input)) => output.max(all.saturating_sub(input)),
        _ => output,
    };
    let input = input.or_else(|| all.map(|all| all.saturating_sub(output)))?;
    Some(Tokens { input, output })
}

/// A header that is a number.
pub(crate) fn number_in(response: &Response, header: &str) -> Option<u64> {
    response.header(header)?.trim().parse().ok()
}

/// The items of a list in the order of their `index`, which must be 0 to `count` − 1, each once. If no item has one,
/// they are in the order of the texts.
pub(crate) fn in_order(items: &[Value], count: usize) -> Result<Vec<&Value>, String> {
    if items.len() != count {
        return Err(format!("{} results for {count} texts", items.len()));
    }
    if items.iter().all(|item| item.get("index").is_none()) {
        return Ok(items.iter().collect());
    }
    let mut ordered = vec![None; count];
    for item in items {
        let index = item
            .get("index")
            .and_then(Value::as_u64)
            .and_then(|index| usize::try_from(index).ok())
            .ok_or("a result without an index among results with one")?;
        let place = ordered
            .get_mut(index)
            .ok_or_else(|| format!("a result with index {index} for {count} texts"))?;
        if place.replace(item).is_some() {
            return Err(format!("two results with index {index}"));
        }
    }
    Ok(ordered.into_iter().flatten().collect())
}

/// A vector: a list of numbers, or the base64 of little-endian 32-bit floats.
pub(crate) fn vector_of(value: &Value) -> Result<Vec<f32>, String> {
    let vector: Vec<f32> = match value {
        Value::String(text) => {
            let bytes = STANDARD
                .decode(text)
                .map_err(|error| format!("a vector that is not base64 ({error})"))?;
            let (floats, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return Err(format!(
                    "a vector of {} bytes, which is not a whole number of 32-bit values",
                    bytes.len()
                ));
            }
            floats
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect()
        }
        Value::Array(numbers) => numbers
            .iter()
            .map(float_of)
            .collect::<Option<_>>()
            .ok_or("a vector with something that is not a number")?,
        _ => return Err("a result without a vector".to_owned()),
    };
    if vector.is_empty() {
        return Err("a vector without numbers".to_owned());
    }
    if let Some(place) = vector.iter().position(|number| !number.is_finite()) {
        return Err(format!(
            "a vector whose number {} is {}",
            place + 1,
            vector[place]
        ));
    }
    Ok(vector)
}

/// A score of a reranker.
fn score_of(item: &Value, key: &str) -> Result<f32, String> {
    let score = item
        .get(key)
        .and_then(float_of)
        .ok_or_else(|| format!("a result without a number `{key}`"))?;
    if !score.is_finite() {
        return Err(format!("a score that is {score}"));
    }
    Ok(score)
}

/// The list at a path in an answer: `embeddings.float`.
pub(crate) fn list_at<'a>(body: &'a Value, place: &str) -> Result<&'a [Value], String> {
    body.pointer(&format!("/{}", place.replace('.', "/")))
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .ok_or_else(|| format!("no list `{place}`"))
}

/// The scores of a list, in the order of the texts.
pub(crate) fn scores_of(list: &[Value], key: &str, count: usize) -> Result<Vec<f32>, String> {
    let items = in_order(list, count)?.into_iter();
    items.map(|item| score_of(item, key)).collect()
}

/// The scores of `{NAME: [{index, relevance_score}]}`.
pub(crate) fn scores_at(body: &Value, name: &str, count: usize) -> Result<Vec<f32>, String> {
    scores_of(list_at(body, name)?, "relevance_score", count)
}

/// The same from an answer that counts its tokens at `usage.total_tokens`.
pub(crate) fn scores_with_usage(
    response: &Response,
    name: &str,
    count: usize,
) -> Result<Scores, String> {
    let body = json_of(&response.body)?;
    let tokens = body.pointer("/usage/total_tokens").and_then(Value::as_u64);
    Ok((scores_at(&body, name, count)?, tokens))
}

/// Vectors of one length, one for each text.
pub(crate) fn checked(
    vectors: impl IntoIterator<Item = Result<Vec<f32>, String>>,
    count: usize,
    tokens: Option<u64>,
) -> Result<Vectors, String> {
    let vectors: Vec<Vec<f32>> = vectors.into_iter().collect::<Result<_, _>>()?;
    if vectors.len() != count {
        return Err(format!("{} vectors for {count} texts", vectors.len()));
    }
    let length = vectors.first().map_or(0, Vec::len);
    if let Some(other) = vectors.iter().find(|vector| vector.len() != length) {
        return Err(format!(
            "vectors of {length} and of {} numbers in one answer",
            other.len()
        ));
    }
    Ok(Vectors { vectors, tokens })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "vectors are kept in 32 bits; what does not fit is infinite and refused"
)]
fn float_of(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_put_in_the_order_of_their_index() {
        let items = [json!({"index": 1}), json!({"index": 0})];
        assert_eq!(in_order(&items, 2).unwrap(), [&items[1], &items[0]]);
        let plain = [json!({"a": 1}), json!({"a": 2})];
        assert_eq!(in_order(&plain, 2).unwrap(), [&plain[0], &plain[1]]);
        let refused = |items: &[Value], count| in_order(items, count).unwrap_err();
        assert_eq!(refused(&items, 3), "2 results for 3 texts");
        assert_eq!(
            refused(&[json!({"index": 0}), json!({"index": 0})], 2),
            "two results with index 0"
        );
        assert_eq!(
            refused(&[json!({"index": 2}), json!({"index": 0})], 2),
            "a result with index 2 for 2 texts"
        );
        assert!(refused(&[json!({"index": 0}), json!({})], 2).contains("without an index"));
    }

    #[test]
    fn vectors_are_read_in_both_forms() {
        assert_eq!(
            vector_of(&json!([0.5, -1, 2e-3])).unwrap(),
            [0.5, -1.0, 2e-3]
        );
        assert_eq!(vector_of(&json!("AAAAPwAAgL8=")).unwrap(), [0.5, -1.0]);
        for (value, why) in [
            (json!([]), "without numbers"),
            (json!([1, null]), "not a number"),
            (json!([1, 1e300]), "number 2 is inf"),
            (json!("AAAAPwA="), "not a whole number of 32-bit values"),
            (json!("%"), "not base64"),
            (json!("AADAfw=="), "number 1 is NaN"),
            (json!(null), "without a vector"),
        ] {
            let error = vector_of(&value).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn pages_and_cut_answers_are_told_apart() {
        assert!(
            json_of(b"<html><b>502")
                .unwrap_err()
                .contains("a page instead of JSON")
        );
        assert_eq!(json_of(b"{\"a\": [1").unwrap_err(), "JSON that is cut off");
        assert!(json_of(b"NaN").unwrap_err().contains("no JSON"));
    }

    #[test]
    fn one_answer_has_one_length() {
        assert!(checked([Ok(vec![1.0]), Ok(vec![1.0, 2.0])], 2, None).is_err());
        assert!(checked([Ok(vec![1.0])], 2, None).is_err());
        assert!(checked([Ok(vec![1.0]), Ok(vec![2.0])], 2, Some(3)).is_ok());
    }
}
