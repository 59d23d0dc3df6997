//! Secrets that let a rater in: shown once, stored as a hash.

use crate::error::StudyError;

/// Letters and digits that are not mistaken for one another; 32, so five bits each.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A new secret of 125 random bits, in five groups of five: `k7f3q-…`.
pub(crate) fn new() -> Result<String, StudyError> {
    let mut bytes = [0_u8; 25];
    getrandom::fill(&mut bytes)
        .map_err(|error| StudyError::Io(format!("the system has no random numbers: {error}")))?;
    let letters: Vec<char> = bytes
        .iter()
        .map(|byte| char::from(ALPHABET[usize::from(byte & 31)]))
        .collect();
    let groups: Vec<String> = letters
        .chunks(5)
        .map(|group| group.iter().collect())
        .collect();
    Ok(groups.join("-"))
}

/// The digest that is stored of a secret. Capitals, blanks and dashes do not matter.
pub(crate) fn hash(secret: &str) -> [u8; 32] {
    let plain: String = secret
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    blake3::derive_key("barecode 2026 token of a rater", plain.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_its_own() {
        let (a, b) = (new().unwrap(), new().unwrap());
        assert_eq!(a.len(), 29);
        assert_ne!(a, b);
        assert_eq!(hash(&a), hash(&a.to_uppercase().replace('-', " ")));
        assert_ne!(hash(&a), hash(&b));
    }
}
