//! The first steps of a training, for `benches/train.py`, which repeats them with PyTorch and compares losses and speed.
//!
//! ```text
//! cargo bench -p barecode-train --bench steps -- MODEL PAIRS BATCH STEPS TOKENS
//! ```
//!
//! Prints a line of JSON for each step: the rows of its batch, its loss, and the seconds that it took.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::path::Path;
use std::time::Instant;

use barecode_encoders::LocalOptions;
use barecode_train::{Model, Options, Pairs, Progress, Schedule, Watch, batches, train};

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let [model, data, batch, steps, tokens] = &arguments[..] else {
        println!("skipped: run benches/train.py");
        return;
    };
    let number = |text: &String| text.parse::<usize>().expect("a whole number");
    let options = Options {
        batch: number(batch),
        max_length: Some(number(tokens)),
        max_steps: Some(number(steps) as u64),
        save_every: u64::MAX,
        schedule: Schedule::Constant,
        warmup: 0.0,
        clip: None,
        ..Options::default()
    };
    let pairs = Pairs::read(Path::new(data), &options).expect("pairs");
    let epochs =
        (0..options.epochs).map(|epoch| batches(&pairs.train, &options, epoch).expect("batches"));
    let mut rows = epochs.flatten();
    let out = std::env::temp_dir().join(format!("barecode-steps-{}", std::process::id()));
    let model = Model {
        folder: Path::new(model),
        name: "model",
        options: LocalOptions::default(),
    };
    let mut last = Instant::now();
    let mut progress = |progress: Progress| match progress {
        Progress::Started { .. } => last = Instant::now(),
        Progress::Step(value) => {
            let rows = rows.next().unwrap_or_default();
            println!(
                "{{\"rows\": {rows:?}, \"loss\": {}, \"seconds\": {}}}",
                value.loss,
                last.elapsed().as_secs_f64()
            );
            last = Instant::now();
        }
        Progress::Mined { .. } | Progress::Dev(_) => {}
    };
    let mut watch = Watch {
        progress: &mut progress,
        stop: &|| false,
    };
    let done = train(&model, (&pairs, data), &options, &out, &mut watch);
    let _ = std::fs::remove_dir_all(&out);
    done.expect("a training");
}
