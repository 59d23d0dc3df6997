//! The name of a system that was given none.

use std::path::Path;

use barecode_models::{Bm25, Dtype, Form, Similarity, Stemmer, StopWords, Structural, Tokenizer};

use super::kind::{Dense, SystemKind, VectorOptions};
use crate::reading::Reading;

/// A name made of the options that differ from the defaults.
pub(super) fn label(kind: &SystemKind) -> String {
    let last_part = |path: &Path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        plain(&name)
    };
    let options = match kind {
        SystemKind::Bm25(lexical) => &lexical.options,
        SystemKind::Jaccard => return "jaccard".to_owned(),
        SystemKind::Structural(Structural { names, learned }) => {
            let mut label = "structural".to_owned();
            for (without, is_out) in [("-nameless", !names), ("-unlearned", !learned)] {
                if is_out {
                    label.push_str(without);
                }
            }
            return label;
        }
        SystemKind::Random => return "random".to_owned(),
        SystemKind::Dense(dense) => {
            let mut name = label_of(dense);
            match dense.reading {
                Reading::Whole => {}
                Reading::Chunks(_) => name.push_str("-chunks"),
                Reading::Canonical => name.push_str("-canonical"),
                Reading::Described => name.push_str("-described"),
                Reading::Averaged(n) => name += &["-averaged-", &n.to_string()].concat(),
            }
            return name;
        }
        SystemKind::Vectors { path, .. } => return format!("vectors-{}", last_part(path)),
        SystemKind::Run(path) => return format!("run-{}", last_part(path)),
        SystemKind::Fused { how, .. } => return plain(&how.method_name()),
        SystemKind::Reranked { of, .. } => return format!("{of}-reranked"),
        SystemKind::Chat { model, .. } => return plain(model),
        SystemKind::Labels(path) => return format!("labels-{}", last_part(path)),
    };
    let usual = Bm25::default();
    // A name is a file's name, and has no `+`.
    let mut parts = vec![match options.form {
        Form::Lucene => "bm25".to_owned(),
        Form::Robertson | Form::Atire => format!("bm25-{}", options.form.name()),
        Form::Bm25l => "bm25l".to_owned(),
        Form::Bm25Plus => "bm25plus".to_owned(),
    }];
    if options.tokenizer == Tokenizer::Code {
        parts.push("code".to_owned());
    }
    if options.stop_words == StopWords::English {
        parts.push("stop".to_owned());
    }
    if options.stemmer == Stemmer::English {
        parts.push("stem".to_owned());
    }
    if options.k1.to_bits() != usual.k1.to_bits() {
        parts.push(format!("k1-{}", options.k1));
    }
    if options.b.to_bits() != usual.b.to_bits() {
        parts.push(format!("b-{}", options.b));
    }
    if options.form.has_delta() && options.delta.to_bits() != usual.delta.to_bits() {
        parts.push(format!("delta-{}", options.delta));
    }
    parts.join("-")
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
