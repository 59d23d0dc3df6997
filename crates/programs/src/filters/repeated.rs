//! Texts with few different lines.

use std::collections::BTreeSet;

use barecode_records::Reason;

use super::measures::share;
use crate::ProgramConfig;
use crate::gates::Refusal;

pub(super) fn filter(text: &str, config: &ProgramConfig) -> Option<Refusal> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let different = lines.iter().collect::<BTreeSet<_>>().len();
    let whole = lines.len();
    let is_repetitive =
        whole >= config.repeated_lines && share(different, whole) < config.line_share;
    is_repetitive.then(|| {
        let detail = format!("{different} different lines of {whole}");
        (Reason::Repetitive, detail)
    })
}
