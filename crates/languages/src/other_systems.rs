//! Headers that another operating system has and Linux has not: a file that includes one is not for this machine.

use std::collections::HashMap;
use std::sync::LazyLock;

const WINDOWS: &str = "Windows";

/// `windows.h` → `Windows`; folders end in a slash.
static SYSTEMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("data/other-systems.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let mut systems = HashMap::new();
    for line in lines {
        let mut words = line.split(' ');
        let system = words.next().unwrap_or_default();
        systems.extend(words.map(|header| (header, system)));
    }
    systems
});

/// The system that alone has a header of this name. Those of Windows are found in any case, as on Windows.
///
/// ```
/// use barecode_languages::other_systems::system_of;
///
/// assert_eq!(system_of("WinSock2.h"), Some("Windows"));
/// assert_eq!(system_of("mach/task.h"), Some("Apple"));
/// assert_eq!(system_of("zlib.h"), None);
/// ```
pub fn system_of(header: &str) -> Option<&'static str> {
    let folder = header.split_inclusive('/').next().unwrap_or_default();
    let found = SYSTEMS.get(header).or_else(|| SYSTEMS.get(folder)).copied();
    found.or_else(|| {
        let lower = SYSTEMS.get(&*header.to_ascii_lowercase()).copied();
        lower.filter(|&system| system == WINDOWS)
    })
}
