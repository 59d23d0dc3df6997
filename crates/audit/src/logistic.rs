//! A small classifier: logistic regression with a ridge penalty, by Newton's method.
//!
//! Enters: rows of numbers and labels. Leaves: scores of other rows. It is small on purpose: whatever it finds
//! is easy to find. Columns are standardized on the training rows; the fit has no randomness and a fixed number
//! of steps. [`auc`] measures scores against labels, with DeLong's interval (DeLong, DeLong and Clarke-Pearson
//! 1988, in the form of Sun and Xu 2014).

/// The penalty on standardized weights.
const RIDGE: f64 = 1.0;
const STEPS: usize = 8;

/// Fits on `train` and scores `test`, both given as indices in `rows`.
pub(crate) fn scores(
    rows: &[Vec<f64>],
    labels: &[bool],
    train: &[usize],
    test: &[usize],
) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let n = train.len().max(1) as f64;
    let mut means = vec![0.0; width];
    let mut deviations = vec![0.0; width];
    for &at in train {
        for (mean, value) in means.iter_mut().zip(&rows[at]) {
            *mean += value / n;
        }
    }
    for &at in train {
        for ((deviation, mean), value) in deviations.iter_mut().zip(&means).zip(&rows[at]) {
            *deviation += (value - mean) * (value - mean) / n;
        }
    }
    let scaled = |at: usize| -> Vec<f64> {
        let columns = rows[at].iter().zip(&means).zip(&deviations);
        let scaled = columns.map(|((value, mean), variance)| {
            // A constant has no information; an extreme value has no more than an outlying one.
            if *variance < 1e-12 {
                0.0
            } else {
                ((value - mean) / variance.sqrt()).clamp(-6.0, 6.0)
            }
        });
        std::iter::once(1.0).chain(scaled).collect()
    };
    let design: Vec<Vec<f64>> = train.iter().map(|&at| scaled(at)).collect();
    let mut weights = vec![0.0; width + 1];
    for _ in 0..STEPS {
        let size = width + 1;
        let mut gradient = vec![0.0; size];
        let mut curvature = vec![vec![0.0; size]; size];
        for (row, &at) in design.iter().zip(train) {
            let chance = sigmoid(dot(row, &weights));
            let error = f64::from(u8::from(labels[at])) - chance;
            let weight = (chance * (1.0 - chance)).max(1e-9);
            for (i, one) in row.iter().enumerate() {
                gradient[i] += error * one;
                let part = weight * one;
                for (to, other) in curvature[i].iter_mut().zip(row).take(i + 1) {
                    *to += part * other;
                }
            }
        }
        for i in 0..size {
            // The first weight is the base rate, which is not penalized, but kept finite.
            let penalty = if i == 0 { 1e-6 } else { RIDGE };
            gradient[i] -= penalty * weights[i];
            curvature[i][i] += penalty;
        }
        let Some(step) = solved(curvature, &gradient) else {
            break;
        };
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step.clamp(-4.0, 4.0);
        }
    }
    test.iter().map(|&at| dot(&scaled(at), &weights)).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// Solves a positive definite system, of which the lower half is given, by Cholesky's method.
fn solved(mut matrix: Vec<Vec<f64>>, right: &[f64]) -> Option<Vec<f64>> {
    let size = right.len();
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let value = matrix[i][j] - sum;
            if i == j {
                if value <= 0.0 {
                    return None;
                }
                matrix[i][i] = value.sqrt();
            } else {
                matrix[i][j] = value / matrix[j][j];
            }
        }
    }
    let mut solution = right.to_vec();
    for i in 0..size {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * solution[k]).sum();
        solution[i] = (solution[i] - sum) / matrix[i][i];
    }
    for i in (0..size).rev() {
        let sum: f64 = (i + 1..size).map(|k| matrix[k][i] * solution[k]).sum();
        solution[i] = (solution[i] - sum) / matrix[i][i];
    }
    Some(solution)
}

/// The area under the curve, and DeLong's standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Auc {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The area under the ROC curve: the chance that a positive row has a higher score than a negative one, a tie being
/// half. One half if one class is empty.
pub(crate) fn auc(scores: &[f64], labels: &[bool]) -> Auc {
    let of = |wanted: bool| -> Vec<f64> {
        let pairs = scores
            .iter()
            .zip(labels)
            .filter(|(_, label)| **label == wanted);
        let mut of: Vec<f64> = pairs.map(|(score, _)| *score).collect();
        of.sort_by(f64::total_cmp);
        of
    };
    let (positive, negative) = (of(true), of(false));
    if positive.is_empty() || negative.is_empty() {
        return Auc {
            value: 0.5,
            error: 0.5,
        };
    }
    let placements = |ones: &[f64], others: &[f64]| -> Vec<f64> {
        let share = |one: &f64| {
            let below = others.partition_point(|other| other < one);
            let up_to = others.partition_point(|other| other <= one);
            (below + up_to) as f64 / 2.0 / others.len() as f64
        };
        ones.iter().map(share).collect()
    };
    let of_positive = placements(&positive, &negative);
    let of_negative = placements(&negative, &positive);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = |values: &[f64]| {
        let middle = mean(values);
        values
            .iter()
            .map(|value| (value - middle) * (value - middle))
            .sum::<f64>()
            / (values.len().max(2) - 1) as f64
    };
    let error = (variance(&of_positive) / positive.len() as f64
        + variance(&of_negative) / negative.len() as f64)
        .sqrt();
    Auc {
        value: mean(&of_positive),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        // Of 2 × 2 pairs three are in order and one is tied.
        let found = auc(&[0.9, 0.4, 0.4, 0.1], &[true, true, false, false]);
        assert!((found.value - 0.875).abs() < 1e-12);
        assert!((auc(&[1.0, 2.0], &[true, true]).value - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_line_is_found_and_noise_is_not() {
        let rows: Vec<Vec<f64>> = (0..200_u32)
            .map(|i| vec![f64::from(i % 20), f64::from(i * 7919 % 101)])
            .collect();
        let labels: Vec<bool> = (0..200).map(|i| i % 20 >= 10).collect();
        let all: Vec<usize> = (0..200).collect();
        assert!(
            auc(
                &scores(&rows, &labels, &all[..100], &all[100..]),
                &labels[100..]
            )
            .value
                > 0.99
        );
        let noise: Vec<bool> = (0..200_u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1)
            .collect();
        let of_noise = auc(
            &scores(&rows, &noise, &all[..100], &all[100..]),
            &noise[100..],
        )
        .value;
        assert!((0.35..0.65).contains(&of_noise), "{of_noise}");
    }
}
