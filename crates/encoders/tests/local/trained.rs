//! Encoders that can be trained: their vectors are those of the other way forward, and other parts are refused by name.

use barecode_encoders::backward::{Encoder, Gradients, Room};
use barecode_encoders::{Ids, LocalEncoder, LocalOptions, LocalTokens};
use barecode_models::{Encoder as _, Pooling, Side};

use super::checkpoints::{NAMES, checkpoint};

#[test]
fn both_ways_forward_give_the_same_vectors() {
    let long = "while (x[i] != y[j]) { swap(x, y); } ".repeat(9);
    let texts = ["int a;", "", long.as_str(), "return a + b;", "x"];
    let poolings = [Pooling::Mean, Pooling::First, Pooling::Last];
    for name in ["bert", "bert-masked", "xlm-roberta"] {
        for pooling in poolings
            .into_iter()
            .chain([Pooling::MeanRoot, Pooling::WeightedMean])
        {
            let options = LocalOptions {
                pooling: Some(pooling),
                ..LocalOptions::default()
            };
            let folder = checkpoint(name);
            let encoder = Encoder::read(&folder, &options).unwrap();
            let tokens = LocalTokens::load(&folder, &options).unwrap();
            let ids = tokens.ids(Side::Document, &texts).unwrap();
            let ids: Vec<&Ids> = ids.iter().collect();
            let mut room = Room::default();
            let found = encoder.encode(&ids, &mut room);
            let taped = encoder.forward(&ids, &mut room);
            assert_eq!(found, taped.vectors(), "{name}: a tape changes no bit");
            let local = LocalEncoder::load(&folder, &options).unwrap();
            let expected = local.encode(Side::Document, &texts).unwrap().values;
            assert_eq!(found.len(), expected.len());
            for (a, b) in found.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-6, "{name}, {pooling:?}: {a} {b}");
            }
            let mut gradients = Gradients::new(&encoder, |_| true);
            encoder.backward(taped, &found, &mut gradients, &mut room);
            // Along itself, a vector of length 1 does not change.
            let mut all = gradients.0.iter().flatten().flatten();
            assert!(all.all(|number| number.abs() < 1e-4), "{name}, {pooling:?}");
        }
    }
}

#[test]
fn parts_without_a_way_back_are_refused_by_name() {
    for name in NAMES {
        let options = LocalOptions::default();
        let error = match Encoder::read(&checkpoint(name), &options) {
            Ok(encoder) => {
                assert!(
                    ["bert", "bert-masked", "xlm-roberta"].contains(&name),
                    "{name}"
                );
                assert_eq!(encoder.layers(), 2);
                continue;
            }
            Err(error) => error.to_string(),
        };
        let expected = match name {
            "roberta" => "has no `model.safetensors`",
            "mpnet" => "with attention that depends on distance",
            "t5" | "codesage" | "gpt-bigcode" | "gpt-bigcode-heads" => "with another activation",
            _ => "with a gated feed-forward part",
        };
        assert!(error.contains(expected), "{name}: {error}");
    }
}
