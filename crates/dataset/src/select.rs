//! Units → those that take part, each on its side, and the outcome of the others.
//!
//! In this order: a unit needs a variant in every setting; of units that are nearly the same one represents all; on
//! the test side it must be as young as the recipe requires; in no setting may it have the text of another one, if the
//! recipe requires that. The selection does not depend on the order of the input.

use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::duplicates::{Shingles, clusters, token_digest};
use barecode_records::{ClusterMember, Digest, Id, Query, Reason, Setting, Split, Unit};

use crate::DatasetConfig;
use crate::assemble::{Draw, Inputs, Variants};
use crate::split::sides;

/// The outcome of all units.
pub(crate) struct Selection<'a> {
    /// The units that take part, by id.
    pub(crate) units: BTreeMap<&'a Id, &'a Unit>,
    /// The side of every unit that has all settings.
    pub(crate) side: BTreeMap<&'a Id, Split>,
    /// For a unit that was set aside as a duplicate, the one that represents it.
    pub(crate) stands_for: BTreeMap<&'a Id, &'a Id>,
    /// Why each of the other units is left out.
    pub(crate) left_out: BTreeMap<&'a Id, (Reason, String)>,
    /// The clusters, by id, each with its representative first.
    pub(crate) clusters: Vec<ClusterMember>,
}

/// Selects units.
pub(crate) fn select<'a>(
    parts: Inputs<'a>,
    variants: &Variants<'a>,
    config: &DatasetConfig,
    seed: u64,
) -> Selection<'a> {
    let by_id: BTreeMap<&Id, &Unit> = parts.units.iter().map(|unit| (&unit.id, unit)).collect();
    let mut selection = Selection {
        units: BTreeMap::new(),
        side: BTreeMap::new(),
        stands_for: BTreeMap::new(),
        left_out: BTreeMap::new(),
        clusters: Vec::new(),
    };
    for (id, unit) in by_id {
        let is_missing = |&&(setting, seed): &&(Setting, Option<u32>)| {
            !variants.contains_key(&(id, setting, seed))
        };
        let missing: Vec<String> = parts
            .settings
            .iter()
            .filter(is_missing)
            .map(|(setting, seed)| setting.label(*seed))
            .collect();
        if missing.is_empty() {
            selection.units.insert(id, unit);
        } else {
            let why = (Reason::SettingMissing, missing.join(", "));
            selection.left_out.insert(id, why);
        }
    }
    let sides = sides(selection.units.values().copied(), &config.train, seed);
    for (id, unit) in &selection.units {
        selection.side.insert(id, sides[&unit.origin.whole()]);
    }
    if config.near_duplicates > 0.0 {
        selection.leave_one_of_each_cluster(variants, parts.queries, config);
    }
    if let Some(day) = &config.first_commit_after {
        selection.leave_the_young(day);
    }
    if config.distinct_texts {
        selection.leave_one_of_each_text(parts, variants);
    }
    selection
}

impl<'a> Selection<'a> {
    /// The unit that takes part for this one on a side: itself, or the one that represents it.
    pub(crate) fn on_behalf_of(&self, id: &'a Id, split: Split) -> Option<&'a Unit> {
        let id = self.stands_for.get(id).copied().unwrap_or(id);
        let unit = self.units.get(id)?;
        (self.side[id] == split).then_some(*unit)
    }

    /// The order in which units stay: those of the test side before those of the train side, then those with a query,
    /// then by source, path and line.
    fn precedence<'b>(&self, unit: &'b Unit, asked: &BTreeSet<&Id>) -> impl Ord + use<'b> {
        let origin = &unit.origin;
        let place = (&origin.source, &origin.path, origin.start_line, &unit.id);
        (self.side[&unit.id], !asked.contains(&unit.id), place)
    }

    /// Of each cluster the first stays.
    fn leave_one_of_each_cluster(
        &mut self,
        variants: &Variants<'a>,
        queries: &[Query],
        config: &DatasetConfig,
    ) {
        let asked = asked(queries);
        let order: Vec<&'a Unit> = self.units.values().copied().collect();
        let texts: Vec<&str> = order
            .iter()
            .map(|unit| match config.on {
                Setting::Standard => unit.text.as_str(),
                other => variants
                    .get(&(&unit.id, other, None))
                    .map_or(unit.text.as_str(), |variant| variant.text.as_str()),
            })
            .collect();
        let mut found: Vec<Vec<ClusterMember>> = Vec::new();
        for mut cluster in clusters(&texts, config.likeness()) {
            cluster.sort_by_key(|&at| self.precedence(order[at], &asked));
            let first = cluster[0];
            let representative = order[first];
            let shingles = Shingles::of(texts[first], config.shingle);
            let digest = token_digest(texts[first]);
            let id = ClusterMember::cluster_of(cluster.iter().map(|&at| &order[at].id));
            let member = |&at: &usize| ClusterMember {
                cluster: id.clone(),
                unit_id: order[at].id.clone(),
                representative: at == first,
                similarity: shingles.jaccard(&Shingles::of(texts[at], config.shingle)),
                exact: token_digest(texts[at]) == digest,
                split: self.side[&order[at].id],
                origin: order[at].origin.clone(),
            };
            let members: Vec<ClusterMember> = cluster.iter().map(member).collect();
            for (&at, member) in cluster.iter().zip(&members).skip(1) {
                let unit = order[at];
                let reason = if member.exact {
                    Reason::Duplicate
                } else {
                    Reason::NearDuplicate
                };
                let origin = &representative.origin;
                let detail = format!(
                    "of {}, {} of {}, similarity {:.3}",
                    representative.id,
                    origin.place(),
                    origin.source,
                    member.similarity
                );
                self.units.remove(&unit.id);
                self.left_out.insert(&unit.id, (reason, detail));
                self.stands_for.insert(&unit.id, &representative.id);
            }
            found.push(members);
        }
        found.sort_by(|a, b| a[0].cluster.cmp(&b[0].cluster));
        self.clusters = found.into_iter().flatten().collect();
    }

    /// On the test side, a unit stays only if it and all units that it represents are known to be later than a day: a
    /// copy is as old as its original.
    fn leave_the_young(&mut self, day: &str) {
        let oldest: BTreeMap<Id, String> = self
            .clusters
            .chunk_by(|a, b| a.cluster == b.cluster)
            .filter_map(|members| {
                let known = members
                    .iter()
                    .filter_map(|member| member.origin.first_commit.clone());
                Some((members[0].unit_id.clone(), known.min()?))
            })
            .collect();
        let mut gone = Vec::new();
        for (&id, unit) in &self.units {
            if self.side[id] != Split::Test {
                continue;
            }
            match oldest.get(id).or(unit.origin.first_commit.as_ref()) {
                None => gone.push((id, Reason::DateUnknown, "no first commit".to_owned())),
                Some(first) if first.as_str() <= day => {
                    gone.push((id, Reason::TooOld, format!("first commit on {first}")));
                }
                Some(_) => {}
            }
        }
        for (id, reason, detail) in gone {
            self.units.remove(id);
            self.left_out.insert(id, (reason, detail));
        }
    }

    /// A unit stays only if no unit before it has its text in any setting. White space does not count, because most
    /// tokenizers drop it.
    fn leave_one_of_each_text(&mut self, parts: Inputs<'a>, variants: &Variants<'a>) {
        let asked = asked(parts.queries);
        let mut order: Vec<&'a Unit> = self.units.values().copied().collect();
        order.sort_by_key(|unit| self.precedence(unit, &asked));
        let mut first_with: BTreeMap<(Draw, String), &'a Unit> = BTreeMap::new();
        for unit in order {
            let texts: Vec<(Draw, String)> = parts
                .settings
                .iter()
                .map(|&(setting, draw)| {
                    let text = &variants[&(&unit.id, setting, draw)].text;
                    let solid: String = text.chars().filter(|it| !it.is_whitespace()).collect();
                    ((setting, draw), Digest::new("solid").field(&solid).hex())
                })
                .collect();
            let twin = texts
                .iter()
                .find_map(|text| Some((text.0, first_with.get(text)?)));
            let Some(((setting, draw), twin)) = twin else {
                first_with.extend(texts.into_iter().map(|text| (text, unit)));
                continue;
            };
            let detail = format!(
                "in {} as {}, {} of {}",
                setting.label(draw),
                twin.id,
                twin.origin.place(),
                twin.origin.source
            );
            self.units.remove(&unit.id);
            // Those that it represented do not take part either.
            let represented = self
                .stands_for
                .iter()
                .filter(|(_, first)| **first == &unit.id);
            for (id, _) in represented {
                if let Some((_, why)) = self.left_out.get_mut(id) {
                    *why = format!("{why}, which is left out: {detail}");
                }
            }
            self.left_out.insert(&unit.id, (Reason::SameText, detail));
        }
    }
}

/// The units that have a query.
fn asked(queries: &[Query]) -> BTreeSet<&Id> {
    queries.iter().map(|query| &query.target_id).collect()
}
