//! A batch of texts → its loss and the gradients of the encoder.
//!
//! A batch that fits into memory goes forward and back at once. A larger one goes through by cached gradients (GradCache,
//! Gao et al. 2021). All texts are encoded without storing anything, the loss gives the gradient of every vector, and
//! each chunk goes forward again and back with its part of these. The loss is that of the whole batch either way.

use barecode_encoders::Ids;
use barecode_encoders::backward::{Encoder, Gradients, Room};

use crate::TrainError;
use crate::loss::InfoNce;

/// The memory for the numbers of a chunk, unless the options set the tokens of a chunk.
const CHUNK_BYTES: usize = 2 << 30;

/// Tokens that are encoded at a time if nothing is kept.
const ENCODED: usize = 8192;

/// Tokens of a chunk for texts of up to `longest` tokens.
pub(crate) fn chunk_tokens(weights: &Encoder, longest: usize, asked: Option<usize>) -> usize {
    asked
        .unwrap_or(CHUNK_BYTES / weights.bytes_a_token(longest))
        .max(1)
}

/// Refuses a training that needs more memory than is free, if the system reports that.
pub(crate) fn check_memory(
    weights: &Encoder,
    trained: usize,
    longest: usize,
    chunk: usize,
) -> Result<(), TrainError> {
    let numbers: usize = weights
        .tensors
        .iter()
        .map(|tensor| tensor.values.len())
        .sum();
    let tape = weights.bytes_a_token(longest) * chunk.max(longest);
    // Gradients and two means of them, and the same again while a checkpoint is written.
    let needed = (4 * numbers + 24 * trained + tape) as u64 >> 20;
    match free_megabytes() {
        Some(available) if available < needed => Err(TrainError::Memory { needed, available }),
        _ => Ok(()),
    }
}

fn free_megabytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes >> 10)
}

/// Texts in their order, cut into chunks of up to `most` tokens.
fn chunks<'t, 'a>(texts: &'t [&'a Ids], most: usize) -> Vec<&'t [&'a Ids]> {
    let mut chunks = Vec::new();
    let (mut first, mut tokens) = (0, 0);
    for (place, text) in texts.iter().enumerate() {
        if place > first && tokens + text.ids.len() > most {
            chunks.push(&texts[first..place]);
            (first, tokens) = (place, 0);
        }
        tokens += text.ids.len();
    }
    chunks.push(&texts[first..]);
    chunks
}

/// The vectors of any number of texts.
pub(crate) fn encode(weights: &Encoder, texts: &[&Ids], room: &mut Room) -> Vec<f32> {
    let mut vectors = Vec::new();
    for chunk in chunks(texts, ENCODED) {
        vectors.extend(weights.encode(chunk, room));
    }
    vectors
}

/// The loss of a batch; its gradients are added. The first candidates are the positives of the queries, in their order.
pub(crate) fn learn(
    weights: &Encoder,
    [queries, candidates]: [&[&Ids]; 2],
    (loss, left_out): (InfoNce, &(dyn Fn(usize, usize) -> bool + Sync)),
    most: usize,
    gradients: &mut Gradients,
    room: &mut Room,
) -> f64 {
    let width = weights.width();
    let texts = [queries, candidates].concat();
    let chunks = chunks(&texts, most);
    let of = |vectors: &[f32]| {
        let (queries, candidates) = vectors.split_at(queries.len() * width);
        let found = loss.of(queries, candidates, width, left_out);
        (found.value, [found.queries, found.candidates].concat())
    };
    if let [all] = chunks[..] {
        let tape = weights.forward(all, room);
        let (value, changes) = of(tape.vectors());
        if value.is_finite() {
            weights.backward(tape, &changes, gradients, room);
        }
        return value;
    }
    let mut vectors = Vec::new();
    for chunk in &chunks {
        vectors.extend(weights.encode(chunk, room));
    }
    let (value, changes) = of(&vectors);
    if value.is_finite() {
        let mut changes = &changes[..];
        for chunk in chunks {
            let (own, rest) = changes.split_at(chunk.len() * width);
            let tape = weights.forward(chunk, room);
            weights.backward(tape, own, gradients, room);
            changes = rest;
        }
    }
    value
}
