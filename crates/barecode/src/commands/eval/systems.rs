//! What is evaluated: models, and what is made of their lists.
//!
//! In come the options of the command line, out comes every system under a name of its own, each after those whose
//! lists it is made of:
//!
//! - each model that was asked for, and with `--chunk`, `--canonical` and `--average` the same with documents read
//!   another way;
//! - with `--fuse`, all models' lists as one;
//! - with `--rerank`, the fused lists in a reranker's order, or each model's where nothing is fused.

use std::str::FromStr;

use barecode_models::{Chunking, ModelSpec, Source};
use barecode_retrieval::Fusion;

use super::EvalArguments;
use super::reading::Reading;
use crate::exit::Failure;
use crate::models::specs;

/// Everything that is evaluated.
pub(super) struct Systems {
    /// The models.
    pub(super) models: Vec<ModelSpec>,
    /// The rerankers.
    pub(super) rerankers: Vec<ModelSpec>,
    /// What is in the table, in its order.
    pub(super) all: Vec<System>,
}

/// What is evaluated under one name.
pub(super) struct System {
    pub(super) name: String,
    pub(super) what: What,
}

/// What a system's lists are made of; numbers are places in [`Systems`].
pub(super) enum What {
    Model { model: usize, reading: Reading },
    Fused { of: Vec<usize>, how: FusionArgument },
    Reranked { first: usize, reranker: usize },
}

/// `rrf`, `rrf:K`, `z-score`, `convex`, `convex:0.3,0.7`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FusionArgument {
    pub(super) method: Fusion,
    /// The weights of the models, in the order of the command line; all alike where there are none.
    pub(super) weights: Vec<f64>,
    name: String,
}

impl FromStr for FusionArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let numbers: Result<Vec<f64>, String> = rest
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(|part| {
                let number = part.trim().parse::<f64>().ok();
                number
                    .filter(|number| number.is_finite() && *number >= 0.0)
                    .ok_or_else(|| format!("`{part}` is no number from 0 up"))
            })
            .collect();
        let numbers = numbers?;
        let (method, weights) = match kind {
            "rrf" => {
                let k = match numbers[..] {
                    [] => 60.0,
                    [k] => k,
                    _ => return Err("rrf has one number, k: `rrf:60`".to_owned()),
                };
                (Fusion::ReciprocalRank { k }, Vec::new())
            }
            "z-score" => (Fusion::ZScore, numbers),
            "convex" => {
                if !numbers.is_empty() && (numbers.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
                    return Err("the weights of a convex combination add up to 1".to_owned());
                }
                (Fusion::MinMax, numbers)
            }
            _ => return Err("lists are fused by rrf, rrf:K, z-score or convex[:W,W,…]".to_owned()),
        };
        Ok(FusionArgument {
            method,
            weights,
            name: text.to_owned(),
        })
    }
}

/// `BYTES` or `BYTES:OVERLAP`.
pub(super) fn chunking(text: &str) -> Result<Chunking, String> {
    let (bytes, overlap) = text.split_once(':').unwrap_or((text, ""));
    let number = |text: &str| {
        let number = text.parse::<usize>();
        number.map_err(|_| format!("`{text}` is no number of bytes"))
    };
    let bytes = number(bytes)?;
    let overlap = if overlap.is_empty() {
        bytes / 5
    } else {
        number(overlap)?
    };
    Chunking::new(bytes, overlap).map_err(|error| error.to_string())
}

impl Systems {
    /// The systems of a command line.
    pub(super) fn of(arguments: &EvalArguments) -> anyhow::Result<Self> {
        let file = arguments.models.as_deref();
        let models = specs(&arguments.model, file)?;
        let rerankers = specs(&arguments.rerank, file)?;
        let mut readings = vec![Reading::Whole];
        readings.extend(arguments.chunk.map(Reading::Chunks));
        readings.extend(arguments.canonical.then_some(Reading::Canonical));
        readings.extend(arguments.average.map(|n| Reading::Averaged(n.into())));
        let mut systems: Vec<System> = Vec::new();
        let mut whole = Vec::new();
        for (model, spec) in models.iter().enumerate() {
            for &reading in &readings {
                // Words, vectors and runs are there already, or read every text whole.
                let reads = !matches!(
                    spec.source,
                    Source::Bm25(_) | Source::Vectors(_) | Source::Run(_)
                );
                if reading == Reading::Whole {
                    whole.push(systems.len());
                } else if !reads {
                    continue;
                }
                systems.push(System {
                    name: format!("{}{}", spec.name, reading.suffix()),
                    what: What::Model { model, reading },
                });
            }
        }
        if readings.len() > 1 && systems.len() == whole.len() {
            let message = "no model embeds texts, so there is nothing to read in another way";
            return Err(Failure::invalid(message)
                .hint("leave out --chunk, --canonical and --average, or add a model")
                .into());
        }
        let mut last = whole.clone();
        if !arguments.fuse.is_empty() {
            if whole.len() < 2 {
                let message = "one model's lists cannot be fused";
                return Err(Failure::invalid(message)
                    .hint("give a second --model")
                    .into());
            }
            last.clear();
        }
        for how in &arguments.fuse {
            if !how.weights.is_empty() && how.weights.len() != whole.len() {
                let message = format!(
                    "`{}` has {} weights for {} models",
                    how.name,
                    how.weights.len(),
                    whole.len()
                );
                return Err(Failure::invalid(message).into());
            }
            last.push(systems.len());
            systems.push(System {
                name: how.name.clone(),
                what: What::Fused {
                    of: whole.clone(),
                    how: how.clone(),
                },
            });
        }
        for (reranker, spec) in rerankers.iter().enumerate() {
            for &first in &last {
                systems.push(System {
                    name: format!("{} > {}", systems[first].name, spec.name),
                    what: What::Reranked { first, reranker },
                });
            }
        }
        for (place, system) in systems.iter().enumerate() {
            if systems[..place].iter().any(|it| it.name == system.name) {
                let message = format!("two systems are called `{}`", system.name);
                return Err(Failure::invalid(message)
                    .hint("give the models names in a file of --models")
                    .into());
            }
        }
        Ok(Systems {
            models,
            rerankers,
            all: systems,
        })
    }

    /// The last system that needs each system's lists; itself where no other does.
    pub(super) fn last_uses(&self) -> Vec<usize> {
        let mut uses: Vec<usize> = (0..self.all.len()).collect();
        for (place, system) in self.all.iter().enumerate() {
            match &system.what {
                What::Model { .. } => {}
                What::Fused { of, .. } => of.iter().for_each(|&used| uses[used] = place),
                What::Reranked { first, .. } => uses[*first] = place,
            }
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_fuse_are_read() {
        let read = |text: &str| text.parse::<FusionArgument>();
        assert_eq!(
            read("rrf").unwrap().method,
            Fusion::ReciprocalRank { k: 60.0 }
        );
        assert_eq!(
            read("rrf:10").unwrap().method,
            Fusion::ReciprocalRank { k: 10.0 }
        );
        let convex = read("convex:0.3,0.7").unwrap();
        assert_eq!(
            (convex.method, convex.weights),
            (Fusion::MinMax, vec![0.3, 0.7])
        );
        assert!(read("z-score").unwrap().weights.is_empty());
        for wrong in ["rrf:1,2", "convex:0.3,0.3", "convex:-1,2", "sum", "rrf:x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(chunking("100").is_ok() && chunking("100:49").is_ok());
        assert!(chunking("100:50").is_err() && chunking("x").is_err());
    }
}
