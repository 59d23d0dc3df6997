//! One program, with limits.

/// What holds a compiler besides its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Landlock of this ABI: only the compiler's own files can be read, only its own folder written.
    Landlock {
        /// The kernel's landlock ABI.
        abi: u32,
    },
    /// The kernel has no landlock: limits only, and the compiler reads what the user can read.
    LimitsOnly,
}
