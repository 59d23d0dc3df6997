//! A share of a stage: the shards that one of several processes does.

use std::fmt;
use std::str::FromStr;

/// One of `parts` shares of a stage's shards: every `parts`-th, so that all shares have the same number of each
/// source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which one, from 1.
    pub number: u32,
    /// The number of shares.
    pub parts: u32,
}

impl Share {
    /// Returns `true` if the shard at an index of the plan is in it.
    pub fn has(self, at: usize) -> bool {
        at % self.parts as usize == self.number as usize - 1
    }
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.parts)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, parts)| Some((number.parse().ok()?, parts.parse().ok()?)));
        let Some((number, parts)) = numbers else {
            return Err("a share is I/N, such as 1/4".to_owned());
        };
        match (number, parts) {
            (_, 0) => Err("a stage cannot be divided into 0 shares".to_owned()),
            (0, _) => Err(format!("the first share is 1/{parts}")),
            _ if number > parts => Err(format!("the last share of {parts} is {parts}/{parts}")),
            _ => Ok(Share { number, parts }),
        }
    }
}
