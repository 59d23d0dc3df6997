//! The reasons why a statistic was refused.
//!
//! Statistics refuse values that have no meaning rather than return not-a-number: a value that is not finite, columns
//! of different lengths, a share outside its range. A value that is merely *undefined* for good data (the correlation
//! of a constant column, the test of one value) is not an error: it is `None` in the result, and the file of the
//! statistic documents when.

/// The error of the given numbers.
///
/// ```
/// use barecode_scores::{Bootstrap, Method, StatisticsError};
/// let bootstrap = Bootstrap { resamples: 100, confidence: 0.95, seed: 1 };
/// let error = bootstrap.mean(&[0.5, f64::NAN], Method::Bca).unwrap_err();
/// assert!(matches!(error, StatisticsError::NotFinite { index: 1, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// A value is infinite or not a number.
    #[error("{column}: value {value} at position {index} is not finite")]
    NotFinite {
        /// The name of the column.
        column: &'static str,
        /// The position in it, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Two columns that belong together differ in length.
    #[error(
        "{first} has {n_first} values and {second} has {n_second}: they need one value per query, in the same order"
    )]
    Lengths {
        /// The name of one column.
        first: &'static str,
        /// Its length.
        n_first: usize,
        /// The name of the other column.
        second: &'static str,
        /// Its length.
        n_second: usize,
    },
    /// There are fewer items than the statistic needs.
    #[error("{what}: {n} given, at least {needed} needed")]
    TooFew {
        /// The name of the items.
        what: &'static str,
        /// The number of items.
        n: usize,
        /// The number of items that are needed.
        needed: usize,
    },
    /// An argument is outside its range.
    #[error("{what} is {value}, expected {range}")]
    Range {
        /// The name of the argument.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range that it can have.
        range: &'static str,
    },
}

impl StatisticsError {
    /// An argument that is outside its range.
    pub(crate) fn range(what: &'static str, value: f64, range: &'static str) -> Self {
        StatisticsError::Range { what, value, range }
    }

    /// The advice to the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StatisticsError::NotFinite { .. } => Some(
                "leave a query without a value out of all columns, or count it as 0, before comparing",
            ),
            StatisticsError::Lengths { .. } => Some("join the two by query id first"),
            StatisticsError::TooFew { .. } | StatisticsError::Range { .. } => None,
        }
    }
}

/// Refuses fewer items than are needed.
pub(crate) fn enough(what: &'static str, n: usize, needed: usize) -> Result<(), StatisticsError> {
    if n >= needed {
        return Ok(());
    }
    Err(StatisticsError::TooFew { what, n, needed })
}

/// Refuses a column with values that are not finite.
pub(crate) fn finite(column: &'static str, values: &[f64]) -> Result<(), StatisticsError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(StatisticsError::NotFinite {
            column,
            index,
            value: values[index],
        }),
    }
}

/// Refuses columns of different lengths, and values in them that are not finite.
pub(crate) fn paired(
    first: (&'static str, &[f64]),
    second: (&'static str, &[f64]),
) -> Result<(), StatisticsError> {
    same_length((first.0, first.1.len()), (second.0, second.1.len()))?;
    finite(first.0, first.1)?;
    finite(second.0, second.1)
}

/// Refuses lists of different lengths.
pub(crate) fn same_length(
    first: (&'static str, usize),
    second: (&'static str, usize),
) -> Result<(), StatisticsError> {
    if first.1 == second.1 {
        return Ok(());
    }
    Err(StatisticsError::Lengths {
        first: first.0,
        n_first: first.1,
        second: second.0,
        n_second: second.1,
    })
}

/// Refuses a share that is not strictly between 0 and 1.
pub(crate) fn share(what: &'static str, value: f64) -> Result<(), StatisticsError> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(StatisticsError::range(
        what,
        value,
        "a number between 0 and 1, both excluded",
    ))
}
