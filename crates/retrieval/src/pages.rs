//! Memory that is read from one end to the other again and again.
//!
//! Enters: a number of bytes. Leaves: memory for them, all 0, in large pages where the system has them: a processor
//! that goes through much memory finds the next large page five hundred times more rarely than the next small one.
//!
//! Not part of this: it frees nothing before all of it is dropped, and does not grow.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes of its own.
pub(crate) enum Pages {
    /// In large pages, if the system took the advice.
    Mapped(MmapMut),
    /// Where the system has no memory of this kind.
    Owned(Vec<u8>),
}

impl Pages {
    /// This many zeros.
    pub(crate) fn new(len: usize) -> Self {
        let Ok(map) = MmapMut::map_anon(len) else {
            return Pages::Owned(vec![0; len]);
        };
        // Where the system does not take advice, pages are small.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Pages::Mapped(map)
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Pages::Mapped(map) => map,
            Pages::Owned(bytes) => bytes,
        }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Pages::Mapped(map) => map,
            Pages::Owned(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_of_any_length() {
        for len in [0, 1, 5000, (3 << 20) + 1] {
            let mut pages = Pages::new(len);
            assert_eq!(pages.len(), len);
            assert!(pages.iter().all(|&byte| byte == 0));
            pages.fill(7);
            assert!(pages.iter().all(|&byte| byte == 7));
        }
    }
}
