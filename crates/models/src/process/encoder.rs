//! Texts → vectors: `{"index": 0, "side": "document", "text": "…"}` is answered by `{"index": 0, "vector": [0.1, …]}`, with
//! `"tokens"` and `"truncated"` if the program knows them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Program, Unfit};
use crate::remote::vector_of;
use crate::{Embeddings, Encoder, ModelError, Side};

/// A program that embeds texts.
pub(crate) struct Process {
    program: Program,
    identity: String,
}

impl Process {
    pub(crate) fn new(command: &str, revision: Option<&str>, timeout: Option<Duration>) -> Self {
        let mut identity = format!("process:{command}");
        if let Some(revision) = revision {
            identity.push_str(" revision=");
            identity.push_str(revision);
        }
        Process {
            program: Program::new(command, timeout),
            identity,
        }
    }
}

impl Encoder for Process {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        if texts.is_empty() {
            return Ok(Embeddings::default());
        }
        let side = side.name();
        let line =
            |(index, text): (usize, &&str)| json!({ "index": index, "side": side, "text": text });
        let lines: Vec<Value> = texts.iter().enumerate().map(line).collect();
        let mut whole = Embeddings {
            dimensions: 0,
            values: Vec::new(),
            tokens: vec![0; texts.len()],
            truncated: vec![false; texts.len()],
        };
        self.program.exchange(&lines, &mut |index, value| {
            take(&mut whole, texts.len(), index, value).map_err(Unfit::Line)
        })?;
        Ok(whole)
    }
}

/// Puts the answer for one of `count` texts at its index.
fn take(whole: &mut Embeddings, count: usize, index: usize, value: &Value) -> Result<(), String> {
    let vector = vector_of(value.get("vector").unwrap_or(&Value::Null))
        .map_err(|why| format!("wrote {why}"))?;
    if whole.dimensions == 0 {
        whole.dimensions = vector.len();
        whole.values = vec![0.0; count * vector.len()];
    }
    if vector.len() != whole.dimensions {
        return Err(format!(
            "wrote vectors of {} and of {} numbers",
            whole.dimensions,
            vector.len()
        ));
    }
    let start = index * whole.dimensions;
    whole.values[start..start + whole.dimensions].copy_from_slice(&vector);
    let tokens = value.get("tokens").and_then(Value::as_u64).unwrap_or(0);
    whole.tokens[index] = u32::try_from(tokens).unwrap_or(u32::MAX);
    let truncated = value.get("truncated").and_then(Value::as_bool);
    whole.truncated[index] = truncated.unwrap_or(false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embed(command: &str, texts: &[&str]) -> Result<Embeddings, String> {
        Process::new(command, None, Some(Duration::from_secs(20)))
            .encode(Side::Query, texts)
            .map_err(|error| error.to_string())
    }

    /// Answers each line by its own length, in reverse order, batch by batch.
    const REVERSED: &str = r#"
        n=0; out=''
        while IFS= read -r line; do
            if [ -z "$line" ]; then printf '%s' "$out"; n=0; out=''
            else out="{\"index\": $n, \"vector\": [${#line}, 1], \"tokens\": 7}
$out"; n=$((n + 1)); fi
        done"#;

    #[test]
    fn a_program_is_asked_again_and_again() {
        let process = Process::new(REVERSED, None, Some(Duration::from_secs(20)));
        for _ in 0..2 {
            let embeddings = process.encode(Side::Document, &["a", "abc"]).unwrap();
            assert_eq!(embeddings.dimensions, 2);
            assert_eq!(
                (embeddings.values[2] - embeddings.values[0]).to_bits(),
                2.0_f32.to_bits()
            );
            assert_eq!(embeddings.tokens, [7, 7]);
        }
        // More than a pipe holds, both ways.
        let long = "x".repeat(1000);
        let texts = vec![long.as_str(); 300];
        assert_eq!(process.encode(Side::Query, &texts).unwrap().len(), 300);
    }

    #[test]
    fn programs_that_fail_say_why() {
        for (command, why) in [
            (
                "echo no such model >&2; exit 3",
                "ended after 0 of 2 answers; its output: no such model",
            ),
            ("echo hello; cat >/dev/null", "not JSON (`hello`)"),
            (
                "echo '{\"index\": 0, \"vector\": [1]}'",
                "ended after 1 of 2 answers",
            ),
            (
                "echo '{\"index\": 5, \"vector\": [1]}'",
                "`index` is not one of 2 texts",
            ),
            (
                "echo '{\"index\": 0, \"vector\": [1]}'; echo '{\"index\": 1, \"vector\": [1, 2]}'",
                "vectors of 1 and of 2 numbers",
            ),
            ("cat /dev/zero", "a line of more than 64 MiB"),
            (
                "echo '{\"index\": 0, \"vector\": [1e99]}'",
                "number 1 is inf",
            ),
        ] {
            let error = embed(command, &["a", "b"]).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        let process = Process::new(&command, None, Some(Duration::from_millis(500)));
        let error = process.encode(Side::Query, &["a"]).unwrap_err().to_string();
        assert!(error.contains("was silent for 0 s"), "{error}");
        let pid = std::fs::read_to_string(&file).unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // The process that inherits it takes a moment to notice; dead is dead.
        let is_alive = || state().is_ok_and(|state| !state.contains(") Z "));
        for _ in 0..100 {
            if !is_alive() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it still sleeps");
    }
}
