//! A call or a text, changed a little.

use barecode_python::{Call, Constant};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// A number below another; 0 below 0.
fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let bound = u32::try_from(bound).unwrap_or(u32::MAX).max(1);
    (rng.next_u32() % bound) as usize
}

/// A call with one argument changed, or several.
pub(super) fn changed_call(call: &Call, rng: &mut ChaCha8Rng) -> Call {
    let mut call = call.clone();
    for _ in 0..=below(rng, 2) {
        let at = below(rng, call.arguments.len());
        if let Some((_, value)) = call.arguments.get_mut(at) {
            change(value, rng);
        }
    }
    call
}

fn change(value: &mut Constant, rng: &mut ChaCha8Rng) {
    match value {
        Constant::Bool(bool) => *bool = !*bool,
        Constant::Int(number) => *number = changed_number(number, rng),
        Constant::Float(number) => {
            *number = match below(rng, 4) {
                0 => 0.0,
                1 => -*number,
                2 => *number + 0.5,
                _ => *number * 2.0,
            };
        }
        Constant::Text(text) => *text = changed_word(text, rng),
        Constant::List(items) | Constant::Set(items) => change_items(items, rng),
        // The length of a tuple often has a meaning.
        Constant::Tuple(items) => change_one(items, rng),
        Constant::Dict(items) => {
            let at = below(rng, items.len());
            match below(rng, 4) {
                0 if !items.is_empty() => drop(items.remove(at)),
                1 => items.reverse(),
                _ => {
                    if let Some((_, value)) = items.get_mut(at) {
                        change(value, rng);
                    }
                }
            }
        }
        Constant::None | Constant::Ellipsis | Constant::Complex(_) | Constant::Bytes(_) => {}
    }
}

fn change_one(items: &mut [Constant], rng: &mut ChaCha8Rng) {
    let at = below(rng, items.len());
    if let Some(item) = items.get_mut(at) {
        change(item, rng);
    }
}

fn change_items(items: &mut Vec<Constant>, rng: &mut ChaCha8Rng) {
    let at = below(rng, items.len());
    match below(rng, 8) {
        0 => items.clear(),
        1 if !items.is_empty() => drop(items.remove(at)),
        2 if !items.is_empty() => items.insert(at, items[below(rng, items.len())].clone()),
        3 => items.reverse(),
        4 => items.rotate_left(at),
        _ => change_one(items, rng),
    }
}

/// A whole number near by, a small one, or the same with the other sign.
fn changed_number(number: &str, rng: &mut ChaCha8Rng) -> String {
    let Ok(known) = number.parse::<i64>() else {
        return number.to_owned();
    };
    let changed = match below(rng, 6) {
        0 => 0,
        1 => -known.saturating_abs().min(1000),
        2 => known.saturating_add(1),
        3 => known.saturating_sub(1),
        4 if known.abs() < 1000 => known * 2,
        _ => i64::from(rng.next_u32() % 20),
    };
    changed.to_string()
}

/// A string with a character less, more, or another; reversed, or empty.
fn changed_word(word: &str, rng: &mut ChaCha8Rng) -> String {
    let mut chars: Vec<char> = word.chars().collect();
    let at = below(rng, chars.len());
    let other = match below(rng, 3) {
        0 => ['a', 'Z', '0', ' ', 'é', '-', '('][below(rng, 7)],
        _ => chars.get(below(rng, chars.len())).copied().unwrap_or('a'),
    };
    match below(rng, 8) {
        0 => chars.clear(),
        1 => chars.reverse(),
        2 if !chars.is_empty() => drop(chars.remove(at)),
        3 if !chars.is_empty() => chars[at] = other,
        4 => chars.rotate_left(at),
        _ => chars.insert(at, other),
    }
    chars.into_iter().collect()
}

/// Standard input with a word changed, or a line left out, doubled or moved.
pub(super) fn changed_text(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = below(rng, lines.len());
    match below(rng, 12) {
        0 if lines.len() > 1 => drop(lines.remove(at)),
        1 if !lines.is_empty() => lines.insert(at, lines[at].clone()),
        2 => lines.reverse(),
        _ => {
            for _ in 0..=below(rng, 2) {
                let at = below(rng, lines.len());
                if let Some(line) = lines.get_mut(at) {
                    *line = changed_line(line, rng);
                }
            }
        }
    }
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn changed_line(line: &str, rng: &mut ChaCha8Rng) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let at = below(rng, words.len());
    if let Some(word) = words.get_mut(at) {
        *word = match word.parse::<i64>() {
            Ok(_) => changed_number(word, rng),
            Err(_) => changed_word(word, rng),
        };
    }
    words.join(" ")
}
