// Rows times a matrix, plus a bias, activated: `target[r, o] = activated(bias[o] + sum of source[r, i] * weights[i, o])`.
//
// A group of 16 by 16 threads makes 64 rows by 64 outputs, a thread 4 by 4 of them, in steps of 16 inputs that the
// group brings into its own memory first. The sum runs over the inputs in their order, whatever other rows there are.
// Weights have rows of a multiple of 64 outputs, filled up with zeros.

struct Sizes {
    rows: u32,
    inputs: u32,
    // Of this band of the matrix, the multiple of 64 that they are filled up to, and the first one's column.
    outputs: u32,
    filled: u32,
    column: u32,
    // Numbers in a row of the target.
    stride: u32,
    activation: u32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;
var<immediate> sizes: Sizes;

const DEPTH: u32 = 16u;
const SIDE: u32 = 64u;
const QUADS: u32 = 16u;

// Four rows, and four outputs, of each input.
var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;

fn given(row: u32, input: u32) -> f32 {
    if row < sizes.rows && input < sizes.inputs {
        return source[row * sizes.inputs + input];
    }
    return 0.0;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first_row = group.y * SIDE;
    let first_output = group.x * SIDE;
    let row_quad = thread / QUADS;
    let output_quad = thread % QUADS;
    var sums = array<vec4<f32>, 4>();
    for (var depth = 0u; depth < sizes.inputs; depth += DEPTH) {
        // Neighbors read neighbors: inputs of a row on the left, outputs of an input on the right.
        let row = first_row + 4u * row_quad;
        let input = depth + output_quad;
        left[output_quad * QUADS + row_quad] =
            vec4(given(row, input), given(row + 1u, input), given(row + 2u, input), given(row + 3u, input));
        var four = vec4<f32>();
        if depth + row_quad < sizes.inputs {
            four = weights[((depth + row_quad) * sizes.filled + first_output) / 4u + output_quad];
        }
        right[thread] = four;
        workgroupBarrier();
        for (var i = 0u; i < DEPTH; i++) {
            let rows = left[i * QUADS + row_quad];
            let outputs = right[i * QUADS + output_quad];
            sums[0] += rows.x * outputs;
            sums[1] += rows.y * outputs;
            sums[2] += rows.z * outputs;
            sums[3] += rows.w * outputs;
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        let row = first_row + 4u * row_quad + i;
        for (var j = 0u; j < 4u; j++) {
            let output = first_output + 4u * output_quad + j;
            if row < sizes.rows && output < sizes.outputs {
                results[row * sizes.stride + sizes.column + output] =
                    activated(sizes.activation, sums[i][j] + bias[sizes.column + output]);
            }
        }
    }
}
