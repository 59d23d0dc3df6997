// What a feed-forward layer does to each number; stands before the kernels that need it.
//
// The same formulas as on the processor, where it can be said why they are as they are. Devices differ in how exact
// their own `exp` and `tanh` are, so that arguments are kept where neither overflows.

const GELU: u32 = 1u;
const GELU_TANH: u32 = 2u;
const SILU: u32 = 3u;
const RELU: u32 = 4u;
const TANH: u32 = 5u;

fn power(x: f32) -> f32 {
    return exp(clamp(x, -87.0, 88.0));
}

fn error_function(x: f32) -> f32 {
    let y = clamp(x, -4.0, 4.0);
    let s = y * y;
    var odd = -2.726142e-10 * s + 2.7706814e-8;
    odd = odd * s - 2.101024e-6;
    odd = odd * s - 5.6925064e-5;
    odd = odd * s - 7.3499064e-4;
    odd = odd * s - 2.9546e-3;
    odd = odd * s - 1.6096033e-2;
    var even = -1.4566072e-5 * s - 2.1337406e-4;
    even = even * s - 1.682827e-3;
    even = even * s - 7.373329e-3;
    even = even * s - 1.4264739e-2;
    return y * odd / even;
}

fn tangent(x: f32) -> f32 {
    let s = x * x;
    let near = x * (((-5.3968254e-2 * s + 1.3333334e-1) * s - 3.3333334e-1) * s + 1.0);
    let e = exp(2.0 * clamp(x, -15.0, 15.0));
    return select((e - 1.0) / (e + 1.0), near, s < 0.01);
}

fn activated(kind: u32, x: f32) -> f32 {
    switch kind {
        case GELU: { return 0.5 * x * (1.0 + error_function(x * 0.70710678)); }
        case GELU_TANH: { return x / (1.0 + power(-1.5957692 * (0.044715 * x * x * x + x))); }
        case SILU: { return x / (1.0 + power(-x)); }
        case RELU: { return max(x, 0.0); }
        case TANH: { return tangent(x); }
        default: { return x; }
    }
}
