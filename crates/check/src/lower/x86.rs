//! Machine code of x86-64 → text, in AT&T's notation.
//!
//! Two forms. [`strict`] writes one function, in a form that has no name and no address in it:
//!
//! - one instruction per line: mnemonic, a blank, operands joined by commas; no bytes, no comments;
//! - a jump inside of the function goes to a label, `.L0` and so on, numbered in the order of their addresses;
//! - other functions are `func_0` and so on, variables and constants `data_0`, both numbered by first
//!   appearance; `data_0+0x8` is something inside of a variable;
//! - instructions that only align the next one (`nop` with operands) are left out.
//!
//! [`listing`] writes the output of `objdump -d` for a stripped object, without its first two columns: that is the
//! form of CLARC's files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use iced_x86::{
    Decoder, DecoderOptions, Formatter as _, GasFormatter, Instruction, Mnemonic, OpKind,
    SymbolResolver, SymbolResult,
};
use object::elf;

use super::elf::{Extent, Image, Location, Relocation, SymbolNames};

/// The names of the operands of the current instruction; the formatter reads them while it writes.
#[derive(Debug, Default)]
struct Called {
    branch: Option<String>,
    displacement: Option<String>,
    immediate: Option<String>,
}

struct Resolver(Rc<RefCell<Called>>);

impl SymbolResolver for Resolver {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        instruction_operand: Option<u32>,
        address: u64,
        _address_size: u32,
    ) -> Option<SymbolResult<'_>> {
        let called = self.0.borrow();
        let name = match instruction.op_kind(instruction_operand?) {
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => &called.branch,
            OpKind::Memory => &called.displacement,
            _ => &called.immediate,
        };
        let name = name.clone()?;
        Some(SymbolResult::with_string(address, name))
    }
}

fn formatter(called: Option<Rc<RefCell<Called>>>) -> GasFormatter {
    let resolver = called.map(|called| Box::new(Resolver(called)) as Box<dyn SymbolResolver>);
    let mut formatter = GasFormatter::with_options(resolver, None);
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_branch_leading_zeros(false);
    options.set_rip_relative_addresses(true);
    options.set_gas_show_mnemonic_size_suffix(false);
    options.set_show_branch_size(false);
    options.set_space_after_operand_separator(false);
    options.set_show_zero_displacements(true);
    formatter
}

/// An instruction as GNU's disassembler writes it: iced's formatter differs in a few cases.
fn as_gnu(instruction: &Instruction, shifts_by_one: bool, line: &str) -> String {
    let mut line = line.trim_end().to_owned();
    // `(%rax,%rbx)` has its scale.
    if let Some(open) = line.rfind('(')
        && let Some(inside) = line.get(open + 1..)
        && let Some(close) = inside.find(')')
        && let Some(registers) = inside.get(..close)
        && registers.contains(',')
        && registers
            .split(',')
            .all(|register| register.starts_with('%'))
    {
        line.insert_str(open + 1 + close, ",1");
    }
    match instruction.mnemonic() {
        // A product into its own factor names it twice.
        Mnemonic::Imul
            if instruction.op_count() == 3
                && instruction.op1_kind() == OpKind::Register
                && instruction.op0_register() == instruction.op1_register() =>
        {
            if let Some((_, register)) = line.rsplit_once(',').map(|(a, b)| (a, b.to_owned()))
                && line.matches(',').count() == 1
            {
                line = format!("{line},{register}");
            }
        }
        // A shift by one that has no room for another number.
        Mnemonic::Sar
        | Mnemonic::Shr
        | Mnemonic::Shl
        | Mnemonic::Sal
        | Mnemonic::Rol
        | Mnemonic::Ror
        | Mnemonic::Rcl
        | Mnemonic::Rcr
            if shifts_by_one =>
        {
            line = line.replacen("$0x1,", "", 1);
        }
        // The stack has one width.
        Mnemonic::Push | Mnemonic::Pop => {
            for (wide, plain) in [("pushq ", "push "), ("popq ", "pop ")] {
                if let Some(rest) = line.strip_prefix(wide) {
                    let operands = rest.trim_start();
                    let blanks = if rest.len() > operands.len() {
                        " ".repeat(rest.len() - operands.len() + 1)
                    } else {
                        String::new()
                    };
                    line = format!("{plain}{blanks}{operands}");
                }
            }
        }
        _ => {}
    }
    line
}

fn instructions(code: &[u8], start: u64) -> Decoder<'_> {
    Decoder::with_ip(64, code, start, DecoderOptions::NONE)
}

/// Returns `true` if a relocation counts from its own position.
fn is_relative(kind: u32) -> bool {
    [
        elf::R_X86_64_PC32,
        elf::R_X86_64_PLT32,
        elf::R_X86_64_PC8,
        elf::R_X86_64_GOTPCREL,
        elf::R_X86_64_GOTPCRELX,
        elf::R_X86_64_REX_GOTPCRELX,
        elf::R_X86_64_GOTTPOFF,
        elf::R_X86_64_TLSGD,
        elf::R_X86_64_TLSLD,
    ]
    .iter()
    .any(|relative| relative.0 == kind)
}

/// The function in a section, in the strict form.
pub(super) fn strict(
    image: &Image<'_>,
    (section_index, extent): (usize, Extent),
    names: &mut SymbolNames,
) -> Option<String> {
    let section = image.sections.get(&section_index)?;
    let (start, end) = (extent.start, extent.start.checked_add(extent.size)?);
    let code = section
        .bytes
        .get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
    let relocation_in = |from: u64, to: u64| section.relocations.range(from..to).next();
    // The target of a branch: a label of the function, or a symbol outside of it.
    let leads_to = |instruction: &Instruction| -> Option<Location> {
        if !has_near_branch(instruction) {
            return None;
        }
        let next = instruction.next_ip();
        Some(match relocation_in(instruction.ip(), next) {
            Some((&offset, relocation)) => target_of(relocation, next - offset).0,
            None => Location::Inside(section_index, instruction.near_branch_target()),
        })
    };
    let is_call = |instruction: &Instruction| instruction.mnemonic() == Mnemonic::Call;
    let inside = |location: &Location| match *location {
        Location::Inside(of, at) if of == section_index && (start..end).contains(&at) => Some(at),
        _ => None,
    };
    let mut labels = BTreeMap::new();
    for instruction in &mut instructions(code, start) {
        if !is_call(&instruction)
            && let Some(at) = leads_to(&instruction).as_ref().and_then(inside)
        {
            labels.insert(at, 0);
        }
    }
    for (number, label) in labels.values_mut().enumerate() {
        *label = number;
    }
    let called = Rc::new(RefCell::new(Called::default()));
    let mut formatter = formatter(Some(called.clone()));
    let mut lines = Vec::new();
    let mut open = labels.iter().peekable();
    let mut decoder = instructions(code, start);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        while let Some((_, number)) = open.next_if(|(at, _)| **at <= instruction.ip()) {
            lines.push(format!(".L{number}:"));
        }
        if instruction.mnemonic() == Mnemonic::Nop && instruction.len() > 1 {
            continue;
        }
        let next = instruction.next_ip();
        let mut names_of = Called::default();
        if let Some(location) = leads_to(&instruction) {
            let label = inside(&location)
                .filter(|_| !is_call(&instruction))
                .and_then(|at| labels.get(&at));
            names_of.branch = Some(match label {
                Some(number) => format!(".L{number}"),
                None => names.function(image.owner(location).0),
            });
        }
        let offsets = decoder.get_constant_offsets(&instruction);
        let field = |offset: usize| {
            let offset = instruction.ip().saturating_add(offset as u64);
            section.relocations.get(&offset).map(|it| (offset, it))
        };
        if offsets.has_displacement() {
            names_of.displacement = match field(offsets.displacement_offset()) {
                Some((offset, relocation)) => {
                    let (location, extra) = target_of(relocation, next - offset);
                    Some(names.location(image, location, extra))
                }
                None if instruction.is_ip_rel_memory_operand() => {
                    let location =
                        Location::Inside(section_index, instruction.ip_rel_memory_address());
                    Some(names.location(image, location, 0))
                }
                None => None,
            };
        }
        if offsets.has_immediate() && names_of.branch.is_none() {
            names_of.immediate = field(offsets.immediate_offset()).map(|(offset, relocation)| {
                let (location, extra) = target_of(relocation, next - offset);
                names.location(image, location, extra)
            });
        }
        called.replace(names_of);
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        lines.push(as_gnu(&instruction, !offsets.has_immediate(), &line));
    }
    Some(lines.join("\n"))
}

fn has_near_branch(instruction: &Instruction) -> bool {
    instruction.op_count() > 0
        && matches!(
            instruction.op0_kind(),
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64
        )
}

/// The target of a relocation, and the remaining addend if the target is not in this object; `behind` is the
/// distance of its field from the end of the instruction.
fn target_of(relocation: &Relocation, behind: u64) -> (Location, i64) {
    let mut addend = relocation.addend;
    if is_relative(relocation.kind) {
        addend = addend.wrapping_add_unsigned(behind);
    }
    match relocation.symbol {
        Location::Inside(section, offset) => (
            Location::Inside(section, offset.wrapping_add_signed(addend)),
            0,
        ),
        elsewhere @ Location::Elsewhere(_) => (elsewhere, addend),
    }
}

/// Sections of code one after the other, or one function of them, as `objdump -d` lists a stripped object.
///
/// As in the older versions, a mnemonic without operands is filled up to its column; a second line of bytes, which
/// those versions print for an instruction of more than seven bytes, is empty.
pub(super) fn listing(image: &Image<'_>, only: Option<(usize, Extent)>) -> String {
    let mut formatter = formatter(None);
    formatter.options_mut().set_first_operand_char_index(7);
    let mut lines = Vec::new();
    for (index, section) in &image.sections {
        if !section.is_code {
            continue;
        }
        let (start, size) = match only {
            None => (0, section.bytes.len() as u64),
            Some((of, extent)) if of == *index => (extent.start, extent.size),
            Some(_) => continue,
        };
        let end = start.saturating_add(size);
        let range = usize::try_from(start).unwrap_or(usize::MAX)
            ..usize::try_from(end).unwrap_or(usize::MAX);
        let code = section.bytes.get(range).unwrap_or_default();
        let mut decoder = instructions(code, start);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let offsets = decoder.get_constant_offsets(&instruction);
            let mut line = String::new();
            formatter.format(&instruction, &mut line);
            let mut line = as_gnu(&instruction, !offsets.has_immediate(), &line);
            // `nop` and prefixes apart, GNU pads every mnemonic.
            if !line.contains(' ') && instruction.mnemonic() != Mnemonic::Nop {
                line = format!("{line:<6} ");
            }
            if instruction.is_ip_rel_memory_operand() {
                let address = instruction.ip_rel_memory_address();
                line = format!("{line}        # {address:#x}");
            }
            lines.push(line);
            lines.extend((7..instruction.len()).step_by(7).map(|_| String::new()));
        }
    }
    lines.join("\n")
}
