//! Encoders on a graphics device against the same encoders on the processor.
//!
//! They take a device of hardware where there is one, else one that the processor imitates.

use barecode_models::{Device, Encoder, LocalEncoder, LocalOptions, Side};

use super::checkpoints::checkpoint;

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_devices_says_which_feature_has_them() {
    for device in [Device::Gpu, Device::SoftwareGpu] {
        let options = LocalOptions {
            device,
            ..LocalOptions::default()
        };
        let error = LocalEncoder::load(&checkpoint("bert"), &options)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("without the feature `gpu`"), "{error}");
        assert!(error.contains("hint: build it with"), "{error}");
    }
    let encoder = LocalEncoder::load(&checkpoint("bert"), &LocalOptions::default()).unwrap();
    let vectors = encoder.encode(Side::Document, &["x"]).unwrap();
    assert_eq!(vectors.values.len(), 32);
}

#[cfg(feature = "gpu")]
mod with_the_feature {
    use super::super::checkpoints::{NAMES, bits, expected, texts};
    use super::super::minilm::{benchmark, folder};
    use super::*;
    use std::path::Path;

    /// The device to test on; `None`, said on stderr, where there is none.
    fn device() -> Option<Device> {
        for device in [Device::Gpu, Device::SoftwareGpu] {
            let options = LocalOptions {
                device,
                ..LocalOptions::default()
            };
            match LocalEncoder::load(&checkpoint("bert"), &options) {
                Ok(_) => return Some(device),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("can be used; found: "), "{error}");
                    assert!(error.contains("hint: "), "{error}");
                    eprintln!("skipped: {error}");
                }
            }
        }
        None
    }

    /// The encoder on the processor, and on the device.
    fn both(folder: &Path, device: Device, options: &LocalOptions) -> [LocalEncoder; 2] {
        [Device::Cpu, device].map(|device| {
            let options = LocalOptions {
                device,
                ..options.clone()
            };
            LocalEncoder::load(folder, &options)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        })
    }

    /// Where the vectors of both differ by more than rounding.
    fn differences(encoders: &[LocalEncoder; 2], texts: &[&str]) -> Vec<String> {
        let [here, there] = encoders
            .each_ref()
            .map(|encoder| encoder.encode(Side::Document, texts).unwrap());
        assert_eq!(here.tokens, there.tokens);
        let mut wrong = Vec::new();
        for text in 0..texts.len() {
            let pairs = || {
                let (here, there) = (here.vector(text).iter(), there.vector(text).iter());
                here.zip(there).map(|(a, b)| (f64::from(*a), f64::from(*b)))
            };
            let difference = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let sum = |f: fn((f64, f64)) -> f64| pairs().map(f).sum::<f64>();
            let cosine = sum(|(a, b)| a * b) / (sum(|(a, _)| a * a) * sum(|(_, b)| b * b)).sqrt();
            if !(difference < 1e-4 && cosine > 0.9999) {
                wrong.push(format!(
                    "text {text}: off by {difference:e}, cosine {cosine}"
                ));
            }
        }
        wrong
    }

    #[test]
    fn every_architecture_gives_the_vectors_of_the_processor() {
        let Some(device) = device() else { return };
        let long = "while (x[i] != y[j]) { swap(x, y); } ".repeat(8);
        let mut wrong = Vec::new();
        for name in NAMES.into_iter().chain(["codet5p"]) {
            let options = LocalOptions {
                normalize: Some(false),
                both_ways: name.ends_with("both-ways").then_some(true),
                ..LocalOptions::default()
            };
            let encoders = both(&checkpoint(name), device, &options);
            let expected = expected(name);
            let mut texts = texts(&expected);
            texts.push(&long);
            wrong.extend(
                differences(&encoders, &texts)
                    .into_iter()
                    .map(|what| format!("{name}, {what}")),
            );
            assert_ne!(encoders[0].identity(), encoders[1].identity());
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_vector_has_the_same_bits_in_any_company_on_a_device() {
        let Some(device) = device() else { return };
        let long = "while (x[i] != y[j]) { swap(x, y); } ".repeat(4);
        let texts = ["int a;", "", &long, "return a + b;", "x", "größe = 1"];
        for name in ["bert", "mpnet", "modernbert", "gemma2", "jina-code"] {
            let options = LocalOptions {
                device,
                ..LocalOptions::default()
            };
            let encoder = LocalEncoder::load(&checkpoint(name), &options).unwrap();
            let alone =
                texts.map(|text| bits(encoder.encode(Side::Document, &[text]).unwrap().vector(0)));
            for repeat in [1, 7, 40] {
                let many: Vec<&str> = texts
                    .into_iter()
                    .cycle()
                    .take(texts.len() * repeat)
                    .collect();
                let vectors = encoder.encode(Side::Document, &many).unwrap();
                for text in 0..many.len() {
                    assert_eq!(
                        bits(vectors.vector(text)),
                        alone[text % texts.len()],
                        "{name}: {text} of {repeat}"
                    );
                }
            }
        }
    }

    #[test]
    fn minilm_gives_the_vectors_of_the_processor_for_functions() {
        let (Some(device), Some(folder), Some(benchmark)) =
            (device(), folder(), benchmark("original"))
        else {
            return;
        };
        let texts: Vec<&str> = benchmark.functions[..24]
            .iter()
            .map(String::as_str)
            .collect();
        let encoders = both(&folder, device, &LocalOptions::default());
        let wrong = differences(&encoders, &texts);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let all = encoders[1].encode(Side::Document, &texts).unwrap();
        let alone = encoders[1].encode(Side::Document, &texts[5..6]).unwrap();
        assert_eq!(bits(all.vector(5)), bits(alone.vector(0)));
    }
}
