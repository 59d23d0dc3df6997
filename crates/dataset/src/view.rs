//! The functions that compete with each other, and the handling of their helpers.
//!
//! The four of CLARC are a dependency group each (paper, appendix D.3). `all` has every function: the larger pool,
//! and the one for users who do not need groups.

use barecode_records::{Facets, Group, Setting, Subset, SubsetKind, words};

words! {
    /// The functions that become candidates, and their form; in the order of reports.
    pub enum View {
        /// Functions that need the standard library only.
        Group1 = "group1",
        /// Functions that need types or variables of their project.
        Group2 = "group2",
        /// Functions that call functions of their project; these are candidates of their own.
        Group3Short = "group3-short",
        /// The same with the functions that they call before them in one candidate.
        Group3Long = "group3-long",
        /// Every function by itself.
        All = "all",
    }
}

/// The handling of direct helpers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Helpers {
    /// They are left out.
    LeftOut,
    /// They are candidates of their own, graded 1 beside the function's 2.
    Candidates,
    /// They precede the function in one candidate.
    Joined,
}

impl View {
    /// CLARC's views: the views of a dataset unless the recipe names others.
    pub const CLARC: [View; 4] = [
        View::Group1,
        View::Group2,
        View::Group3Short,
        View::Group3Long,
    ];

    /// Returns `true` if it has the functions of a group.
    pub(crate) fn has(self, group: Group) -> bool {
        match self {
            View::Group1 => group == Group::Group1,
            View::Group2 => group == Group::Group2,
            View::Group3Short | View::Group3Long => group == Group::Group3,
            View::All => true,
        }
    }

    /// The handling of the functions that they call directly.
    pub(crate) fn helpers(self) -> Helpers {
        match self {
            View::Group1 | View::Group2 | View::All => Helpers::LeftOut,
            View::Group3Short => Helpers::Candidates,
            View::Group3Long => Helpers::Joined,
        }
    }
}

/// The subset of a group under a setting, for one of several sets of queries.
pub(crate) fn subset(
    functions: &str,
    writer: Option<&str>,
    setting: Setting,
    draw: Option<u32>,
) -> Subset {
    let group = Facets::group_of(functions, writer);
    Subset {
        name: format!("{group}-{}", setting.label(draw)),
        kind: SubsetKind::Retrieval,
        facets: Facets {
            group: Some(group),
            setting: Some(setting),
            draw,
            language: None,
            writer: writer.map(str::to_owned),
        },
    }
}
