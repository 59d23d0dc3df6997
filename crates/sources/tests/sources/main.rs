//! Sources as their users see them: kinds, damage, archives, licenses.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod archives;
mod licenses;
mod repositories;
mod source;

use std::fs;
use std::path::Path;

use barecode_sources::SourceConfig;

/// The bound on files that a recipe has unless it says otherwise.
const LARGEST: u64 = 16 << 20;

fn config(from: &str) -> SourceConfig {
    SourceConfig {
        from: from.to_owned(),
        ..SourceConfig::default()
    }
}

/// Writes files below a folder.
fn fill(folder: &Path, files: &[(&str, &[u8])]) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
