//! The origin of a function, as stored in every record.

use barecode_records::Origin;

use crate::source::Source;

/// The origin of lines of a file of a source.
pub fn origin(source: &Source, path: &str, start_line: u32, end_line: u32) -> Origin {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let license = source.license_of(path);
    Origin {
        source: source.config().name().to_owned(),
        repository: owned(source.repository()),
        version: owned(source.version()),
        commit: owned(source.commit()),
        license: license.and_then(|license| license.expression.clone()),
        license_from: license.map(|license| license.from.clone()),
        first_commit: owned(source.first_commit_of(path)),
        path: path.to_owned(),
        start_line,
        end_line,
    }
}
