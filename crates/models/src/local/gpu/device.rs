//! A graphics device: memory, kernels, and steps one after another.
//!
//! In come numbers and texts of kernels in WGSL, out come handles to them; then steps, each a kernel over some
//! memory; and numbers are read back.
//! Every kernel has the same four bindings, three that are read and one that is written, and up to [`SIZES`] numbers
//! with each step, so that a step is one line for those who make networks of them.
//! The one hard thing is failure: a device tells what went wrong whenever it likes, not where it was asked. What it
//! tells is kept, and asked for by [`Device::check`] after each piece of work.
//!
//! What this file does not do: it knows no model.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use wgpu::{
    Adapter, Backends, BindGroupDescriptor, BindGroupEntry, BindGroupLayout,
    BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType,
    BufferDescriptor, BufferUsages, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor,
    ComputePipeline, ComputePipelineDescriptor, DeviceDescriptor, DeviceType, Features, Instance,
    InstanceDescriptor, MapMode, PipelineLayout, PipelineLayoutDescriptor, PollType, Queue,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use super::super::unusable;
use crate::ModelError;

/// Numbers that go with a step, at most.
const SIZES: usize = 8;

/// Whether the processor may imitate a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum Kind {
    Hardware,
    Software,
}

/// An open device.
pub(in crate::local) struct Device {
    handle: wgpu::Device,
    queue: Queue,
    bindings: BindGroupLayout,
    layout: PipelineLayout,
    /// What is bound where a kernel reads nothing.
    nothing: Buffer,
    name: String,
    /// Bytes that a kernel can have bound in one piece.
    pub(super) largest: usize,
    failure: Arc<Mutex<Option<String>>>,
}

/// A kernel, ready to run.
pub(super) struct Kernel(ComputePipeline);

/// Memory of the device.
#[derive(Clone)]
pub(super) struct Memory(Buffer);

/// Steps that are being written down.
pub(super) struct Steps<'a> {
    device: &'a Device,
    pass: ComputePass<'a>,
}

/// One step: a kernel over some memory.
pub(super) struct Step<'a> {
    pub(super) kernel: &'a Kernel,
    /// As the kernel's `Sizes` has them; floats by their bits.
    pub(super) sizes: &'a [u32],
    pub(super) given: [Option<&'a Memory>; 3],
    pub(super) results: &'a Memory,
    /// Groups of threads across and down.
    pub(super) groups: [usize; 2],
}

impl Device {
    /// Opens the device that promises most: one on a card, then one beside the processor.
    pub(in crate::local) fn open(kind: Kind) -> Result<Self, ModelError> {
        let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
        let instance = Instance::new(InstanceDescriptor {
            backends,
            ..InstanceDescriptor::new_without_display_handle()
        });
        let mut adapters = ready(instance.enumerate_adapters(backends))?;
        // The sort is stable: of equal ones the first that the system names.
        adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
        let wanted = |adapter: &&Adapter| {
            let software = adapter.get_info().device_type == DeviceType::Cpu;
            software == (kind == Kind::Software)
                && adapter.features().contains(Features::IMMEDIATES)
        };
        let Some(adapter) = adapters.iter().find(wanted) else {
            return Err(none_of(&adapters, kind));
        };
        let name = adapter.get_info().name;
        let (device, queue) = ready(adapter.request_device(&DeviceDescriptor {
            required_features: Features::IMMEDIATES,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        }))?
        .map_err(|error| unusable(format!("cannot open the device `{name}`: {error}"), None))?;
        let failure = Arc::new(Mutex::new(None));
        let told = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            told.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| error.to_string());
        }));
        let entries: Vec<BindGroupLayoutEntry> = (0..4)
            .map(|binding| BindGroupLayoutEntry {
                binding,
                visibility: ShaderStages::COMPUTE,
                ty: BindingType::Buffer {
                    ty: BufferBindingType::Storage {
                        read_only: binding < 3,
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let bindings = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: u32::try_from(4 * SIZES).unwrap_or(u32::MAX),
        });
        let nothing = device.create_buffer(&BufferDescriptor {
            label: None,
            size: 16,
            usage: BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let limits = device.limits();
        let bytes = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let largest = usize::try_from(bytes).unwrap_or(usize::MAX);
        let device = Device {
            handle: device,
            queue,
            bindings,
            layout,
            nothing,
            name,
            largest,
            failure,
        };
        device.check()?;
        Ok(device)
    }

    /// Groups of threads that a step can have in one direction.
    pub(super) fn groups(&self) -> usize {
        let limits = self.handle.limits();
        usize::try_from(limits.max_compute_workgroups_per_dimension).unwrap_or(usize::MAX)
    }

    /// A kernel of texts that stand one after another.
    pub(super) fn kernel(&self, texts: &[&str]) -> Kernel {
        let module = self.handle.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(Cow::Owned(texts.concat())),
        });
        Kernel(
            self.handle
                .create_compute_pipeline(&ComputePipelineDescriptor {
                    label: None,
                    layout: Some(&self.layout),
                    module: &module,
                    entry_point: None,
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                }),
        )
    }

    /// Memory for so many numbers of 32 bits, all of them 0.
    pub(super) fn room(&self, numbers: usize) -> Memory {
        self.memory(
            numbers,
            BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC,
        )
    }

    /// Memory that numbers are read back through.
    pub(super) fn reading_room(&self, numbers: usize) -> Memory {
        self.memory(numbers, BufferUsages::MAP_READ | BufferUsages::COPY_DST)
    }

    fn memory(&self, numbers: usize, usage: BufferUsages) -> Memory {
        Memory(self.handle.create_buffer(&BufferDescriptor {
            label: None,
            // Vectors of four are the largest thing that a kernel reads at once.
            size: 4 * numbers.next_multiple_of(4).max(4) as u64,
            usage,
            mapped_at_creation: false,
        }))
    }

    /// Memory with these numbers.
    pub(super) fn hold(&self, values: &[f32]) -> Memory {
        let memory = self.room(values.len());
        self.write(&memory, bytemuck::cast_slice(values));
        memory
    }

    /// Puts bytes at the beginning of memory, before any step that is run later.
    pub(super) fn write(&self, memory: &Memory, bytes: &[u8]) {
        self.queue.write_buffer(&memory.0, 0, bytes);
    }

    /// Runs steps, each after the one before it; returns before they are done.
    pub(super) fn run(&self, write: impl FnOnce(&mut Steps)) {
        let mut commands = self
            .handle
            .create_command_encoder(&CommandEncoderDescriptor { label: None });
        let pass = commands.begin_compute_pass(&ComputePassDescriptor {
            label: None,
            timestamp_writes: None,
        });
        let mut steps = Steps { device: self, pass };
        write(&mut steps);
        drop(steps);
        self.queue.submit([commands.finish()]);
    }

    /// The first numbers of some memory, after all steps, through memory of [`Device::reading_room`].
    pub(super) fn read(
        &self,
        memory: &Memory,
        through: &Memory,
        values: &mut [f32],
    ) -> Result<(), ModelError> {
        let bytes = 4 * values.len() as u64;
        let mut commands = self
            .handle
            .create_command_encoder(&CommandEncoderDescriptor { label: None });
        commands.copy_buffer_to_buffer(&memory.0, 0, &through.0, 0, bytes);
        self.queue.submit([commands.finish()]);
        through.0.map_async(MapMode::Read, ..bytes, |_| {});
        self.check()?;
        let view = through
            .0
            .get_mapped_range(..bytes)
            .map_err(|error| self.failed(&error.to_string()))?;
        bytemuck::cast_slice_mut(values).copy_from_slice(&view);
        drop(view);
        through.0.unmap();
        Ok(())
    }

    /// Waits for everything that was asked of the device, and says what went wrong since the last time.
    pub(super) fn check(&self) -> Result<(), ModelError> {
        self.queue.submit([]);
        let waited = self.handle.poll(PollType::wait_indefinitely());
        let told = self
            .failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (told, waited) {
            (Some(message), _) => Err(self.failed(&message)),
            (None, Err(error)) => Err(self.failed(&error.to_string())),
            (None, Ok(_)) => Ok(()),
        }
    }

    fn failed(&self, message: &str) -> ModelError {
        unusable(
            format!("the device `{}` failed: {message}", self.name),
            Some("where its memory does not suffice, take shorter texts, or the device `cpu`"),
        )
    }
}

impl Steps<'_> {
    /// One more step.
    pub(super) fn step(&mut self, step: &Step) {
        let device = self.device;
        let memory = step
            .given
            .map(|memory| memory.map_or(&device.nothing, |memory| &memory.0));
        let entries: Vec<BindGroupEntry> = (0..)
            .zip(memory.into_iter().chain([&step.results.0]))
            .map(|(binding, memory)| BindGroupEntry {
                binding,
                resource: memory.as_entire_binding(),
            })
            .collect();
        let group = device.handle.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &device.bindings,
            entries: &entries,
        });
        let mut sizes = [0; SIZES];
        sizes[..step.sizes.len()].copy_from_slice(step.sizes);
        let [across, down] = step
            .groups
            .map(|groups| u32::try_from(groups).unwrap_or(u32::MAX));
        self.pass.set_pipeline(&step.kernel.0);
        self.pass.set_bind_group(0, &group, &[]);
        self.pass.set_immediates(0, bytemuck::cast_slice(&sizes));
        self.pass.dispatch_workgroups(across, down, 1);
    }
}

/// The order in which devices are wanted.
fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// Why none of these will do.
fn none_of(adapters: &[Adapter], kind: Kind) -> ModelError {
    let found: Vec<String> = adapters
        .iter()
        .map(|adapter| {
            let info = adapter.get_info();
            let missing = if adapter.features().contains(Features::IMMEDIATES) {
                ""
            } else {
                ", without immediate data"
            };
            let software = if info.device_type == DeviceType::Cpu {
                ", which the processor imitates"
            } else {
                ""
            };
            format!("`{}` by {}{software}{missing}", info.name, info.backend)
        })
        .collect();
    let found = if found.is_empty() {
        "none at all".to_owned()
    } else {
        found.join("; ")
    };
    let (wanted, hint) = match kind {
        Kind::Hardware => (
            "graphics device",
            "install the driver of the device, on Linux with its Vulkan part (`vulkaninfo --summary` lists what \
             is there), or take the device `cpu`",
        ),
        Kind::Software => (
            "device that the processor imitates",
            "on Linux, install Mesa's (`mesa-vulkan-drivers` in Debian), or take the device `cpu`",
        ),
    };
    unusable(
        format!("no {wanted} can be used; found: {found}"),
        Some(hint),
    )
}

/// What a future of a native backend holds: there is nothing that it could wait for.
fn ready<F: Future>(future: F) -> Result<F::Output, ModelError> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err(unusable(
            "the graphics system does not answer".to_owned(),
            None,
        )),
    }
}
