//! The dimensions of arrays that a sentence names: `4×4`, `three-element`, `an array of two 3-element float arrays`.

/// The dimensions of an array, the outermost first.
pub type Size = Vec<u32>;

/// Dimensions are named for small arrays only.
const MOST: u32 = 64;

/// The dimensions that begin at each word, by the position of the word. `words` are in lower case.
pub fn sizes(words: &[String]) -> Vec<(usize, Size)> {
    let mut found: Vec<(usize, Size)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match size_at(words, at) {
            Some((size, end)) => {
                found.push((at, size));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The dimensions that begin at a word, and where they end.
fn size_at(words: &[String], at: usize) -> Option<(Size, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    // `4x4`, `vec3`, `mat4`, `2d`
    if let Some(size) = in_word(word(at)) {
        return Some((size, at + 1));
    }
    // `3D vector`; a 2D array has any number of elements.
    if let Some(side) = dimensions(word(at)).filter(|_| is_point(word(at + 1))) {
        return Some((vec![side], at + 1));
    }
    if word(at) == "quaternion" || word(at) == "quaternions" {
        return Some((vec![4], at + 1));
    }
    let number = count(word(at))?;
    // `3 by 3`, `3 x 3`
    if matches!(word(at + 1), "by" | "x")
        && let Some(other) = count(word(at + 2))
    {
        return Some((vec![number, other], at + 3));
    }
    let is_of_array = at >= 2
        && word(at - 1) == "of"
        && matches!(
            word(at - 2),
            "array" | "arrays" | "vector" | "vectors" | "sequence" | "matrix" | "list" | "block"
        );
    let mut next = at + 1;
    while is_kind(word(next)) && next < at + 5 {
        next += 1;
    }
    // `three 2-element float arrays`
    if is_of_array
        && let Some((inner, end)) = size_at(words, at + 1)
        && inner.len() == 1
        && (word(end - 1).starts_with("array")
            || word(end).starts_with("array")
            || word(end - 1).starts_with("vector"))
    {
        return Some((vec![number, inner[0]], end));
    }
    let noun = word(next);
    match noun {
        "element" | "elements" | "component" | "components" | "dimensional" | "entries"
        | "entry" | "coordinates" | "dimension" | "dimensions" | "lanes" | "channels" | "item"
        | "items" => {
            // `2-element float arrays`: the noun that follows belongs to it.
            let mut end = next + 1;
            while is_kind(word(end)) && end < next + 4 {
                end += 1;
            }
            let ends_in_array = word(end).starts_with("array") || word(end).starts_with("vector");
            Some((vec![number], if ends_in_array { end + 1 } else { next + 1 }))
        }
        _ if is_of_array && is_kind(word(at + 1)) => Some((vec![number], next)),
        _ => None,
    }
}

/// Words of element types and what may stand between a number and its noun.
fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "float"
            | "floats"
            | "double"
            | "doubles"
            | "integer"
            | "integers"
            | "int"
            | "ints"
            | "unsigned"
            | "signed"
            | "floating"
            | "point"
            | "floating-point"
            | "single"
            | "precision"
            | "single-precision"
            | "double-precision"
            | "32-bit"
            | "64-bit"
            | "16-bit"
            | "8-bit"
            | "numbers"
            | "number"
            | "values"
            | "value"
            | "consecutive"
            | "contiguous"
            | "bytes"
            | "numeric"
            | "real"
            | "scalar"
            | "scalars"
    )
}

/// Returns `true` for nouns with one element a dimension: `3D vector`.
fn is_point(word: &str) -> bool {
    matches!(
        word,
        "vector"
            | "vectors"
            | "point"
            | "points"
            | "position"
            | "positions"
            | "coordinate"
            | "coordinates"
            | "float"
            | "integer"
            | "direction"
            | "translation"
    )
}

/// `3d`
fn dimensions(word: &str) -> Option<u32> {
    let side = word.strip_suffix('d')?.parse().ok()?;
    (2..=4).contains(&side).then_some(side)
}

/// `4x4`, `mat3`, `vec3`
fn in_word(word: &str) -> Option<Size> {
    let number = |text: &str| {
        text.parse::<u32>()
            .ok()
            .filter(|it| (2..=MOST).contains(it))
    };
    if let Some((rows, columns)) = word.split_once(['x', '×'])
        && let (Some(rows), Some(columns)) = (number(rows), number(columns))
    {
        return Some(vec![rows, columns]);
    }
    for (name, rank) in [("vec", 1), ("ivec", 1), ("float", 1), ("mat", 2)] {
        if let Some(side) = word.strip_prefix(name).and_then(number)
            && side <= 4
        {
            return Some(vec![side; rank]);
        }
    }
    None
}

/// A number from 2, in digits or as a word.
fn count(word: &str) -> Option<u32> {
    let named = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    if let Some(at) = named.iter().position(|it| *it == word) {
        return u32::try_from(at + 2).ok();
    }
    if word == "sixteen" {
        return Some(16);
    }
    word.parse().ok().filter(|it| (2..=MOST).contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_read_from_words() {
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            sizes(&words)
                .into_iter()
                .map(|(_, size)| size)
                .collect::<Vec<_>>()
        };
        for (text, size) in [
            ("a 4x4 matrix", vec![4, 4]),
            ("a 3 by 3 matrix", vec![3, 3]),
            ("an array of three integers", vec![3]),
            ("two arrays of three integers", vec![3]),
            ("a three element array", vec![3]),
            ("a 2 element float array", vec![2]),
            ("an array of three 2 element float arrays", vec![3, 2]),
            ("a 3d vector", vec![3]),
            ("a four component vector", vec![4]),
            ("a quaternion", vec![4]),
        ] {
            assert_eq!(of(text), [size], "{text}");
        }
        for text in [
            "two integers",
            "three float arrays",
            "one of them",
            "the first two characters",
        ] {
            assert!(of(text).is_empty(), "{text}");
        }
    }
}
