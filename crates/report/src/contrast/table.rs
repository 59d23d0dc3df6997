//! The tables of a comparison on the terminal.

use barecode_runs::console::{Screen, grouped};
use barecode_scores::comparison::{Judge, PairOfSystems};

use super::{Compared, judge_name};
use crate::robustness::chance;
use crate::{grid, of_queries};

/// The heads of the table of pairs, without that of a parametric test.
const PAIR_HEADS: [&str; 7] = [
    "first",
    "second",
    "difference",
    "better / equal / worse",
    "p",
    "p Holm",
    "p Tukey",
];

impl Compared {
    /// The systems and their pairs as two tables.
    pub fn table(&self, confidence: f64, screen: Screen) -> String {
        let level = 1.0 - confidence;
        let subset = self.subset.as_ref();
        let subset = subset.map_or(String::new(), |subset| format!("{subset}: "));
        format!(
            "{subset}{} over {} queries, with {:.0} % intervals; systems that share a letter do not differ significantly ({}, α = {level:.2})\n{}\npaired differences; p of the randomization test, two-sided{}\n{}",
            self.measure,
            grouped(self.queries as u64),
            confidence * 100.0,
            judge_name(self.all.judge),
            grid::table(
                1,
                &["system", &self.measure, "group"],
                self.rows_of_systems(),
                screen
            ),
            self.power(),
            grid::table(2, &self.pair_heads(), self.rows_of_pairs(), screen)
        )
    }

    /// The heads of the table of pairs.
    pub(super) fn pair_heads(&self) -> Vec<&'static str> {
        let parametric = matches!(self.all.judge, Judge::Blocked | Judge::Hsd);
        let last = parametric.then_some("p HSD");
        PAIR_HEADS.into_iter().chain(last).collect()
    }

    /// The systems, the best first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.systems.len()).collect();
        let value = |at: usize| self.systems[at].score.value;
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        order
    }

    /// A row for each system, the best first: its name, its score with interval, its letters.
    pub(super) fn rows_of_systems(&self) -> Vec<Vec<String>> {
        let row = |at: usize| {
            let system = &self.systems[at];
            let letters = if self.too_few {
                "–".to_owned()
            } else {
                self.all.groups.letters[at].clone()
            };
            let score = of_queries(&system.score, self.queries, 4);
            vec![system.name.clone(), score, letters]
        };
        self.order().into_iter().map(row).collect()
    }

    /// A row for each pair, in the order of the systems.
    pub(super) fn rows_of_pairs(&self) -> Vec<Vec<String>> {
        let order = self.order();
        let rank = |at: usize| order.iter().position(|&one| one == at);
        let mut pairs: Vec<&PairOfSystems> = self.all.pairs.iter().collect();
        pairs.sort_by_key(|pair| {
            let ranks = (rank(pair.first), rank(pair.second));
            (ranks.0.min(ranks.1), ranks.0.max(ranks.1))
        });
        pairs.into_iter().map(|pair| self.row_of(pair)).collect()
    }

    fn row_of(&self, pair: &PairOfSystems) -> Vec<String> {
        let paired = &pair.paired;
        let mut cells = vec![
            self.systems[pair.first].name.clone(),
            self.systems[pair.second].name.clone(),
            of_queries(&paired.difference, self.queries, 4),
            format!("{} / {} / {}", paired.wins, paired.ties, paired.losses),
        ];
        let mut p = vec![
            Some(paired.permutation.p),
            Some(pair.holm),
            Some(pair.tukey),
        ];
        match self.all.judge {
            Judge::Holm | Judge::Tukey => {}
            Judge::Blocked => p.push(pair.blocked),
            Judge::Hsd => p.push(pair.hsd),
        }
        let shown = p.into_iter().map(|p| {
            let p = p.filter(|_| !self.too_few);
            p.map_or_else(|| "–".to_owned(), chance)
        });
        cells.extend(shown);
        cells
    }

    /// The difference that the test detects, as the end of a sentence.
    fn power(&self) -> String {
        let mut sizes: Vec<f64> = (self.all.pairs.iter())
            .filter_map(|pair| pair.paired.detectable)
            .collect();
        sizes.sort_by(f64::total_cmp);
        let size = sizes.get(sizes.len() / 2).filter(|_| !self.too_few);
        size.map_or(String::new(), |size| {
            format!("; the test detects differences of about {size:.2} and misses smaller ones more than one time in five")
        })
    }
}
