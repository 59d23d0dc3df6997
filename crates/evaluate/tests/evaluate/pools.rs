//! Draws of candidates and of pairs, and what a scorer that knows nothing gets on them.

use std::collections::{BTreeMap, BTreeSet};

use barecode_evaluate::{
    Bounds, Drawn, EvaluateError, Lists, MATCHING_ACCURACY, Matched, MatchingParts, PoolConfig,
    Scoring, System, SystemKind, Task, Wording, fitted, matching_values, pair_rows, prompts,
    values,
};
use barecode_formats::{Benchmark, Document, Judgment, Query, Subset};
use barecode_scores::{Measure, Ties};

/// A query for each document; `text` says what the document of a number has in it.
fn task(n: usize, text: impl Fn(usize) -> String) -> Task {
    let mut subset = Subset::new("set", "test");
    for at in 0..n {
        let id = |letter: char| format!("{letter}{at:04}");
        subset.queries.push(Query {
            id: id('q'),
            text: format!("text {at}"),
            ..Query::default()
        });
        subset.documents.push(Document {
            id: id('c'),
            text: text(at),
            ..Document::default()
        });
        subset.judgments.push(Judgment {
            query: id('q'),
            document: id('c'),
            grade: 1,
        });
    }
    let benchmark = Benchmark {
        subsets: vec![subset],
        ..Benchmark::default()
    };
    Task::all(&benchmark.subsets).remove(0)
}

fn different(n: usize) -> Task {
    task(n, |at| format!("code {at}"))
}

fn drawn(pool: PoolConfig, mut task: Task, seeds: std::ops::Range<u64>) -> Task {
    let nobody = |_: &Task, _: usize| Ok::<_, EvaluateError>(Vec::new());
    if let Some(draws) = pool.draw(&task, seeds, nobody).unwrap() {
        task.draws = draws;
    }
    task
}

fn candidates(task: &Task) -> Vec<&[Vec<usize>]> {
    let draws = task.draws.iter();
    draws
        .filter_map(|draw| match draw {
            Drawn::Everyone => None,
            Drawn::Candidates(candidates) => Some(candidates.as_slice()),
        })
        .collect()
}

/// The lists of a system, whose score of a query's candidate `of` says.
fn scored(task: &Task, of: impl Fn(usize, usize) -> f64) -> Lists {
    let draws = candidates(task).into_iter();
    draws
        .map(|candidates| {
            let queries = candidates.iter().enumerate();
            queries
                .map(|(query, own)| {
                    let own = own.iter();
                    let mut list: Vec<(usize, f64)> = own
                        .map(|&document| (document, of(query, document)))
                        .collect();
                    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    list
                })
                .collect()
        })
        .collect()
}

#[test]
fn a_constant_scorer_gets_exactly_what_each_rule_for_ties_says() {
    let task = drawn(PoolConfig::Uniform(99), different(300), 0..2);
    let lists = scored(&task, |_, _| 0.5);
    let measures: Vec<Measure> = vec!["RR".parse().unwrap()];
    let harmonic: f64 = (1..=100).map(|rank| 1.0 / f64::from(rank)).sum::<f64>() / 100.0;
    for ties in Ties::ALL {
        let scoring = Scoring {
            measures: &measures,
            ties,
        };
        let bounds = Bounds::of(&task, scoring);
        let rows = values("constant", &task, &lists, &bounds, scoring).unwrap();
        assert_eq!(rows.len(), 600);
        for row in rows {
            let draw = row.pool_draw.unwrap() as usize - 1;
            let query: usize = row
                .query_id
                .as_str()
                .trim_start_matches('q')
                .parse()
                .unwrap();
            let own = &candidates(&task)[draw][query];
            // Ids and places run alike here.
            let before = own.iter().filter(|&&document| document < query).count();
            let rank = match ties {
                Ties::Expected => 1.0 / harmonic,
                Ties::Pessimistic => 100.0,
                Ties::Optimistic => 1.0,
                Ties::Input => (before + 1) as f64,
                Ties::Docno => (own.len() - before) as f64,
            };
            assert!((row.value - 1.0 / rank).abs() < 1e-12, "{ties:?} {row:?}");
            assert!((row.floor.unwrap() - harmonic).abs() < 1e-12, "{row:?}");
        }
    }
}

#[test]
fn copies_of_an_answer_are_no_distractors() {
    // Every tenth document is the same.
    let text = |at: usize| match at % 10 {
        0 => "copy".to_owned(),
        _ => format!("code {at}"),
    };
    for pool in [PoolConfig::Uniform(99), PoolConfig::Pairs] {
        let task = drawn(pool, task(300, text), 0..5);
        for candidates in candidates(&task) {
            for (query, own) in candidates.iter().enumerate() {
                let n_copies = own.iter().filter(|&&it| it % 10 == 0).count();
                let expected = if pool == PoolConfig::Pairs { 2 } else { 100 };
                assert_eq!(own.len(), expected);
                assert!(own.contains(&query));
                assert!(query % 10 != 0 || n_copies == 1, "{query}: {own:?}");
            }
        }
    }
    // The released script draws them.
    let task = drawn(PoolConfig::Gecs(99), task(300, text), 0..1);
    let wrong = candidates(&task)[0]
        .iter()
        .enumerate()
        .filter(|(query, own)| {
            query % 10 == 0 && own.iter().filter(|&&it| it % 10 == 0).count() > 1
        });
    assert!(wrong.count() > 20);
}

#[test]
fn an_answer_to_another_query_of_the_same_text_is_no_distractor() {
    let mut task = different(100);
    // All even queries ask the same.
    for query in task.queries.iter_mut().step_by(2) {
        query.text = "the same".to_owned();
    }
    let task = drawn(PoolConfig::Pairs, task, 0..20);
    for candidates in candidates(&task) {
        for (query, own) in candidates.iter().enumerate().step_by(2) {
            let even = own.iter().filter(|&&it| it % 2 == 0).count();
            assert_eq!(even, 1, "{query}: {own:?}");
        }
    }
}

#[test]
fn the_other_of_a_pair_is_uniform_over_seeds_and_not_the_first_distractor() {
    let task = drawn(PoolConfig::Pairs, different(50), 0..2000);
    let mut counts = [0_u32; 50];
    for candidates in candidates(&task) {
        for &document in candidates[7].iter().filter(|&&it| it != 7) {
            counts[document] += 1;
        }
    }
    let expected = 2000.0 / 49.0;
    let others = counts.iter().enumerate().filter(|(at, _)| *at != 7);
    let chi: f64 = others
        .map(|(_, &it)| (f64::from(it) - expected).powi(2) / expected)
        .sum();
    // Of 48 degrees of freedom, 99.9 % lie below 84.
    assert!(chi < 84.0, "{chi}");
    let one = drawn(PoolConfig::Uniform(1), different(50), 0..200);
    let same = candidates(&one)
        .iter()
        .zip(candidates(&task))
        .filter(|(a, b)| a[7] == b[7])
        .count();
    assert!(same < 20, "{same}");
}

#[test]
fn pairs_are_judged_by_a_threshold_of_others_or_by_the_system_itself() {
    let train = drawn(PoolConfig::Pairs, different(40), 0..1);
    // Pairs that match have 0.8, others 0.2; in the test set two of ten queries are the other way round.
    let alike = |query: usize, document: usize| if query == document { 0.8 } else { 0.2 };
    let threshold = fitted(&train, &scored(&train, alike)).unwrap();
    assert!((threshold - 0.8).abs() < 1e-12);
    let test = drawn(PoolConfig::Pairs, different(10), 0..3);
    let confused = |query: usize, document: usize| match query {
        0 | 1 => 1.0 - alike(query, document),
        _ => alike(query, document),
    };
    let lists = scored(&test, confused);
    let rows = matching_values("s", &test, &lists, Some(threshold));
    assert_eq!(rows.len(), 30);
    assert!(
        rows.iter()
            .all(|row| row.measure == MATCHING_ACCURACY && row.floor == Some(0.5))
    );
    let mean = |rows: &[barecode_records::QueryScore]| {
        rows.iter().map(|row| row.value).sum::<f64>() / rows.len() as f64
    };
    assert!((mean(&rows) - 0.8).abs() < 1e-12);
    // One query has the matching pair right and the other one too high.
    let half = scored(&test, |query, document| match query {
        2 => 0.9,
        _ => alike(query, document),
    });
    let rows = matching_values("s", &test, &half, Some(threshold));
    assert!((mean(&rows) - 0.95).abs() < 1e-12);
    assert!(
        rows.iter()
            .filter(|row| row.query_id.as_str() == "q0002")
            .all(|row| (row.value - 0.5).abs() < 1e-12)
    );
    // By itself: 1/2 divides, and what was not said is wrong for either truth.
    let mut own = scored(&test, alike);
    for lists in &mut own {
        lists[3].clear();
    }
    let rows = matching_values("s", &test, &own, None);
    assert!((mean(&rows) - 0.9).abs() < 1e-12);
    let kind = SystemKind::Chat {
        model: "m".to_owned(),
        max_tokens: 10,
    };
    let system = System::named("s", "s", kind, 10).unwrap();
    let matched = Matched::of(&system, &test, &own, None);
    assert_eq!(
        (matched.pairs, matched.unanswered, matched.single),
        (60, 6, 0)
    );
    // A similarity that lists a pair not at all says that it does not match.
    let rows = matching_values("s", &test, &own, Some(threshold));
    assert!((mean(&rows) - 0.95).abs() < 1e-12);
}

#[test]
fn every_pair_has_one_prompt_with_its_texts() {
    let mut task = drawn(PoolConfig::Pairs, different(10), 0..3);
    assert!(prompts(&task).is_empty());
    task.matching = Some(MatchingParts {
        language: "Python".to_owned(),
        wording: Wording::Query,
    });
    let prompts: BTreeSet<String> = prompts(&task).into_iter().map(|it| it.text).collect();
    let rows = pair_rows(&task);
    assert_eq!(rows.len(), 60);
    let matching = rows.iter().filter(|row| row.matches).count();
    assert_eq!(matching, 30);
    let mut by_text: BTreeMap<String, bool> = BTreeMap::new();
    for row in &rows {
        let end = format!("{} [CODESPLIT] {}", row.text, row.code);
        by_text.insert(end, row.matches);
    }
    assert_eq!(prompts.len(), by_text.len());
    for prompt in &prompts {
        let head = "Given a search query and a Python programming language code snippet, determine if the query \
                    accurately represents the code's function. Respond with 'True' if the code matches the query and \
                    'False' if it does not. The input format is defined as \"query\" \"[CODESPLIT]\" \"code\". ";
        let pair = prompt.strip_prefix(head).unwrap();
        assert!(by_text.contains_key(pair), "{pair}");
    }
}
