//! The name of a system that was given none.

use std::path::Path;

use barecode_models::{Dtype, Similarity};

use super::kind::{Dense, SystemKind, VectorOptions};
use crate::reading::Reading;

/// A name made of the options that differ from the defaults.
pub(super) fn label(kind: &SystemKind) -> String {
    let last_part = |path: &Path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        plain(&name)
    };
    match kind {
        SystemKind::Retriever(retriever) => retriever.label(),
        SystemKind::Dense(dense) => {
            let mut name = label_of(dense);
            match dense.reading {
                Reading::Whole => {}
                Reading::Chunks(_) => name.push_str("-chunks"),
                Reading::Canonical => name.push_str("-canonical"),
                Reading::Described => name.push_str("-described"),
                Reading::Averaged(n) => name += &["-averaged-", &n.to_string()].concat(),
            }
            name
        }
        SystemKind::Vectors { path, .. } => format!("vectors-{}", last_part(path)),
        SystemKind::Run(path) => format!("run-{}", last_part(path)),
        SystemKind::Fused { how, .. } => plain(&how.method_name()),
        SystemKind::Reranked { of, .. } => format!("{of}-reranked"),
        SystemKind::Chat { model, .. } => plain(model),
        SystemKind::Labels(path) => format!("labels-{}", last_part(path)),
    }
}

/// The last part of a model's name, short form or folder: `voyage-code-3`, `all-MiniLM-L6-v2`, `bge-m3`.
pub fn label_of_model(model: &str) -> String {
    let last = model
        .rsplit(['/', ':', '#', ' ', '\\'])
        .find(|part| part.chars().any(|letter| letter.is_ascii_alphanumeric()));
    plain(last.unwrap_or("dense"))
}

fn label_of(dense: &Dense) -> String {
    let mut parts: Vec<String> = vec![label_of_model(&dense.model)];
    let VectorOptions {
        similarity,
        dtype,
        dimensions,
    } = dense.vectors;
    if similarity != Similarity::Cosine {
        parts.push(similarity.name().to_owned());
    }
    if let Some(dtype) = dtype.filter(|dtype| *dtype != Dtype::Float32) {
        parts.push(dtype.name().to_owned());
    }
    if let Some(dimensions) = dimensions {
        parts.push(dimensions.to_string());
    }
    let label = parts.join("-");
    label
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
        .to_owned()
}

/// The first characters, `-` for those that a name cannot have.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let letters = text.chars().map(|c| if is_plain(c) { c } else { '-' });
    letters.take(40).collect()
}
