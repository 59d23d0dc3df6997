//! The distributions behind p values: normal, Student's t, and the studentized range.
//!
//! Only what the tests of this crate need. The error function and the logarithm of gamma come from `libm`, so
//! the numbers are the same on every machine; the rest is written out here and compared with `scipy` to 1e-9.

mod normal;
mod scale;
mod student;
mod studentized_range;

pub(crate) use normal::{normal_cdf, normal_quantile, normal_sf};
pub(crate) use student::{bisect, power_of_t, t_quantile, t_sf, t_two_sided};
pub(crate) use studentized_range::{range_quantile, range_sf};
