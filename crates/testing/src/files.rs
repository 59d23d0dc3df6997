//! Files for tests.

use std::fs;
use std::path::Path;

/// Writes files below a folder; folders on the way are made.
///
/// # Panics
/// If the disk refuses.
pub fn fill(folder: &Path, files: &[(&str, &[u8])]) {
    for (path, bytes) in files {
        let path = folder.join(path);
        let parent = path.parent().expect("a file is in a folder");
        fs::create_dir_all(parent).expect("folders can be made");
        fs::write(path, bytes).expect("files can be written");
    }
}
