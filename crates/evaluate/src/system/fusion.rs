//! The fusion of the lists of several systems into one.

use std::str::FromStr;

use barecode_retrieval::Fusion;

/// The method by which lists become one: `rrf`, `rrf:K`, `z-score`, `convex`, `convex:0.3,0.7`.
#[derive(Debug, Clone, PartialEq)]
pub struct FusionConfig {
    method: Fusion,
    weights: Vec<f64>,
}

impl FusionConfig {
    /// A method with the weights of the lists; all count alike without weights.
    ///
    /// # Errors
    /// A message if the method has no weights, one is not a number from 0 up, or they do not add up to 1 where they must.
    pub fn new(method: Fusion, weights: Vec<f64>) -> Result<Self, String> {
        if let Some(wrong) = weights.iter().find(|it| !(it.is_finite() && **it >= 0.0)) {
            return Err(format!("the weight {wrong} is not a number from 0 up"));
        }
        if !weights.is_empty() {
            match method {
                Fusion::ReciprocalRank { .. } => return Err("rrf has no weights".to_owned()),
                Fusion::MinMax if (weights.iter().sum::<f64>() - 1.0).abs() > 1e-6 => {
                    return Err("the weights of a convex combination add up to 1".to_owned());
                }
                Fusion::MinMax | Fusion::ZScore => {}
            }
        }
        Ok(FusionConfig { method, weights })
    }

    /// The method that makes scores comparable.
    pub fn method(&self) -> Fusion {
        self.method
    }

    /// The weights of the lists, in their order; none where all count alike.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The method without weights: `rrf`, `rrf:10`, `z-score`, `convex`.
    pub(super) fn method_name(&self) -> String {
        match self.method {
            Fusion::ReciprocalRank { k } if k.to_bits() == 60.0_f64.to_bits() => "rrf".to_owned(),
            Fusion::ReciprocalRank { k } => format!("rrf:{k}"),
            Fusion::MinMax => "convex".to_owned(),
            Fusion::ZScore => "z-score".to_owned(),
        }
    }
}

impl FromStr for FusionConfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let numbers: Result<Vec<f64>, String> = rest
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(|part| {
                let number = part.trim().parse::<f64>().ok();
                number
                    .filter(|number| number.is_finite() && *number >= 0.0)
                    .ok_or_else(|| format!("`{part}` is not a number from 0 up"))
            })
            .collect();
        let numbers = numbers?;
        match kind {
            "rrf" => match numbers[..] {
                [] => FusionConfig::new(Fusion::ReciprocalRank { k: 60.0 }, Vec::new()),
                [k] => FusionConfig::new(Fusion::ReciprocalRank { k }, Vec::new()),
                _ => Err("rrf has one number, k: `rrf:60`".to_owned()),
            },
            "z-score" => FusionConfig::new(Fusion::ZScore, numbers),
            "convex" => FusionConfig::new(Fusion::MinMax, numbers),
            _ => Err("lists are fused by rrf, rrf:K, z-score or convex[:W,W,…]".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_fuse_are_read() {
        let read = |text: &str| text.parse::<FusionConfig>();
        assert_eq!(
            read("rrf").unwrap().method(),
            Fusion::ReciprocalRank { k: 60.0 }
        );
        assert_eq!(
            read("rrf:10").unwrap().method(),
            Fusion::ReciprocalRank { k: 10.0 }
        );
        let convex = read("convex:0.3,0.7").unwrap();
        assert_eq!(convex.method(), Fusion::MinMax);
        assert_eq!(convex.weights(), [0.3, 0.7]);
        assert!(read("z-score").unwrap().weights().is_empty());
        for wrong in ["rrf:1,2", "convex:0.3,0.3", "convex:-1,2", "sum", "rrf:x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
