//! What tools and benches are asked about.

/// The arguments that are no flags, else the words of `BARECODE_BENCH_SOURCES`, else the demo's recipe.
pub(crate) fn sources() -> Vec<String> {
    let arguments = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let mut asked: Vec<String> = arguments.collect();
    if asked.is_empty() {
        let words = std::env::var("BARECODE_BENCH_SOURCES").unwrap_or_default();
        asked = words.split_whitespace().map(str::to_owned).collect();
    }
    if asked.is_empty() {
        asked.push(crate::asked::DEMO.to_owned());
    }
    asked
}
