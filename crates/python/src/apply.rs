//! One transform on one text.
//!
//! Nodes are drawn once, from what the transform finds in the text as it enters. Edits of drawn nodes that meet (a
//! comparison inside of a comparison) are made in rounds: the first ones are made, the text is parsed again, and the
//! others are looked for where they are now.

use std::borrow::Cow;
use std::collections::BTreeSet;

use barecode_records::python::{Applied, ChangedPlace};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use ruff_text_size::TextRange;

use crate::edit::{Moved, edited, meet, span};
use crate::{Context, Edit, Fresh, Module, Site, Transform, Unparsable};

/// The options for applying a transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Applying {
    /// The probability of a node to be changed, with a floor of one node.
    pub sample_p: f64,
    /// Whence the draws come.
    pub seed: u64,
}

/// A text that one transform was applied to.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) text: String,
    pub(crate) applied: Applied,
    /// Ranges before and after, in the order of the text.
    pub(crate) places: Vec<ChangedPlace>,
    /// The movement of positions, round by round.
    pub(crate) moved: Vec<Moved>,
}

/// Applies a transform to a text; `None` if there is no node that it can be applied to.
///
/// Fails if the text is not Python, which is a fault of the caller for the first text of a pipeline and of the
/// transform for any other.
pub fn apply(
    transform: &dyn Transform,
    text: &str,
    context: &Context,
    applying: Applying,
) -> Result<Option<(String, Applied, Vec<ChangedPlace>)>, Unparsable> {
    let round = one(transform, text, context, applying)?;
    Ok(round.map(|round| (round.text, round.applied, round.places)))
}

pub(crate) fn one(
    transform: &dyn Transform,
    text: &str,
    context: &Context,
    applying: Applying,
) -> Result<Option<Round>, Unparsable> {
    let module = Module::parse(text)?;
    let mut fresh = Fresh::new(&module, &context.protected).seeded(applying.seed);
    let sites = transform.sites(&module, context, &mut fresh);
    if sites.is_empty() {
        return Ok(None);
    }
    let nodes = sites.len();
    let mut draws = Draws::new(applying.seed);
    let drawn = draws.sample(nodes, applying.sample_p);
    let mut drawn = drawn.into_iter().peekable();
    let is_drawn = |(index, _): &(usize, Site)| drawn.next_if_eq(index).is_some();
    let sites = sites.into_iter().enumerate().filter(is_drawn);
    let mut waiting: Vec<Site> = sites.map(|(_, site)| site).collect();

    let mut text = Cow::Borrowed(text);
    let mut places: Vec<ChangedPlace> = Vec::new();
    let mut rounds: Vec<Moved> = Vec::new();
    let (mut applied, mut by_tests_only) = (0_u32, 0_u32);
    while !waiting.is_empty() {
        let (edits, later) = together(waiting, &mut draws, &mut applied, &mut by_tests_only);
        let moved = Moved::by(&edits);
        text = edited(&text, &edits).into();
        for place in &mut places {
            place.after = span(moved.forth((place.after.start, place.after.end)));
        }
        places.reserve(edits.len());
        for (range, after) in moved.pieces() {
            let before = rounds
                .iter()
                .rev()
                .fold(range, |range, moved| moved.back(range));
            places.push(ChangedPlace {
                transform: transform.name().into(),
                before: span(before),
                after: span(after),
            });
        }
        waiting = if later.is_empty() {
            Vec::new()
        } else {
            let module = Module::parse(&text)?;
            let found = transform.sites(&module, context, &mut fresh);
            let wanted: BTreeSet<(u32, u32)> = later
                .iter()
                .map(|node| moved.forth((node.start().to_u32(), node.end().to_u32())))
                .collect();
            // A change inside of a node moves its ends, so a node is recognized by its start and end.
            let is_wanted = |site: &Site| {
                wanted.contains(&(site.node.start().to_u32(), site.node.end().to_u32()))
            };
            found.into_iter().filter(is_wanted).collect()
        };
        rounds.push(moved);
    }
    places.sort_by_key(|place| (place.after, place.before));
    Ok(Some(Round {
        text: text.into_owned(),
        applied: Applied {
            transform: transform.name().to_owned(),
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
            applied,
            by_tests_only,
        },
        places,
        moved: rounds,
    }))
}

/// The edits of all sites that do not meet an earlier one, in order, and the nodes of the sites that do.
fn together(
    sites: Vec<Site>,
    draws: &mut Draws,
    applied: &mut u32,
    by_tests_only: &mut u32,
) -> (Vec<Edit>, Vec<TextRange>) {
    let chosen = sites.into_iter().map(|mut site| {
        let choice = draws.below(site.choices.len());
        (site.choices.swap_remove(choice), site)
    });
    let chosen: Vec<(Vec<Edit>, Site)> = chosen.collect();
    let ranges = chosen.iter().flat_map(|(edits, _)| edits);
    let mut ranges: Vec<(u32, u32)> = ranges.map(|edit| edit.range).collect();
    ranges.sort_unstable();
    // Mostly no two meet. In order, only neighbors can.
    if ranges.is_sorted_by(|one, two| !meet(*one, *two)) {
        let mut edits: Vec<Edit> = Vec::with_capacity(ranges.len());
        for (choice, site) in chosen {
            *applied += 1;
            *by_tests_only += u32::from(site.by_tests_only);
            edits.extend(choice);
        }
        edits.sort_unstable_by_key(|edit| edit.range);
        return (edits, Vec::new());
    }
    let mut edits: BTreeSet<Edit> = BTreeSet::new();
    let mut later = Vec::new();
    for (choice, site) in chosen {
        // Edits that do not meet are in order, so only neighbors of each new edit can meet it.
        let free = choice.iter().all(|edit| {
            let before = edits.range::<Edit, _>(..edit).next_back();
            let after = edits.range::<Edit, _>(edit..).next();
            !before
                .into_iter()
                .chain(after)
                .any(|other| meet(edit.range, other.range))
        });
        if free {
            *applied += 1;
            *by_tests_only += u32::from(site.by_tests_only);
            edits.extend(choice);
        } else {
            later.push(site.node);
        }
    }
    (edits.into_iter().collect(), later)
}

/// Numbers from a seed.
#[derive(Debug)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `n`; 0 for 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n < 2 {
            return 0;
        }
        let wide = u128::from(self.0.next_u64()) * n as u128;
        usize::try_from(wide >> 64).expect("a number below n")
    }

    /// Returns `true` if something happens that has this probability.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        // 53 bits, as floating-point numbers in [0, 1) have.
        let unit = (self.0.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0;
        unit < p
    }

    /// Each of `n` with probability `p`, and at least one of them, in order.
    pub(crate) fn sample(&mut self, n: usize, p: f64) -> Vec<usize> {
        let drawn: Vec<usize> = (0..n).filter(|_| self.chance(p)).collect();
        if drawn.is_empty() && n > 0 {
            return vec![self.below(n)];
        }
        drawn
    }
}
