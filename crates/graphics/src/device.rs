//! `cuda`, `metal:1` → a device that computes, or why there is none.
//!
//! Drivers are loaded when a device is asked for, so one program runs with and without them. The framework panics where a
//! driver is missing or refuses; here that is an error with a hint.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::str::FromStr;

use barecode_models::ModelError;
use burn_tensor::{Device as Inner, DeviceType, Tensor};

/// What a device cannot do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphicsError {
    /// The name of a device is not known.
    #[error("unknown device `{0}`; use {names}, with a number for another than the first (`cuda:1`)", names = Api::names())]
    Unknown(String),
    /// This program was built without it.
    #[error("this program was built without {0}")]
    NotBuilt(Api),
    /// The device is missing, or its driver refuses.
    #[error("device {device} is not available: {why}")]
    Missing {
        /// As it was asked for.
        device: String,
        /// What the driver or the framework said.
        why: String,
    },
    /// Its vectors are not the processor's.
    #[error(
        "vectors from {device} differ from the processor's by up to {difference}, which is too much"
    )]
    Differs {
        /// As it was asked for.
        device: String,
        /// The greatest difference of two numbers.
        difference: String,
    },
    /// It stopped while it computed; mostly for want of memory.
    #[error("{device} stopped: {why}")]
    Stopped {
        /// As it was asked for.
        device: String,
        /// What the framework said.
        why: String,
    },
}

impl GraphicsError {
    /// What can be done.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown(_) => String::new(),
            Self::NotBuilt(api) => format!(
                "build it with `cargo build --release --features {api}`, or omit the device to compute on the processor"
            ),
            Self::Missing { .. } => {
                "check that its driver is installed and that this user may use it, or omit the device to compute on the processor".to_owned()
            }
            Self::Differs { .. } => {
                "try a newer driver or another interface (cuda, metal, wgpu), or omit the device to compute on the processor".to_owned()
            }
            Self::Stopped { .. } => {
                "it may have too little memory: read fewer tokens of a text (`max-length`, `--max-length`), or train in smaller chunks (`--chunk-tokens`)".to_owned()
            }
        }
    }
}

impl From<GraphicsError> for ModelError {
    fn from(error: GraphicsError) -> Self {
        ModelError::Unusable {
            message: error.to_string(),
            hint: Some(error.hint()).filter(|hint| !hint.is_empty()),
        }
    }
}

/// How a device is talked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// NVIDIA's.
    Cuda,
    /// Apple's.
    Metal,
    /// Any that `wgpu` finds a driver for: Vulkan, DirectX 12, Metal or OpenGL, drivers that compute on the processor
    /// among them.
    Wgpu,
    /// The framework's own products on the processor, for tests.
    Flex,
}

impl Api {
    const ALL: [Api; 4] = [Api::Cuda, Api::Metal, Api::Wgpu, Api::Flex];

    fn name(self) -> &'static str {
        match self {
            Api::Cuda => "cuda",
            Api::Metal => "metal",
            Api::Wgpu => "wgpu",
            Api::Flex => "flex",
        }
    }

    fn names() -> String {
        let real = Api::ALL.iter().filter(|api| **api != Api::Flex);
        let names: Vec<String> = real.map(|api| format!("`{api}`")).collect();
        names.join(", ")
    }

    /// The kind in the framework's words; `None` where this program was built without it.
    fn kind(self) -> Option<DeviceType> {
        match self {
            #[cfg(feature = "cuda")]
            Api::Cuda => Some(DeviceType::Cuda),
            #[cfg(feature = "metal")]
            Api::Metal => Some(DeviceType::Metal),
            #[cfg(feature = "wgpu")]
            Api::Wgpu => Some(DeviceType::Wgpu),
            #[cfg(feature = "flex")]
            Api::Flex => Some(DeviceType::Flex),
            #[cfg(not(feature = "cuda"))]
            Api::Cuda => None,
            #[cfg(not(feature = "metal"))]
            Api::Metal => None,
            #[cfg(not(feature = "wgpu"))]
            Api::Wgpu => None,
            #[cfg(not(feature = "flex"))]
            Api::Flex => None,
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Api {
    type Err = GraphicsError;

    fn from_str(text: &str) -> Result<Self, GraphicsError> {
        let found = Api::ALL.into_iter().find(|api| api.name() == text);
        found.ok_or_else(|| GraphicsError::Unknown(text.to_owned()))
    }
}

/// A device that has computed something already.
#[derive(Debug, Clone)]
pub struct Device {
    name: String,
    pub(crate) inner: Inner,
}

impl Device {
    /// Opens `API` or `API:NUMBER`, numbers from 0 in the driver's order.
    ///
    /// # Errors
    /// A name that is none, an interface this program was built without, a device that is not there or does not compute.
    pub fn open(name: &str) -> Result<Self, GraphicsError> {
        let unknown = || GraphicsError::Unknown(name.to_owned());
        let (api, number) = match name.split_once(':') {
            None => (name, 0),
            Some((api, number)) => (api, number.parse().map_err(|_| unknown())?),
        };
        let api: Api = api.parse().map_err(|_| unknown())?;
        let kind = api.kind().ok_or(GraphicsError::NotBuilt(api))?;
        let missing = |why: String| GraphicsError::Missing {
            device: name.to_owned(),
            why,
        };
        let found = quietly(|| {
            let all = Inner::enumerate(kind).into_vec();
            let count = all.len();
            let inner: Option<Inner> = all.into_iter().nth(number);
            let two = inner.as_ref().map(|inner| {
                let one = Tensor::<1>::ones([1], inner);
                (one.clone() + one).try_into_data()
            });
            (count, inner, two)
        });
        match found.map_err(missing)? {
            (_, Some(inner), Some(Ok(two))) if two.try_to_vec::<f32>().ok() == Some(vec![2.0]) => {
                Ok(Device {
                    name: name.to_owned(),
                    inner,
                })
            }
            (_, _, Some(Err(error))) => Err(missing(error.to_string())),
            (_, Some(_), _) => Err(missing("a test addition gave a wrong result".to_owned())),
            (0, None, _) => Err(missing("the driver lists no devices".to_owned())),
            (count, None, _) => Err(missing(format!(
                "the driver lists {count}, numbered from 0"
            ))),
        }
    }

    /// As it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What stopped it, with what it said.
    pub(crate) fn stopped(&self, why: impl fmt::Display) -> GraphicsError {
        GraphicsError::Stopped {
            device: self.name.clone(),
            why: why.to_string(),
        }
    }
}

/// The same as [`caught`], and nothing is printed of a panic: that a driver is missing is an answer here.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let usual = take_hook();
    set_hook(Box::new(|_| ()));
    let found = caught(work);
    set_hook(usual);
    found
}

/// What `work` gives, or the first line of its panic that says something.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        // Some messages of the framework begin with a line of decoration.
        let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("===");
        let first = text.and_then(|text| text.lines().find(says));
        first.unwrap_or("it did not say why").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_none_is_refused() {
        for name in ["gpu", "cuda:x", "", "CUDA", "flex:1:2"] {
            let error = Device::open(name).unwrap_err();
            assert_eq!(error, GraphicsError::Unknown(name.to_owned()));
            assert!(error.to_string().contains("`cuda`"), "{error}");
        }
    }

    #[test]
    fn one_that_is_not_there_is_named() {
        let error = Device::open("flex:7").unwrap_err();
        assert!(matches!(&error, GraphicsError::Missing { device, .. } if device == "flex:7"));
        assert!(!error.hint().is_empty());
    }

    #[test]
    fn a_panic_is_reported_by_the_line_that_says_something() {
        let found = quietly(|| -> () { panic!("=== Error ===\n\n  too large\n") });
        assert_eq!(found, Err("  too large".to_owned()));
        assert_eq!(quietly(|| 2), Ok(2));
    }

    #[test]
    fn the_frameworks_own_device_computes() {
        assert_eq!(Device::open("flex").unwrap().name(), "flex");
    }
}
