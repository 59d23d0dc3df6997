//! Studies that are planned: who rates which functions.

use barecode_scores::study::{Assumed, Planned, Rule, simulated_power};

#[test]
fn who_shares_no_function_rates_alone() {
    let noisy = Assumed {
        first_wrong: 0.1,
        second_wrong: 0.02,
        first_better: 0.3,
        second_better: 0.1,
        reliability: 0.5,
    };
    let of = |raters, shared| {
        let planned = Planned {
            functions: 6,
            shared,
            raters,
            rule: Rule::Draft,
            margin: 0.2,
            level: 0.05,
        };
        let found = simulated_power(&noisy, &planned, 50, 5).unwrap();
        (found.power, found.difference)
    };
    assert_eq!(of(3, 0), of(1, 0));
    // One that is shared is rated three times, and that is another study.
    assert_ne!(of(3, 1), of(1, 1));
    assert_ne!(of(3, 6), of(3, 5));
}
