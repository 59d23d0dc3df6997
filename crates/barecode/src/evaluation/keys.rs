//! The inputs of the shard of a system on a subset: texts, candidates, the system and its parts, their models and
//! files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use barecode_evaluate::PoolConfig;
use barecode_records::{Digest, Hit, Stage, guarded};

use super::state::{Evaluation, RETRIEVE_CODE};
use super::subset::SubsetIn;
use crate::encoders::identity_or_absent;
use crate::engine::Key;
use crate::exit::Failure;
use crate::look::Look;

/// A system and all that its lists come from.
pub(super) struct Outside {
    members: Vec<usize>,
    identities: BTreeMap<String, String>,
}

impl Evaluation<'_> {
    /// Returns the key of lists on a subset, without the system.
    pub(super) fn key_of_lists(&self, subset: &SubsetIn<'_>) -> Key {
        let key = Key::new(Stage::Retrieve, RETRIEVE_CODE).format::<Hit>();
        self.of_pool(key, subset)
    }

    /// Adds the inputs that every key of a subset depends on.
    pub(super) fn of_pool(&self, key: Key, subset: &SubsetIn<'_>) -> Key {
        let key = key.field(self.seed.to_le_bytes()).field(&subset.texts);
        match subset.retrieve.pool {
            PoolConfig::Everyone => key,
            pool => key
                .field(pool.to_string())
                .field(subset.n_draws().to_le_bytes())
                .field(&subset.judgments),
        }
    }

    /// Returns the system, its parts, and the system that chooses candidates, with the identities of their models.
    pub(super) fn outside(&self, system: usize, look: Look) -> anyhow::Result<Outside> {
        let mut members = vec![system];
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            let parts = self.systems[member].parts().iter();
            members.extend(parts.map(|part| self.index(part)));
            next += 1;
        }
        let nearest = |at: usize| matches!(self.subsets[at].retrieve.pool, PoolConfig::Nearest(_));
        if self.drawn_from().any(nearest) && !members.contains(&0) {
            members.push(0);
        }
        let mut identities = BTreeMap::new();
        for &member in &members {
            let name = self.systems[member].name();
            if let (Some(model), true) = (self.models.get(name), look != Look::Folder) {
                let fetch = look.into();
                let found = self.encoders.identity(&self.systems[member], model, fetch);
                let called = &model.spec.name;
                let identity = identity_or_absent(found, fetch, called, self.console)?;
                identities.insert(name.to_owned(), identity);
            }
        }
        Ok(Outside {
            members,
            identities,
        })
    }

    /// Adds the systems, identities of models and digests of files; with a look into the folder only, any of them
    /// counts as current.
    pub(super) fn add_outside(
        &self,
        mut key: Key,
        at: usize,
        outside: &Outside,
        look: Look,
    ) -> anyhow::Result<Key> {
        let mut files = Vec::new();
        let mut uses = false;
        for &member in &outside.members {
            let system = &self.systems[member];
            key = key.field(system.digest());
            uses |= self.models.contains_key(system.name());
            let own = system.files(self.base, &self.subsets[at].task);
            let own = match (own, look) {
                (Ok(own), _) => own,
                (Err(error), Look::Fetch) => return Err(error.into()),
                (Err(_), Look::Around | Look::Folder) => vec![PathBuf::new()],
            };
            uses |= !own.is_empty();
            for file in own {
                files.push(match (guarded::read(&file), look) {
                    (Ok(bytes), _) => Digest::new("file").field(bytes).hex(),
                    (Err(error), Look::Fetch) => {
                        let message = format!("cannot read `{}`: {error}", file.display());
                        return Err(Failure::invalid(message).into());
                    }
                    (Err(_), Look::Around | Look::Folder) => "not here".to_owned(),
                });
            }
        }
        if uses && look == Look::Folder {
            return Ok(key.unseen());
        }
        for (name, identity) in &outside.identities {
            key = key.tool(name, identity);
        }
        if !files.is_empty() {
            key = key.own(Digest::new("files").fields(files).hex());
        }
        Ok(key)
    }
}
