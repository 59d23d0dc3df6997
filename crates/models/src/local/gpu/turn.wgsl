// Rotary positions: pairs of numbers of each head are turned by an angle that grows with the token's place.

struct Sizes {
    rows: u32,
    // Numbers in a row; heads from its first number on; numbers a head, and how many of them are turned.
    stride: u32,
    heads: u32,
    size: u32,
    width: u32,
}

// Of every row its place in its text; of every place its cosines, then its sines.
@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read> angles: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;
var<immediate> sizes: Sizes;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) place: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let half = sizes.width / 2u;
    if place.x >= sizes.heads * half {
        return;
    }
    let head = place.x / half;
    let i = place.x % half;
    for (var row = place.y; row < sizes.rows; row += groups.y) {
        let angle = places[row] * sizes.width + i;
        let cosine = angles[angle];
        let sine = angles[angle + half];
        let one = row * sizes.stride + head * sizes.size + i;
        let two = one + half;
        let a = results[one];
        let b = results[two];
        results[one] = a * cosine - b * sine;
        results[two] = b * cosine + a * sine;
    }
}
