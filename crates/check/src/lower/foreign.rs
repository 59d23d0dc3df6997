//! Machine code of `AArch64` and RISC-V → text, through the disassembler of GNU's binutils for that machine.
//!
//! The form is that of [`super::x86`]: one instruction a line, labels `.L0` for jumps inside of the function,
//! `func_0` and `data_0` for symbols outside. An operand that the linker fills in has the assembler's word for the
//! part of an address that it uses: `:lo12:data_0`, `%pcrel_hi(data_0)`.

use std::collections::BTreeMap;

use barecode_records::c::Machine;
use object::elf;

use super::elf::{Extent, Image, Location, Relocation, SymbolNames};

/// The arguments of the disassembler.
pub(super) const ARGUMENTS: &[&str] = &["-d", "--no-show-raw-insn", "-w", "-z", "unit.o"];

/// The printed instructions of each section of code, by location.
pub(super) type Printed = BTreeMap<usize, BTreeMap<u64, String>>;

/// Reads the output of the disassembler, which lists the sections of code in their order.
pub(super) fn read(image: &Image<'_>, printed: &str) -> Printed {
    let sections = image.sections.iter();
    let mut sections = sections.filter(|(_, section)| section.is_code && !section.bytes.is_empty());
    let mut all = Printed::new();
    let mut current = None;
    for line in printed.lines() {
        if line.starts_with("Disassembly of section ") {
            current = sections.next().map(|(index, _)| *index);
        } else if let Some((address, text)) = line.split_once(":\t")
            && let Ok(address) = u64::from_str_radix(address.trim(), 16)
            && let Some(section) = current
        {
            all.entry(section)
                .or_default()
                .insert(address, text.to_owned());
        }
    }
    all
}

/// A function in the strict form.
pub(super) fn strict(
    machine: Machine,
    image: &Image<'_>,
    printed: &Printed,
    (section_index, extent): (usize, Extent),
    names: &mut SymbolNames,
) -> Option<String> {
    let section = image.sections.get(&section_index)?;
    let end = extent.start.checked_add(extent.size)?;
    let lines = printed.get(&section_index)?.range(extent.start..end);
    let lines: Vec<(u64, &str)> = lines.map(|(at, line)| (*at, line.as_str())).collect();
    let relocation = |at: u64| section.relocations.get(&at);
    let leads_to = |at: u64, text: &str| -> Option<u64> {
        match relocation(at) {
            Some(relocation) if is_branch(relocation.kind, machine) => {
                match target_of(relocation) {
                    Location::Inside(of, to) if of == section_index => Some(to),
                    _ => None,
                }
            }
            Some(_) => None,
            None => branch_target(text),
        }
        .filter(|to| (extent.start..end).contains(to))
    };
    let is_call = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        matches!(word, "bl" | "blr" | "jal" | "jalr" | "call" | "c.jal")
    };
    let mut labels: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, text) in &lines {
        if !is_call(text)
            && let Some(to) = leads_to(*at, text)
        {
            labels.insert(to, 0);
        }
    }
    for (number, label) in labels.values_mut().enumerate() {
        *label = number;
    }
    let mut out = Vec::new();
    for (at, text) in &lines {
        if let Some(number) = labels.get(at) {
            out.push(format!(".L{number}:"));
        }
        let text = without_comment(text);
        let (mut word, operands) = text.split_once('\t').unwrap_or((text, ""));
        let operands = operands.trim();
        let operands = if let Some(to) = leads_to(*at, text).filter(|_| !is_call(text)) {
            let number = labels.get(&to)?;
            with_last(operands, &format!(".L{number}"))
        } else if let Some(relocation) = relocation(*at) {
            let name =
                |names: &mut SymbolNames| of_relocation(image, section_index, relocation, names);
            if word == "mv" {
                // An addition of the low part, which is still 0.
                word = "add";
                filled(
                    machine,
                    relocation.kind,
                    &format!("{operands},0"),
                    &name(names),
                )
            } else {
                filled(machine, relocation.kind, operands, &name(names))
            }
        } else if let Some(to) = branch_target(text) {
            let location = image.owner(Location::Inside(section_index, to)).0;
            with_last(operands, &names.function(location))
        } else {
            operands.to_owned()
        };
        out.push(format!("{word} {operands}").trim_end().replace(", ", ","));
    }
    Some(out.join("\n"))
}

fn target_of(relocation: &Relocation) -> Location {
    match relocation.symbol {
        Location::Inside(section, offset) => {
            Location::Inside(section, offset.wrapping_add_signed(relocation.addend))
        }
        elsewhere @ Location::Elsewhere(_) => elsewhere,
    }
}

/// The name of the operand of a relocation.
fn of_relocation(
    image: &Image<'_>,
    section: usize,
    relocation: &Relocation,
    names: &mut SymbolNames,
) -> String {
    let mut relocation = *relocation;
    let low = [elf::R_RISCV_PCREL_LO12_I.0, elf::R_RISCV_PCREL_LO12_S.0];
    // The low part of an address points at the instruction that uses the high part.
    if low.contains(&relocation.kind)
        && let Location::Inside(of, at) = target_of(&relocation)
        && of == section
        && let Some(high) = image
            .sections
            .get(&section)
            .and_then(|section| section.relocations.get(&at))
    {
        relocation = *high;
    }
    let calls = [
        elf::R_AARCH64_CALL26.0,
        elf::R_AARCH64_JUMP26.0,
        elf::R_RISCV_CALL.0,
        elf::R_RISCV_CALL_PLT.0,
        elf::R_RISCV_JAL.0,
    ];
    let location = target_of(&relocation);
    if calls.contains(&relocation.kind) {
        return names.function(image.owner(location).0);
    }
    let extra = match location {
        Location::Inside(..) => 0,
        Location::Elsewhere(_) => relocation.addend,
    };
    names.location(image, location, extra)
}

fn is_branch(kind: u32, machine: Machine) -> bool {
    let kinds: &[u32] = match machine {
        Machine::Riscv64 => &[
            elf::R_RISCV_BRANCH.0,
            elf::R_RISCV_JAL.0,
            elf::R_RISCV_RVC_BRANCH.0,
            elf::R_RISCV_RVC_JUMP.0,
        ],
        Machine::Aarch64 => &[elf::R_AARCH64_JUMP26.0, elf::R_AARCH64_CONDBR19.0],
        Machine::X86_64 => &[],
    };
    kinds.contains(&kind)
}

/// Operands with the name at the location that the linker would fill in.
fn filled(machine: Machine, kind: u32, operands: &str, name: &str) -> String {
    match machine {
        Machine::Riscv64 => match kind {
            _ if kind == elf::R_RISCV_PCREL_HI20.0 => {
                with_last(operands, &format!("%pcrel_hi({name})"))
            }
            _ if kind == elf::R_RISCV_GOT_HI20.0 => {
                with_last(operands, &format!("%got_pcrel_hi({name})"))
            }
            _ if kind == elf::R_RISCV_PCREL_LO12_I.0 || kind == elf::R_RISCV_PCREL_LO12_S.0 => {
                with_low(operands, &format!("%pcrel_lo({name})"))
            }
            _ => with_last(operands, name),
        },
        _ => match kind {
            _ if kind == elf::R_AARCH64_CALL26.0
                || kind == elf::R_AARCH64_JUMP26.0
                || kind == elf::R_AARCH64_ADR_PREL_PG_HI21.0 =>
            {
                with_last(operands, name)
            }
            _ if kind == elf::R_AARCH64_ADR_GOT_PAGE.0 => {
                with_last(operands, &format!(":got:{name}"))
            }
            _ if kind == elf::R_AARCH64_LD64_GOT_LO12_NC.0 => {
                with_low(operands, &format!(":got_lo12:{name}"))
            }
            _ => with_low(operands, &format!(":lo12:{name}")),
        },
    }
}

/// Operands with another last one.
fn with_last(operands: &str, last: &str) -> String {
    match operands.rsplit_once(',') {
        Some((before, _)) => format!("{before},{last}"),
        None => last.to_owned(),
    }
}

/// Operands with another offset: inside of brackets, before parentheses, or the last one.
fn with_low(operands: &str, low: &str) -> String {
    if let Some((before, inside)) = operands.rsplit_once('[') {
        let register = inside.trim_end_matches(']');
        let register = register.split(',').next().unwrap_or(register);
        return format!("{before}[{register},{low}]");
    }
    if let Some((before, register)) = operands.rsplit_once('(') {
        let before = before.rsplit_once(',').map_or("", |(before, _)| before);
        return format!("{before},{low}({register}");
    }
    with_last(operands, low)
}

/// The address in front of `<…>` at the end of a line: where a jump or call leads.
fn branch_target(text: &str) -> Option<u64> {
    let text = without_comment(text);
    let before = text.strip_suffix('>')?.rsplit_once(" <")?.0;
    let address = before.rsplit([',', ' ', '\t']).next()?;
    u64::from_str_radix(address.trim_start_matches("0x"), 16).ok()
}

fn without_comment(text: &str) -> &str {
    let text = text.split("// ").next().unwrap_or(text);
    let text = text.split(" # ").next().unwrap_or(text);
    text.trim_end()
}
