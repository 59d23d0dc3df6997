//! Places to indices: the dimensions of each array, and each element by its position in it.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Effects;
use super::value::{Node, Place, Step, Value};
use crate::sizes::Size;

/// Arrays with more elements have no dimensions.
const LARGEST: u32 = 1 << 16;

/// What is left in an array.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// By the position of the element.
    pub(super) at: BTreeMap<u32, Node>,
    /// In every element, if a loop without a constant end fills it, with the loop.
    pub(super) every: Option<(Step, Node)>,
}

/// Effects whose elements have positions.
#[derive(Debug, Default)]
pub(super) struct Computed {
    /// The dimensions of each array whose elements have constant positions.
    pub(super) sizes: BTreeMap<u8, Size>,
    /// The arrays of which elements are read.
    pub(super) read: BTreeSet<u8>,
    pub(super) outputs: BTreeMap<u8, Output>,
    pub(super) returned: Vec<(Option<Node>, Node)>,
}

/// The steps that lead to the elements of an array.
#[derive(Default)]
struct Steps {
    /// By their position in the path.
    at: Vec<BTreeSet<Step>>,
    /// Instead, the paths to all elements, if these are at different depths.
    leaves: Vec<Vec<Step>>,
}

pub(super) fn of(effects: &Effects) -> Computed {
    let mut paths: BTreeMap<u8, BTreeSet<Vec<Step>>> = BTreeMap::new();
    let mut read = BTreeSet::new();
    let mut note = |place: &Place| {
        paths
            .entry(place.array)
            .or_default()
            .insert(place.path.clone());
    };
    let returned = effects.returned.iter();
    let returned = returned.flat_map(|(condition, value)| condition.iter().chain([value]));
    for node in effects.stores.values().chain(returned) {
        node.each(&mut |node| {
            if let Some(place) = node.element() {
                note(place);
                read.insert(place.array);
            }
        });
    }
    effects.stores.keys().for_each(note);
    let leaves = leaves(paths.values());
    let layouts: BTreeMap<u8, Steps> = paths
        .iter()
        .map(|(array, paths)| (*array, Steps::of(paths, &leaves)))
        .collect();
    let members = Members::of(layouts.values());
    let index = |place: &Place| -> Place {
        let steps = layouts.get(&place.array);
        let path = steps.map(|steps| steps.index(&place.path, &members));
        Place {
            array: place.array,
            path: path.unwrap_or_default(),
        }
    };
    let moved = |node: &Node| node.map(&mut |place| Node::new(Value::Element(index(place))));
    let mut computed = Computed {
        read,
        ..Computed::default()
    };
    for (array, steps) in &layouts {
        if let Some(size) = steps.size(&members) {
            computed.sizes.insert(*array, size);
        }
    }
    for (place, node) in &effects.stores {
        let output = computed.outputs.entry(place.array).or_default();
        match index(place).path.as_slice() {
            [Step::At(at)] => {
                output.at.insert(*at, moved(node));
            }
            [] => output.every = Some((Step::Every(0), moved(node))),
            [step @ Step::Every(_)] => output.every = Some((*step, moved(node))),
            _ => {}
        }
    }
    let returned = effects.returned.iter();
    computed.returned = returned
        .map(|(condition, node)| (condition.as_ref().map(moved), moved(node)))
        .collect();
    computed
}

/// The paths to the elements of structures whose elements are at different depths, as in `struct { struct vec v; float
/// s; }`.
fn leaves<'p>(all: impl Iterator<Item = &'p BTreeSet<Vec<Step>>>) -> BTreeSet<Vec<Step>> {
    let is_mixed = |paths: &&BTreeSet<Vec<Step>>| {
        let lengths = paths.iter().map(Vec::len).filter(|length| *length > 0);
        let lengths: BTreeSet<usize> = lengths.collect();
        let is_constant = |step: &Step| matches!(step, Step::At(_) | Step::Member(_));
        lengths.len() > 1 && paths.iter().flatten().all(is_constant)
    };
    let paths = all.filter(is_mixed).flatten();
    paths.filter(|path| !path.is_empty()).cloned().collect()
}

/// The positions of members among those of their structure, in the order in which they were met.
///
/// Members that are taken of the same value belong to one structure, and structures that share a member are the same.
#[derive(Default)]
struct Members(BTreeMap<u32, u32>);

impl Members {
    fn of<'s>(layouts: impl Iterator<Item = &'s Steps>) -> Self {
        let mut structures: Vec<BTreeSet<u32>> = Vec::new();
        for all in layouts.flat_map(|steps| &steps.at) {
            let members = all.iter().filter_map(|step| match step {
                Step::Member(member) => Some(*member),
                _ => None,
            });
            let mut joined: BTreeSet<u32> = members.collect();
            structures.retain(|other| {
                let is_same = !joined.is_disjoint(other);
                if is_same {
                    joined.extend(other);
                }
                !is_same
            });
            structures.push(joined);
        }
        let positions = structures
            .iter()
            .flat_map(|members| members.iter().copied().zip(0..));
        Members(positions.collect())
    }

    fn at(&self, member: u32) -> u32 {
        self.0.get(&member).copied().unwrap_or(0)
    }
}

impl Steps {
    fn of(paths: &BTreeSet<Vec<Step>>, leaves: &BTreeSet<Vec<Step>>) -> Self {
        let mut steps = Steps::default();
        let mut elements = paths.iter().filter(|path| !path.is_empty()).peekable();
        if elements.peek().is_some() && elements.all(|path| leaves.contains(path)) {
            steps.leaves = leaves.iter().cloned().collect();
            return steps;
        }
        let rank = paths.iter().map(Vec::len).max().unwrap_or(0);
        for path in paths.iter().filter(|path| path.len() == rank) {
            steps.at.resize(rank, BTreeSet::new());
            for (all, step) in steps.at.iter_mut().zip(path) {
                all.insert(*step);
            }
        }
        steps
    }

    /// Returns `true` if a position of the path distinguishes elements.
    fn counts(all: &BTreeSet<Step>) -> bool {
        all.len() > 1 || !matches!(all.first(), Some(Step::Member(_)))
    }

    /// The number of elements along a position; `None` if it is not constant.
    fn length(all: &BTreeSet<Step>, members: &Members) -> Option<u32> {
        let lengths = all.iter().map(|step| match step {
            Step::At(at) => Some(at.saturating_add(1)),
            Step::Member(member) => Some(members.at(*member) + 1),
            Step::Every(_) | Step::Unknown => None,
        });
        lengths.collect::<Option<Vec<u32>>>()?.into_iter().max()
    }

    fn size(&self, members: &Members) -> Option<Size> {
        if !self.leaves.is_empty() {
            return u32::try_from(self.leaves.len())
                .ok()
                .map(|count| vec![count]);
        }
        let counting = self.at.iter().filter(|all| Steps::counts(all));
        let size: Option<Size> = counting.map(|all| Steps::length(all, members)).collect();
        let size = size.filter(|size| !size.is_empty())?;
        let count = size
            .iter()
            .try_fold(1_u32, |all, length| all.checked_mul(*length));
        count.filter(|count| *count <= LARGEST).map(|_| size)
    }

    /// The path as one position.
    fn index(&self, path: &[Step], members: &Members) -> Vec<Step> {
        if let Some(leaf) = self.leaves.iter().position(|leaf| leaf == path) {
            return vec![Step::At(u32::try_from(leaf).unwrap_or(u32::MAX))];
        }
        if path.len() < self.at.len() {
            return match path {
                [] => Vec::new(),
                // A whole array that is filled.
                [Step::Every(every)] => vec![Step::Every(*every)],
                _ => vec![Step::Unknown],
            };
        }
        let mut position = 0_u32;
        let mut every = None;
        let mut is_flat = false;
        for (all, step) in self.at.iter().zip(path) {
            if !Steps::counts(all) {
                continue;
            }
            is_flat = true;
            let length = Steps::length(all, members).unwrap_or(1);
            let at = match step {
                Step::At(at) => *at,
                Step::Member(member) => members.at(*member),
                // Outer loops come first; otherwise rows and columns change places, which is not followed.
                Step::Every(next) => {
                    if every.is_some_and(|last| last >= *next) {
                        return vec![Step::Unknown];
                    }
                    every = Some(*next);
                    0
                }
                Step::Unknown => return vec![Step::Unknown],
            };
            position = position.saturating_mul(length).saturating_add(at);
        }
        match (every, is_flat) {
            (Some(every), _) => vec![Step::Every(every)],
            (None, true) => vec![Step::At(position)],
            (None, false) => Vec::new(),
        }
    }
}
