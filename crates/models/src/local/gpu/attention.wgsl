// Attention: every token of a text a weighted mean of the values of those that it sees.
//
// A group of 8 by 8 threads has 32 queries of one head, and goes through the keys in tiles of 32 that begin at
// multiples of 32 of the text, so that the sums of a text are the same wherever it stands. Weights are made as the
// tiles come: what was added up before is shrunk when a larger score appears (Milakov and Gimelshein 2018; Dao et
// al. 2022), so no more than a tile of scores is ever kept.
// A constant stands before this text: `SIZE`, the numbers of a head.

struct Sizes {
    heads: u32,
    // Heads of keys and values.
    key_heads: u32,
    // Whether a query sees only itself and what stands before it, and how many steps it sees.
    causal: u32,
    reach: u32,
    // Scores are multiplied by `factor`; then pressed into (-cap, cap) if that is above 0.
    factor: f32,
    cap: f32,
    // What is added by distance, and for `CLASSES` the distance from which on all are alike.
    distance: u32,
    farthest: u32,
}

// A head's slope; a head's numbers for distances from `-farthest` to `farthest`.
const SLOPES: u32 = 1u;
const CLASSES: u32 = 2u;

// The first row of a text, its length, and the first query of these 32.
@group(0) @binding(0) var<storage, read> blocks: array<vec4<u32>>;
// Rows of queries, keys and values, head by head.
@group(0) @binding(1) var<storage, read> projected: array<f32>;
@group(0) @binding(2) var<storage, read> distances: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;
var<immediate> sizes: Sizes;

const SIDE: u32 = 32u;
const QUADS: u32 = 8u;
const THREADS: u32 = 64u;
const PIECES: u32 = (SIZE + SIDE - 1u) / SIDE;
const LOWEST: f32 = -3.0e38;

// Four queries, and four keys, of each number of a piece of the head; then four numbers of the value of each key.
var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;
// Scores, then weights, query by query.
var<workgroup> scores: array<f32, 1024>;
// Of each query: the largest score, the sum of weights, and what sums before this tile are multiplied by.
var<workgroup> largest: array<f32, SIDE>;
var<workgroup> sum: array<f32, SIDE>;
var<workgroup> shrunk: array<f32, SIDE>;

// A number of a token's row; 0 beyond the text or the head.
fn given(first: u32, length: u32, token: u32, stride: u32, column: u32, i: u32) -> f32 {
    if token < length && i < SIZE {
        return projected[(first + token) * stride + column + i];
    }
    return 0.0;
}

fn seen(query: u32, key: u32, length: u32) -> bool {
    let ahead = key > query;
    let steps = select(query - key, key - query, ahead);
    return key < length && steps <= sizes.reach && !(ahead && sizes.causal != 0u);
}

fn added(head: u32, query: u32, key: u32) -> f32 {
    let steps = i32(key) - i32(query);
    switch sizes.distance {
        case SLOPES: { return -distances[head] * f32(abs(steps)); }
        case CLASSES: {
            let farthest = i32(sizes.farthest);
            let step = clamp(steps, -farthest, farthest) + farthest;
            return distances[head * (2u * sizes.farthest + 1u) + u32(step)];
        }
        default: { return 0.0; }
    }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = blocks[group.x].x;
    let length = blocks[group.x].y;
    let first_query = blocks[group.x].z;
    let head = group.y;
    let query_width = sizes.heads * SIZE;
    let key_width = sizes.key_heads * SIZE;
    let stride = query_width + 2u * key_width;
    let key_head = head / (sizes.heads / sizes.key_heads);
    let query_column = head * SIZE;
    let key_column = query_width + key_head * SIZE;
    let value_column = key_column + key_width;
    let query_quad = thread / QUADS;
    let key_quad = thread % QUADS;

    var contexts = array<vec4<f32>, 4u * PIECES>();
    if thread < SIDE {
        largest[thread] = LOWEST;
        sum[thread] = 0.0;
    }
    let from_key = (first_query - min(first_query, sizes.reach)) / SIDE * SIDE;
    var to_key = min(first_query + SIDE, length);
    if sizes.causal == 0u {
        to_key += min(length - to_key, sizes.reach);
    }
    for (var first_key = from_key; first_key < to_key; first_key += SIDE) {
        var products = array<vec4<f32>, 4>();
        for (var piece = 0u; piece < PIECES; piece++) {
            workgroupBarrier();
            for (var place = thread; place < 256u; place += THREADS) {
                // Neighbors read neighboring numbers of a token.
                let i = place % SIDE;
                let four = place / SIDE;
                let column = piece * SIDE + i;
                let query = first_query + 4u * four;
                let key = first_key + 4u * four;
                left[i * QUADS + four] = vec4(
                    given(first, length, query, stride, query_column, column),
                    given(first, length, query + 1u, stride, query_column, column),
                    given(first, length, query + 2u, stride, query_column, column),
                    given(first, length, query + 3u, stride, query_column, column),
                );
                right[i * QUADS + four] = vec4(
                    given(first, length, key, stride, key_column, column),
                    given(first, length, key + 1u, stride, key_column, column),
                    given(first, length, key + 2u, stride, key_column, column),
                    given(first, length, key + 3u, stride, key_column, column),
                );
            }
            workgroupBarrier();
            for (var i = 0u; i < SIDE; i++) {
                let queries = left[i * QUADS + query_quad];
                let keys = right[i * QUADS + key_quad];
                products[0] += queries.x * keys;
                products[1] += queries.y * keys;
                products[2] += queries.z * keys;
                products[3] += queries.w * keys;
            }
        }
        for (var i = 0u; i < 4u; i++) {
            for (var j = 0u; j < 4u; j++) {
                let query = first_query + 4u * query_quad + i;
                let key = first_key + 4u * key_quad + j;
                var score = LOWEST;
                if seen(query, key, length) {
                    score = products[i][j] * sizes.factor;
                    if sizes.cap > 0.0 {
                        score = sizes.cap * tangent(score / sizes.cap);
                    }
                    score += added(head, query, key);
                }
                scores[(4u * query_quad + i) * SIDE + 4u * key_quad + j] = score;
            }
        }
        workgroupBarrier();
        if thread < SIDE {
            let before = largest[thread];
            var most = before;
            for (var key = 0u; key < SIDE; key++) {
                most = max(most, scores[thread * SIDE + key]);
            }
            var weights = 0.0;
            for (var key = 0u; key < SIDE; key++) {
                let score = scores[thread * SIDE + key];
                // A query may see no key of this tile; then `most` is as low as what is not seen.
                let weight = select(0.0, power(score - most), score > LOWEST);
                scores[thread * SIDE + key] = weight;
                weights += weight;
            }
            let shrink = select(0.0, power(before - most), before > LOWEST);
            largest[thread] = most;
            sum[thread] = sum[thread] * shrink + weights;
            shrunk[thread] = shrink;
        }
        workgroupBarrier();
        for (var piece = 0u; piece < PIECES; piece++) {
            for (var place = thread; place < 256u; place += THREADS) {
                let key = first_key + place / QUADS;
                let column = piece * SIDE + 4u * (place % QUADS);
                right[place] = vec4(
                    given(first, length, key, stride, value_column, column),
                    given(first, length, key, stride, value_column, column + 1u),
                    given(first, length, key, stride, value_column, column + 2u),
                    given(first, length, key, stride, value_column, column + 3u),
                );
            }
            workgroupBarrier();
            for (var i = 0u; i < 4u; i++) {
                let query = 4u * query_quad + i;
                var context = contexts[4u * piece + i] * shrunk[query];
                for (var key = 0u; key < SIDE; key++) {
                    context += scores[query * SIDE + key] * right[key * QUADS + key_quad];
                }
                contexts[4u * piece + i] = context;
            }
            workgroupBarrier();
        }
    }
    for (var piece = 0u; piece < PIECES; piece++) {
        for (var i = 0u; i < 4u; i++) {
            let query = 4u * query_quad + i;
            if first_query + query < length {
                let row = (first + first_query + query) * query_width + query_column;
                for (var j = 0u; j < 4u; j++) {
                    let column = piece * SIDE + 4u * key_quad + j;
                    if column < SIZE {
                        results[row + column] = contexts[4u * piece + i][j] / sum[query];
                    }
                }
            }
        }
    }
}
