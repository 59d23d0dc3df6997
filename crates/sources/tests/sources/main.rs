//! Sources as their users see them: kinds, damage, archives, licenses.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod archives;
mod hostile;
mod licenses;
mod repositories;
mod source;

use barecode_sources::SourceConfig;
use barecode_testing::files::fill;

/// The bound on files that a recipe has unless it says otherwise.
const LARGEST: u64 = 16 << 20;

fn config(from: &str) -> SourceConfig {
    SourceConfig {
        from: from.to_owned(),
        ..SourceConfig::default()
    }
}
