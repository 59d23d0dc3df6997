//! Which names are changed, if not all: a share of them, or those of some roles.
//!
//! This allows plotting a score against the dose, and finding the role that matters most. Smaller doses are
//! subsets of larger ones: the order in which names are chosen depends on the run, the unit and the draw, not
//! on the dose.

use barecode_records::{Digest, Dose, Id, Role, Roles};

use crate::naming::Old;

/// The choice of one unit and draw.
#[derive(Debug, Clone)]
pub struct Choice {
    dose: Dose,
    order: Digest,
}

impl Choice {
    /// Of a dose, for one unit and draw; `run_seed` is the run's.
    pub fn new(dose: Dose, run_seed: u64, unit: &Id, seed: Option<u32>) -> Choice {
        let order = Digest::new("dose")
            .field(run_seed.to_le_bytes())
            .field(unit)
            .field(seed.unwrap_or_default().to_le_bytes());
        Choice { dose, order }
    }

    /// Every name.
    pub fn all() -> Choice {
        Choice {
            dose: Dose::ALL,
            order: Digest::new("dose"),
        }
    }

    /// Returns `true` if some name may stay.
    pub fn is_partial(&self) -> bool {
        self.dose.percent < 100 || ![Roles::PROJECT, Roles::ALL].contains(&self.dose.roles)
    }

    /// Returns `true` if names of other packages are among those that may change.
    pub fn takes_foreign(&self) -> bool {
        self.dose.roles.contains(Role::Foreign)
    }

    /// For each of some names, in their order, true if it is changed: the requested share, rounded to the nearest, of
    /// those with a chosen role.
    pub fn of(&self, names: &[Old<'_>]) -> Vec<bool> {
        let mut wanted: Vec<(u64, usize)> = Vec::new();
        for (at, old) in names.iter().enumerate() {
            if self.dose.roles.contains(old.role) {
                let place = self.order.clone().field(old.role.name()).field(old.name);
                wanted.push((place.seed(), at));
            }
        }
        wanted.sort_unstable();
        let share = (wanted.len() * usize::from(self.dose.percent) + 50) / 100;
        let mut changed = vec![false; names.len()];
        for (_, at) in wanted.into_iter().take(share) {
            changed[at] = true;
        }
        changed
    }
}
