//! One vector from several texts that mean the same.
//!
//! A function in k renamings has k vectors; their mean averages the names out. Each
//! vector is brought to length 1 before, so that none counts more than another, and the mean is brought to length 1
//! again. The caller knows which texts mean the same.

use crate::{Embeddings, Encoder, ModelError, Side};

/// Embeds groups of texts and returns one vector per group.
///
/// A vector of zeros has no direction and counts as zeros; a mean that is zero stays zero. `tokens` are those of the
/// group together, `truncated` is true if one of its texts was cut.
///
/// ```
/// use barecode_models::{Embeddings, Encoder, ModelError, Side, encode_averaged};
/// struct Corner;
/// impl Encoder for Corner {
///     fn identity(&self) -> &str {
///         "corner"
///     }
///     fn encode(&self, _: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
///         Ok(Embeddings {
///             dimensions: 2,
///             values: texts.iter().flat_map(|text| if *text == "x" { [2.0, 0.0] } else { [0.0, 5.0] }).collect(),
///             tokens: vec![1; texts.len()],
///             truncated: vec![false; texts.len()],
///         })
///     }
/// }
/// let groups: [&[&str]; 2] = [&["x", "y"], &["y"]];
/// let averaged = encode_averaged(&Corner, Side::Document, &groups)?;
/// let half = 0.5_f32.sqrt();
/// assert_eq!(averaged.values, [half, half, 0.0, 1.0]);
/// assert_eq!(averaged.tokens, [2, 1]);
/// # Ok::<(), ModelError>(())
/// ```
///
/// # Errors
/// As for [`Encoder::encode`], or if a group is empty.
pub fn encode_averaged(
    encoder: &dyn Encoder,
    side: Side,
    groups: &[&[&str]],
) -> Result<Embeddings, ModelError> {
    if let Some(empty) = groups.iter().position(|group| group.is_empty()) {
        return Err(ModelError::unusable(format!(
            "group {} of {} has no text",
            empty + 1,
            groups.len()
        )));
    }
    let texts: Vec<&str> = groups
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    let all = encoder.encode(side, &texts)?;
    let mut averaged = Embeddings {
        dimensions: all.dimensions,
        ..Embeddings::default()
    };
    let mut first = 0;
    for group in groups {
        let range = first..first + group.len();
        first = range.end;
        let mut sum = vec![0.0_f64; all.dimensions];
        for text in range.clone() {
            let vector = all.vector(text);
            let length = length(vector.iter().map(|&value| f64::from(value)));
            for (total, &value) in sum.iter_mut().zip(vector) {
                *total += f64::from(value) / length;
            }
        }
        let length = length(sum.iter().copied());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "vectors are kept in 32 bits"
        )]
        averaged
            .values
            .extend(sum.iter().map(|value| (value / length) as f32));
        averaged.tokens.push(all.tokens[range.clone()].iter().sum());
        averaged
            .truncated
            .push(all.truncated[range].iter().any(|&cut| cut));
    }
    Ok(averaged)
}

/// The Euclidean length; 1 for zeros, which stay zeros when they are divided by it.
fn length(values: impl Iterator<Item = f64>) -> f64 {
    let squares: f64 = values.map(|value| value * value).sum();
    if squares > 0.0 { squares.sqrt() } else { 1.0 }
}
