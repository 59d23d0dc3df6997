//! A [`Scheme`] → its naming.

use barecode_records::{Id, Scheme, Setting};

use crate::adjective_noun::AdjectiveNoun;
use crate::canonical::Canonical;
use crate::characters::Characters;
use crate::naming::{Draw, Naming};
use crate::neutralized::Neutralized;
use crate::randomized::Randomized;
use crate::shuffled::Shuffled;

/// The naming of a scheme for one unit and seed; `run_seed` is the run's.
///
/// # Panics
/// If the scheme is not a naming ([`Scheme::is_naming`]).
pub fn naming(
    scheme: Scheme,
    setting: Setting,
    run_seed: u64,
    unit: &Id,
    seed: Option<u32>,
) -> Box<dyn Naming> {
    let draw = || Draw::new(setting, run_seed, unit, seed);
    match scheme {
        Scheme::Neutralized => Box::new(Neutralized::default()),
        Scheme::Canonical => Box::new(Canonical::default()),
        Scheme::Randomized => Box::new(Randomized::new(draw())),
        Scheme::RandomizedSameLength => Box::new(Randomized::same_length(draw())),
        Scheme::Characters(length) => Box::new(Characters::new(length, draw())),
        Scheme::Shuffled => Box::new(Shuffled::new(draw())),
        Scheme::AdjectiveNoun => Box::new(AdjectiveNoun::new(draw())),
        Scheme::AdvTest | Scheme::AdvTestTokens => {
            panic!("`{scheme}` is not a naming")
        }
    }
}
