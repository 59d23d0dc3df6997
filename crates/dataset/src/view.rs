//! Which functions compete with each other, and what becomes of their helpers.
//!
//! The four of CLARC are a dependency group each (paper, appendix D.3). `all` has every function: the larger pool, and
//! the one that somebody asks who does not care for groups.

use std::fmt;

use barecode_records::{Facets, Group, Setting, Subset, SubsetKind};
use serde::{Serialize, Serializer};

/// Which functions become candidates, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Functions that need the standard library only.
    Group1,
    /// Functions that need types or variables of their project.
    Group2,
    /// Functions that call functions of their project; these are candidates of their own.
    Group3Short,
    /// The same with the functions that they call before them in one candidate.
    Group3Long,
    /// Every function by itself.
    All,
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

impl View {
    /// All views, in the order of reports.
    pub const ALL: [View; 5] = [
        View::Group1,
        View::Group2,
        View::Group3Short,
        View::Group3Long,
        View::All,
    ];

    /// CLARC's views: what a dataset has unless the recipe says otherwise.
    pub const CLARC: [View; 4] = [
        View::Group1,
        View::Group2,
        View::Group3Short,
        View::Group3Long,
    ];

    /// `group3-short`: the facet `group` of its subsets, and its name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            View::Group1 => "group1",
            View::Group2 => "group2",
            View::Group3Short => "group3-short",
            View::Group3Long => "group3-long",
            View::All => Facets::ALL,
        }
    }

    /// Whether it has the functions of a group.
    pub(crate) fn has(self, group: Group) -> bool {
        match self {
            View::Group1 => group == Group::Group1,
            View::Group2 => group == Group::Group2,
            View::Group3Short | View::Group3Long => group == Group::Group3,
            View::All => true,
        }
    }

    /// What becomes of the functions that they call directly.
    pub(crate) fn helpers(self) -> Helpers {
        match self {
            View::Group1 | View::Group2 | View::All => Helpers::LeftOut,
            View::Group3Short => Helpers::Candidates,
            View::Group3Long => Helpers::Joined,
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
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
