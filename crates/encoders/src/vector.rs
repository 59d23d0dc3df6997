//! Arithmetic on rows of numbers: activations, softmax, norms, lengths.
//!
//! In come slices, out go the same slices changed in place.
//! The one hard thing is to be fast without depending on the caller. Every function is a plain loop over 16 lanes
//! that the compiler turns into vector instructions of the machine, chosen at run time. Every sum adds in an order
//! that depends on the length of the row alone. So a row gives the same bits at any position and beside any other
//! rows; two machines with other instructions may differ in the last bits.
//!
//! Exponential and error function are polynomials in place of the library's calls, which cannot be vectorized. The
//! exponential is within 2 units in the last place, the error function within 4e-7 of the exact value. Not in this
//! file: matrices; they are in `linear`.

#![expect(
    clippy::inline_always,
    reason = "only a body that is inlined is compiled for the instructions chosen at run time"
)]

use std::marker::PhantomData;

/// Numbers that are added side by side; a multiple of the width of any vector unit.
const LANES: usize = 16;

/// A loop that is compiled for several kinds of processors.
///
/// [`run`](Kernel::run) must be marked to be inlined always, and all that it calls. A closure or a function that is
/// handed over is not inlined; it is compiled for the oldest processor, where a fused multiplication is a call into a
/// library.
pub trait Kernel<Arguments> {
    /// Does the work.
    fn run(arguments: Arguments);
}

/// Runs a loop with the best instructions of this machine.
pub fn fast<K: Kernel<A>, A>(arguments: A) {
    struct Call<A, K>(A, PhantomData<K>);
    impl<A, K: Kernel<A>> pulp::NullaryFnOnce for Call<A, K> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            K::run(self.0);
        }
    }
    pulp::Arch::new().dispatch(Call::<A, K>(arguments, PhantomData));
}

/// The nearest number of 32 bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what is asked for"
)]
pub(super) fn single(x: f64) -> f32 {
    x as f32
}

/// e to the power x, from 0 up to the largest number; inputs are cut to the range in which that is representable.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding and taking away 1.5 * 2^23 rounds to a whole number, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.3, 88.3);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-0.693_359_4, x);
    let r = n.mul_add(2.121_944_4e-4, r);
    let p = 1.987_569_1e-4_f32
        .mul_add(r, 1.398_199_9e-3)
        .mul_add(r, 8.333_452e-3)
        .mul_add(r, 4.166_579_6e-2)
        .mul_add(r, 1.666_666_5e-1)
        .mul_add(r, 0.5);
    let p = p.mul_add(r * r, r) + 1.0;
    p * f32::from_bits(shifted.to_bits().wrapping_add(127).wrapping_shl(23))
}

/// The error function, from -1 to 1.
///
/// A quotient of an odd and an even polynomial on [-4, 4], beyond which single precision knows only 1.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let s = x * x;
    let odd = (-2.726_142e-10_f32)
        .mul_add(s, 2.770_681_4e-8)
        .mul_add(s, -2.101_024e-6)
        .mul_add(s, -5.692_506_4e-5)
        .mul_add(s, -7.349_906_4e-4)
        .mul_add(s, -2.954_6e-3)
        .mul_add(s, -1.609_603_3e-2);
    let even = (-1.456_607_2e-5_f32)
        .mul_add(s, -2.133_740_6e-4)
        .mul_add(s, -1.682_827e-3)
        .mul_add(s, -7.373_329e-3)
        .mul_add(s, -1.426_473_9e-2);
    x * odd / even
}

/// The hyperbolic tangent, from -1 to 1.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    // The quotient loses digits near zero, where the tangent is its series.
    let s = x * x;
    let near = x
        * (-5.396_825_4e-2_f32)
            .mul_add(s, 1.333_333_4e-1)
            .mul_add(s, -3.333_333_4e-1)
            .mul_add(s, 1.0);
    let e = exp(2.0 * x.clamp(-15.0, 15.0));
    let far = (e - 1.0) / (e + 1.0);
    if s < 0.01 { near } else { far }
}

/// The function that a feed-forward layer applies to each number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    /// x times the normal distribution function of x, by the error function.
    Gelu,
    /// The same by an approximation with the hyperbolic tangent.
    GeluTanh,
    /// x times the logistic function of x; also called swish.
    Silu,
    /// The positive part.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// x itself.
    Identity,
}

impl Activation {
    /// The activation that `transformers` calls by this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "gelu" | "gelu_python" => Some(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" | "gelu_python_tanh" => {
                Some(Self::GeluTanh)
            }
            "silu" | "swish" => Some(Self::Silu),
            "relu" => Some(Self::Relu),
            "tanh" => Some(Self::Tanh),
            "linear" | "identity" => Some(Self::Identity),
            _ => None,
        }
    }

    /// Changes every number.
    pub(super) fn apply(self, values: &mut [f32]) {
        fast::<Map, _>((self, values));
    }

    /// Adds a bias to every row, and changes every number.
    pub(super) fn apply_with_bias(self, rows: &mut [f32], bias: &[f32]) {
        fast::<MapWithBias, _>((self, rows, bias));
    }

    /// In every row of `2 * width` numbers: the activated half times the other half, into the first half.
    pub(super) fn apply_gated(self, rows: &mut [f32], width: usize, first: bool) {
        fast::<MapGated, _>((self, rows, width, first));
    }
}

struct Map;

impl Kernel<(Activation, &mut [f32])> for Map {
    #[inline(always)]
    fn run((activation, values): (Activation, &mut [f32])) {
        map(activation, values);
    }
}

struct MapWithBias;

impl Kernel<(Activation, &mut [f32], &[f32])> for MapWithBias {
    #[inline(always)]
    fn run((activation, rows, bias): (Activation, &mut [f32], &[f32])) {
        for row in rows.chunks_exact_mut(bias.len()) {
            // The row is short enough to stay in the nearest cache in between.
            add(row, bias);
            map(activation, row);
        }
    }
}

struct MapGated;

impl Kernel<(Activation, &mut [f32], usize, bool)> for MapGated {
    /// The last argument is true if the first half is the one that is activated.
    #[inline(always)]
    fn run((activation, rows, width, first): (Activation, &mut [f32], usize, bool)) {
        for row in rows.chunks_exact_mut(2 * width) {
            let (one, two) = row.split_at_mut(width);
            map(activation, if first { &mut *one } else { &mut *two });
            for (a, b) in one.iter_mut().zip(&*two) {
                *a *= b;
            }
        }
    }
}

/// Every number by the activation; a loop each, so that each can be vectorized.
#[inline(always)]
fn map(activation: Activation, values: &mut [f32]) {
    match activation {
        Activation::Gelu => {
            for value in values {
                *value = gelu(*value);
            }
        }
        Activation::GeluTanh => {
            for value in values {
                *value = gelu_tanh(*value);
            }
        }
        Activation::Silu => {
            for value in values {
                *value = silu(*value);
            }
        }
        Activation::Relu => {
            for value in values {
                *value = value.max(0.0);
            }
        }
        Activation::Tanh => {
            for value in values {
                *value = tanh(*value);
            }
        }
        Activation::Identity => {}
    }
}

#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    const SCALE: f32 = 0.797_884_6; // the root of 2/π
    let inner = SCALE * (0.044_715 * x * x).mul_add(x, x);
    // 1 + tanh(u) = 2 / (1 + exp(-2u))
    x / (1.0 + exp(-2.0 * inner))
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// Adds a row to every row.
pub(super) fn add_row(rows: &mut [f32], row: &[f32]) {
    fast::<AddToEach, _>((rows, row));
}

struct AddToEach;

impl Kernel<(&mut [f32], &[f32])> for AddToEach {
    #[inline(always)]
    fn run((rows, row): (&mut [f32], &[f32])) {
        for values in rows.chunks_exact_mut(row.len()) {
            add(values, row);
        }
    }
}

/// Adds number by number.
#[inline(always)]
pub(super) fn add(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += other;
    }
}

/// Multiplies every number.
#[inline(always)]
pub(super) fn scale(values: &mut [f32], factor: f32) {
    for value in values {
        *value *= factor;
    }
}

/// The terms of a sum.
const PLAIN: u8 = 0;
const SQUARES: u8 = 1;
const SQUARES_FROM: u8 = 2;

/// One number of a sum; `center` matters to `SQUARES_FROM` alone.
#[inline(always)]
fn term<const KIND: u8>(x: f32, center: f32) -> f32 {
    match KIND {
        PLAIN => x,
        SQUARES => x * x,
        _ => (x - center) * (x - center),
    }
}

/// The sum of the terms of a row, in an order that depends on its length alone.
#[inline(always)]
fn sum_of<const KIND: u8>(values: &[f32], center: f32) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += term::<KIND>(value, center);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += term::<KIND>(value, center);
    }
    folded(lanes)
}

/// The sum of all lanes.
#[inline(always)]
fn folded(mut lanes: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] += lanes[i + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// The sum of a row, in an order that depends on its length alone.
#[inline(always)]
pub(super) fn sum(values: &[f32]) -> f32 {
    sum_of::<PLAIN>(values, 0.0)
}

/// The sum of products of two rows, likewise.
#[inline(always)]
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            lanes[lane] = left[lane].mul_add(right[lane], lanes[lane]);
        }
    }
    for (lane, (left, right)) in left_rest.iter().zip(right_rest).enumerate() {
        lanes[lane] = left.mul_add(*right, lanes[lane]);
    }
    folded(lanes)
}

#[inline(always)]
fn max_of(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = if value > *lane { value } else { *lane };
    }
    let mut most = lanes[0];
    for &lane in &lanes[1..] {
        most = if lane > most { lane } else { most };
    }
    most
}

/// Turns scores into weights that add up to 1: `exp(factor * x)` over their sum. `factor` is positive.
#[inline(always)]
pub(super) fn softmax(values: &mut [f32], factor: f32) {
    let max = max_of(values);
    for value in values.iter_mut() {
        *value = exp((*value - max) * factor);
    }
    let sum = sum_of::<PLAIN>(values, 0.0);
    scale(values, 1.0 / sum);
}

/// Scores times `factor`, pressed into (-limit, limit).
#[inline(always)]
pub(super) fn soft_cap(values: &mut [f32], factor: f32, limit: f32) {
    for value in values {
        *value = limit * tanh(*value * factor / limit);
    }
}

/// Scores times `factor`, plus a bias.
#[inline(always)]
pub(super) fn scale_and_add(values: &mut [f32], factor: f32, bias: &[f32]) {
    for (value, bias) in values.iter_mut().zip(bias) {
        *value = value.mul_add(factor, *bias);
    }
}

/// Brings a row to mean 0 and variance 1, then scales and shifts every number.
#[inline(always)]
pub(super) fn layer_norm(values: &mut [f32], weight: &[f32], bias: Option<&[f32]>, epsilon: f32) {
    let n = values.len() as f32;
    let mean = sum_of::<PLAIN>(values, 0.0) / n;
    let variance = sum_of::<SQUARES_FROM>(values, mean) / n;
    let factor = 1.0 / (variance + epsilon).sqrt();
    match bias {
        Some(bias) => {
            for ((value, weight), bias) in values.iter_mut().zip(weight).zip(bias) {
                *value = ((*value - mean) * factor).mul_add(*weight, *bias);
            }
        }
        None => {
            for (value, weight) in values.iter_mut().zip(weight) {
                *value = (*value - mean) * factor * weight;
            }
        }
    }
}

/// Brings the mean square of a row to 1, then scales every number.
#[inline(always)]
pub(super) fn rms_norm(values: &mut [f32], weight: &[f32], epsilon: f32) {
    let mean = sum_of::<SQUARES>(values, 0.0) / values.len() as f32;
    let factor = 1.0 / (mean + epsilon).sqrt();
    for (value, weight) in values.iter_mut().zip(weight) {
        *value = *value * factor * weight;
    }
}

/// Brings a row to length 1; a row of zeros stays as it is.
pub(super) fn normalize(values: &mut [f32]) {
    let length = sum_of::<SQUARES>(values, 0.0).sqrt();
    if length > 1e-12 {
        scale(values, 1.0 / length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error function by its series, or its continued fraction where that is better.
    fn exact_erf(x: f64) -> f64 {
        let a = x.abs();
        let value = if a < 3.0 {
            let (mut term, mut sum) = (a, a);
            for n in 1..200 {
                term *= -a * a / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            sum * 2.0 / std::f64::consts::PI.sqrt()
        } else {
            let mut fraction = a;
            for n in (1..200).rev() {
                fraction = a + f64::from(n) / 2.0 / fraction;
            }
            1.0 - (-a * a).exp() / fraction / std::f64::consts::PI.sqrt()
        };
        value.copysign(x)
    }

    fn grid() -> impl Iterator<Item = f32> {
        (-60_000..=60_000).map(|i| i as f32 / 4000.0)
    }

    #[test]
    fn the_exponential_is_within_two_units_in_the_last_place() {
        for x in grid().map(|x| x * 5.0) {
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 2.0 * f64::from(f32::EPSILON), "{x}: {error}");
        }
        assert_eq!(exp(0.0).to_bits(), 1.0_f32.to_bits());
        assert!(exp(-1e30) < 1.3e-38);
        assert!(exp(1e30).is_finite());
    }

    #[test]
    fn error_function_and_tangent_are_near_the_exact_ones() {
        for x in grid() {
            let error = (f64::from(erf(x)) - exact_erf(f64::from(x))).abs();
            assert!(error < 4e-7, "erf {x}: {error}");
            let error = (f64::from(tanh(x)) - f64::from(x).tanh()).abs();
            assert!(error < 3e-7, "tanh {x}: {error}");
        }
    }

    #[test]
    fn activations_are_their_definitions() {
        let gelu = |x: f64| 0.5 * x * (1.0 + exact_erf(x / 2.0_f64.sqrt()));
        let gelu_tanh = |x: f64| {
            0.5 * x
                * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
        };
        let silu = |x: f64| x / (1.0 + (-x).exp());
        let inputs: Vec<f32> = grid().collect();
        let cases: [(Activation, &dyn Fn(f64) -> f64); 3] = [
            (Activation::Gelu, &gelu),
            (Activation::GeluTanh, &gelu_tanh),
            (Activation::Silu, &silu),
        ];
        for (activation, exact) in cases {
            let mut outputs = inputs.clone();
            activation.apply(&mut outputs);
            for (&x, &y) in inputs.iter().zip(&outputs) {
                let expected = exact(f64::from(x));
                let error = (f64::from(y) - expected).abs();
                assert!(
                    error < 1e-6 * expected.abs().max(1.0),
                    "{activation:?} {x}: {y} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_row_gives_the_same_bits_wherever_it_stands() {
        let row: Vec<f32> = (0..77_u8).map(|i| (f32::from(i) * 0.37).sin()).collect();
        let mut alone = row.clone();
        Activation::Gelu.apply(&mut alone);
        for before in 0..40 {
            let mut rows = vec![0.5; before];
            rows.extend_from_slice(&row);
            rows.extend([0.25; 9]);
            Activation::Gelu.apply(&mut rows);
            assert_eq!(&rows[before..before + row.len()], &alone[..]);
        }
    }

    #[test]
    fn softmax_adds_up_to_one_and_norms_norm() {
        let mut values: Vec<f32> = (0..53_u8).map(f32::from).collect();
        softmax(&mut values, 0.5);
        let sum: f32 = values.iter().sum();
        assert!((sum - 1.0).abs() < 1e-6);
        assert!((values[52] / values[51] - 0.5_f32.exp()).abs() < 1e-5);
        let ones = vec![1.0; 53];
        layer_norm(&mut values, &ones, None, 1e-12);
        assert!(values.iter().sum::<f32>().abs() < 1e-4);
        let mut zeros = vec![0.0; 4];
        normalize(&mut zeros);
        assert_eq!(zeros, [0.0; 4]);
    }
}
