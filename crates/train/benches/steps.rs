//! The first steps of a training, for `benches/train.py`, which repeats them with PyTorch and compares losses and speed.
//!
//! ```text
//! cargo bench -p barecode-train --bench steps -- MODEL PAIRS BATCH STEPS TOKENS
//! ```
//!
//! Prints a line of JSON for each step: the rows of its batch, its loss, and the seconds that it took, on the
//! clock and of all processors (the latter on Linux, in hundredths).

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::path::Path;
use std::time::Instant;

use barecode_encoders::LocalOptions;
use barecode_train::{Model, Options, Pairs, Progress, Schedule, Watch, batches, train};

/// Seconds that all threads of this process worked; 0 where the system does not say it.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let [model, data, batch, steps, tokens] = &arguments[..] else {
        println!("usage: steps MODEL PAIRS BATCH STEPS TOKENS; benches/train.py calls it");
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
    let mut last = (Instant::now(), processor());
    let mut progress = |progress: Progress| match progress {
        Progress::Started { .. } => last = (Instant::now(), processor()),
        Progress::Step(value) => {
            let rows = rows.next().unwrap_or_default();
            let (loss, seconds) = (value.loss, last.0.elapsed().as_secs_f64());
            let worked = processor() - last.1;
            println!(
                "{{\"rows\": {rows:?}, \"loss\": {loss}, \"seconds\": {seconds}, \"processor\": {worked}}}"
            );
            last = (Instant::now(), processor());
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
