//! Texts that are mostly literals.

use barecode_python::Module;
use barecode_records::Reason;

use super::measures::share;
use crate::ProgramConfig;
use crate::gates::Refusal;

pub(super) fn filter(module: &Module<'_>, config: &ProgramConfig) -> Option<Refusal> {
    let ranges = module.literals().into_iter().map(|literal| literal.range);
    let bytes: usize = ranges.map(|(start, end)| (end - start) as usize).sum();
    let whole = module.text().len();
    let is_large = bytes >= config.literal_bytes && share(bytes, whole) >= config.literal_share;
    is_large.then(|| {
        let detail = format!("{bytes} of {whole} bytes are literals");
        (Reason::OversizedLiterals, detail)
    })
}
