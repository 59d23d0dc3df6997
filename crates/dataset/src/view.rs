//! CLARC's views: which functions become candidates, and what becomes of their helpers (paper, appendix D.3).

use barecode_records::{Facets, Setting, Subset, SubsetKind, c::Group};

/// How the functions of a group become candidates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// The facet `group` of its subsets.
    pub(crate) name: &'static str,
    /// The dependency group.
    pub(crate) group: Group,
    /// What becomes of the functions that they call directly.
    pub(crate) helpers: Helpers,
}

/// What becomes of direct helpers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Helpers {
    /// They are left out.
    LeftOut,
    /// They are candidates of their own, graded 1 beside the function's 2.
    Candidates,
    /// They stand before the function in one candidate.
    Joined,
}

/// All views, in the order of reports.
pub(crate) const VIEWS: [View; 4] = [
    View {
        name: "group1",
        group: Group::Group1,
        helpers: Helpers::LeftOut,
    },
    View {
        name: "group2",
        group: Group::Group2,
        helpers: Helpers::LeftOut,
    },
    View {
        name: "group3-short",
        group: Group::Group3,
        helpers: Helpers::Candidates,
    },
    View {
        name: "group3-long",
        group: Group::Group3,
        helpers: Helpers::Joined,
    },
];

impl View {
    /// The view under a setting.
    pub(crate) fn under(&self, setting: Setting, draw: Option<u32>) -> Subset {
        Subset {
            name: format!("{}-{}", self.name, setting.label(draw)),
            kind: SubsetKind::Retrieval,
            facets: Facets {
                group: Some(self.name.to_owned()),
                setting: Some(setting),
                draw,
                language: None,
            },
        }
    }
}
