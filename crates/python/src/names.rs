//! Names that a part of a module has: few for most parts, and a project has a million parts.

use ruff_python_ast::name::Name as Spelling;

/// Names in order, each once. A short one takes 16 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Box<[Spelling]>);

impl Names {
    /// The names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(Spelling::as_str)
    }

    /// Returns `true` if the name is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.0
            .binary_search_by(|one| one.as_str().cmp(name))
            .is_ok()
    }

    /// Returns `true` if one of them is among the others.
    pub fn any_in(&self, others: &Names) -> bool {
        self.iter().any(|name| others.has(name))
    }

    /// Those that are not among the others.
    pub(crate) fn without(&self, others: &Names) -> Names {
        let left = self.0.iter().filter(|name| !others.has(name.as_str()));
        Names(left.cloned().collect())
    }
}

impl FromIterator<Spelling> for Names {
    fn from_iter<T: IntoIterator<Item = Spelling>>(names: T) -> Self {
        let mut names: Vec<Spelling> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Names(names.into_boxed_slice())
    }
}
