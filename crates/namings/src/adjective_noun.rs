//! `adjective-noun`: names such as `quiet_harbor`, pydra's `funky` (appendix B.4), for C and C++.
//!
//! *What it changes.* The same names as `neutralized`, each into an unrelated adjective and noun.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int quiet_harbor(const char *amber_lion)`.
//!
//! *Difference to pydra.* The words are from barecode's own lists, 64 of each; once all pairs are used, a
//! second adjective is added.

use crate::naming::{Draw, Free, Naming, Old};

const ADJECTIVES: [&str; 64] = [
    "amber", "ample", "ancient", "arctic", "bashful", "bitter", "bold", "brave", "bright", "brisk",
    "calm", "clever", "cloudy", "cosmic", "cozy", "crimson", "curious", "daring", "dusty", "eager",
    "early", "earnest", "faint", "fancy", "fierce", "foggy", "fond", "frosty", "gentle", "giddy",
    "golden", "grand", "happy", "hasty", "hollow", "humble", "icy", "jolly", "kind", "lively",
    "lonely", "loud", "lucky", "mellow", "merry", "mighty", "misty", "noble", "odd", "pale",
    "patient", "plain", "proud", "quiet", "rapid", "rusty", "shy", "silent", "sleepy", "solar",
    "sturdy", "tender", "velvet", "witty",
];

const NOUNS: [&str; 64] = [
    "acorn", "anchor", "apple", "badger", "banjo", "barrel", "beacon", "bison", "bridge", "cactus",
    "candle", "canyon", "castle", "cedar", "cherry", "clover", "comet", "copper", "coyote",
    "cricket", "dolphin", "dragon", "eagle", "ember", "falcon", "feather", "fjord", "forest",
    "garden", "geyser", "glacier", "hammer", "harbor", "heron", "island", "jaguar", "kettle",
    "lagoon", "lantern", "lemon", "lion", "magnet", "maple", "meadow", "mitten", "mountain",
    "nebula", "orchid", "otter", "panda", "pebble", "pepper", "piano", "planet", "pumpkin",
    "raven", "river", "saddle", "sparrow", "teapot", "thunder", "tulip", "walnut", "zebra",
];

/// Number of pairs that are tried before another word comes in front.
const TRIES: usize = 200;

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct AdjectiveNoun {
    draw: Draw,
}

impl AdjectiveNoun {
    /// For these random numbers.
    pub fn new(draw: Draw) -> AdjectiveNoun {
        AdjectiveNoun { draw }
    }

    fn word(&mut self, words: &[&'static str; 64]) -> &'static str {
        words[self.draw.below(64) as usize]
    }
}

impl Naming for AdjectiveNoun {
    fn next(&mut self, _old: Old<'_>, taken: &dyn Free) -> Option<String> {
        let mut front = String::new();
        loop {
            for _ in 0..TRIES {
                let (adjective, noun) = (self.word(&ADJECTIVES), self.word(&NOUNS));
                let name = [&front, adjective, "_", noun].concat();
                if taken.is_free(&name) {
                    return Some(name);
                }
            }
            front = format!("{}_{front}", self.word(&ADJECTIVES));
        }
    }
}
