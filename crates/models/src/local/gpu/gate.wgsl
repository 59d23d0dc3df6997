// The product of the two halves of a row, one of them activated.

struct Sizes {
    rows: u32,
    // Of a half.
    width: u32,
    activation: u32,
    // Whether the first half is the one that is activated.
    first: u32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;
var<immediate> sizes: Sizes;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) place: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    if place.x >= sizes.width {
        return;
    }
    for (var row = place.y; row < sizes.rows; row += groups.y) {
        let one = source[2u * row * sizes.width + place.x];
        let two = source[(2u * row + 1u) * sizes.width + place.x];
        let first = sizes.first != 0u;
        let gate = activated(sizes.activation, select(two, one, first));
        results[row * sizes.width + place.x] = gate * select(one, two, first);
    }
}
