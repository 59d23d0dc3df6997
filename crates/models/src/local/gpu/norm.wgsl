// Norms: every row, or every head of it, brought to one size; and sums of rows, which come with them.
//
// A group of 64 threads has one row, or one head of it. Each thread adds every 64th number, and the threads' sums are
// added in an order that depends on the row's width alone.

struct Sizes {
    rows: u32,
    // Numbers in a row of the target, the first that is normed, and how many are normed together.
    stride: u32,
    column: u32,
    width: u32,
    kind: u32,
    form: u32,
    // Whether `bias` counts.
    shifted: u32,
    epsilon: f32,
}

// By mean and variance; by the mean square; not at all.
const LAYER: u32 = 0u;
const MEAN_SQUARE: u32 = 1u;

// The target becomes: its own norm; the norm of the source; the norm of the sum; its sum with the norm of the source.
const IN_PLACE: u32 = 0u;
const OF_SOURCE: u32 = 1u;
const OF_SUM: u32 = 2u;
const JOINED: u32 = 3u;

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;
var<immediate> sizes: Sizes;

const THREADS: u32 = 64u;
var<workgroup> lanes: array<f32, THREADS>;

fn value(place: u32) -> f32 {
    switch sizes.form {
        case IN_PLACE: { return results[place]; }
        case OF_SUM: { return results[place] + source[place]; }
        default: { return source[place]; }
    }
}

fn total(thread: u32, part: f32) -> f32 {
    lanes[thread] = part;
    workgroupBarrier();
    for (var width = THREADS / 2u; width > 0u; width /= 2u) {
        if thread < width {
            lanes[thread] += lanes[thread + width];
        }
        workgroupBarrier();
    }
    let sum = lanes[0];
    workgroupBarrier();
    return sum;
}

fn norm(start: u32, thread: u32) {
    var mean = 0.0;
    var factor = 1.0;
    let count = f32(sizes.width);
    if sizes.kind == LAYER {
        var sum = 0.0;
        for (var i = thread; i < sizes.width; i += THREADS) {
            sum += value(start + i);
        }
        mean = total(thread, sum) / count;
    }
    if sizes.kind <= MEAN_SQUARE {
        var squares = 0.0;
        for (var i = thread; i < sizes.width; i += THREADS) {
            let from_mean = value(start + i) - mean;
            squares += from_mean * from_mean;
        }
        factor = 1.0 / sqrt(total(thread, squares) / count + sizes.epsilon);
    }
    for (var i = thread; i < sizes.width; i += THREADS) {
        let place = start + i;
        var normed = value(place);
        if sizes.kind <= MEAN_SQUARE {
            normed = (normed - mean) * factor * weight[i];
        }
        if sizes.shifted != 0u {
            normed += bias[i];
        }
        if sizes.form == JOINED {
            normed += results[place];
        }
        results[place] = normed;
    }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    for (var row = group.y; row < sizes.rows; row += groups.y) {
        norm(row * sizes.stride + sizes.column + group.x * sizes.width, thread);
    }
}
