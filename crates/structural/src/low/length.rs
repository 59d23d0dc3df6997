//! How many bytes an instruction takes, as the GNU assembler writes it.
//!
//! A listing of a stripped object has jumps to addresses but no addresses of its own lines. With the lengths of the
//! instructions the targets are found again. An instruction that is not known well here is guessed; see
//! [`layout`](super::layout) for how guesses are set right.

use super::instruction::{Instruction, Kind, Memory, Operand, Register};
use super::operation::Verb;

fn fits_byte(number: i64) -> bool {
    i8::try_from(number).is_ok()
}

/// The bytes of an operand in memory, with the byte that says how it is addressed.
fn memory_bytes(memory: &Memory<'_>) -> u64 {
    let Some(base) = memory.base else {
        return 6;
    };
    if base.kind == Kind::Pointer {
        return 5;
    }
    let sib = u64::from(memory.index.is_some() || base.number & 7 == 4);
    let displacement = match memory.displacement {
        None if memory.symbol.is_some() => 4,
        None => 0,
        Some(number) if fits_byte(number) => 1,
        Some(_) => 4,
    };
    1 + sib + displacement
}

fn registers<'a>(instruction: &'a Instruction<'_>) -> impl Iterator<Item = (Register, bool)> + 'a {
    instruction
        .operands
        .iter()
        .flat_map(|operand| match operand {
            Operand::Register(register) => [Some((*register, false)), None],
            Operand::Memory(memory) => [
                memory.base.map(|register| (register, true)),
                memory.index.map(|register| (register, true)),
            ],
            _ => [None, None],
        })
        .flatten()
}

/// The bytes of an instruction; a jump is `near` if its target is too far for one byte.
pub(super) fn of(instruction: &Instruction<'_>, verb: Verb, width: u8, near: bool) -> u64 {
    let operands = &instruction.operands;
    let prefixes = u64::from(instruction.prefixes);
    // The operand that has an addressing byte.
    let in_memory = operands.iter().find_map(|operand| match operand {
        Operand::Memory(memory) => Some(memory),
        _ => None,
    });
    let address = in_memory.map_or(1, memory_bytes);
    let segment = u64::from(in_memory.is_some_and(|memory| memory.segment));
    let is_any_new = registers(instruction).any(|(register, _)| {
        matches!(register.kind, Kind::General | Kind::Vector) && register.number >= 8
    });
    let general = operands.iter().find_map(|operand| match operand {
        Operand::Register(register) if register.kind == Kind::General => Some(*register),
        _ => None,
    });
    let last = match operands.last() {
        Some(Operand::Register(register)) => Some(*register),
        _ => None,
    };
    let stated = if width > 0 { width } else { 0 };
    let bytes = match (stated, last, general) {
        (0, Some(last), _) if last.kind == Kind::General => last.bytes,
        (0, _, Some(general)) => general.bytes,
        (0, _, None) => {
            in_memory.map_or(4, |memory| if memory.bytes > 0 { memory.bytes } else { 4 })
        }
        (stated, _, _) => stated,
    };
    let needs_low = operands.iter().any(|operand| {
        matches!(operand, Operand::Register(register) if register.kind == Kind::General
            && register.bytes == 1 && !register.is_high && (4..8).contains(&register.number))
    });
    let rex = u64::from(bytes == 8 || is_any_new || needs_low);
    let light_rex = u64::from(is_any_new || needs_low);
    let short = u64::from(bytes == 2);
    let immediate = operands.iter().find_map(|operand| match operand {
        Operand::Immediate(number) => Some(*number),
        Operand::Symbol(_) => Some(i64::from(i32::MAX)),
        _ => None,
    });
    let wide_immediate = match bytes {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let start = prefixes + segment;
    let mnemonic = instruction.mnemonic;
    let is_avx = mnemonic.starts_with('v');
    if is_avx {
        return start + 4 + address + u64::from(immediate.is_some());
    }
    match verb {
        Verb::Nothing => match mnemonic {
            "endbr64" | "endbr32" => 4,
            "nop" if operands.is_empty() => start + 1,
            "nop" | "nopw" | "nopl" => {
                start + u64::from(mnemonic == "nopw") + 2 + light_rex + address
            }
            "mfence" | "lfence" | "sfence" => 3,
            "pause" => 2,
            _ if mnemonic.starts_with("prefetch") => 2 + light_rex + address,
            _ => 1,
        },
        Verb::Return | Verb::Leave => start + 1,
        Verb::Stop => {
            if mnemonic == "hlt" {
                1
            } else {
                2
            }
        }
        Verb::Goto | Verb::Jump(_) | Verb::Call if instruction.is_indirect => {
            start + 1 + light_rex + address
        }
        Verb::Call => start + 5,
        Verb::Goto => start + if near { 5 } else { 2 },
        Verb::Jump(_) => start + if near { 6 } else { 2 },
        Verb::Push | Verb::Pop => match operands.first() {
            Some(Operand::Immediate(number)) => start + if fits_byte(*number) { 2 } else { 5 },
            Some(Operand::Memory(_)) => start + 1 + light_rex + address,
            _ => start + 1 + light_rex,
        },
        Verb::Move => match (immediate, in_memory) {
            _ if mnemonic == "movabs" => start + 10,
            (Some(_), None) if bytes == 8 => start + 7,
            (Some(_), None) if bytes == 1 => start + rex + 2,
            (Some(_), None) => start + rex + short + 1 + wide_immediate,
            (Some(_), Some(_)) => start + rex + short + 1 + address + wide_immediate,
            _ => start + rex + short + 1 + address,
        },
        Verb::LoadAddress => start + rex + short + 1 + address,
        Verb::Binary(op) if is_shift(op) => {
            let plus = match immediate {
                Some(1) | None => 0,
                Some(_) => 1,
            };
            let two = u64::from(mnemonic.starts_with("shld") || mnemonic.starts_with("shrd"));
            start + rex + short + 1 + two + address + plus
        }
        Verb::Binary(_) | Verb::Carry(_) | Verb::Compare => match immediate {
            Some(number) if bytes != 1 && is_short_immediate(number, bytes) => {
                start + rex + short + 1 + address + 1
            }
            Some(_) if is_accumulator(last) => start + rex + short + 1 + wide_immediate,
            Some(_) => start + rex + short + 1 + address + wide_immediate,
            None => start + rex + short + 1 + address,
        },
        Verb::Test => match immediate {
            Some(_) if is_accumulator(last) => start + rex + short + 1 + wide_immediate,
            Some(_) => start + rex + short + 1 + address + wide_immediate,
            None => start + rex + short + 1 + address,
        },
        Verb::Step(_) | Verb::Divide(_) => start + rex + short + 1 + address,
        Verb::Unary(super::graph::Op::SwapBytes) => start + rex + 2,
        Verb::Unary(_) => start + rex + short + 1 + address,
        Verb::Multiply(_) => match (operands.len(), immediate) {
            (_, Some(number)) if fits_byte(number) => start + rex + short + 1 + address + 1,
            (_, Some(_)) => start + rex + short + 1 + address + wide_immediate,
            (1, None) => start + rex + short + 1 + address,
            _ => start + rex + short + 2 + address,
        },
        Verb::Extend(4, _) => start + rex + 1 + address,
        Verb::Extend(_, _) | Verb::Select(_) => start + rex + short + 2 + address,
        Verb::Set(_) => start + light_rex + 2 + address,
        Verb::Made(_) => {
            let prefix = u64::from(!mnemonic.starts_with("bs"));
            start + prefix + rex + 2 + address
        }
        Verb::Bit(_) => start + rex + 2 + address + u64::from(immediate.is_some()),
        Verb::Widen(bytes) => {
            if bytes == 8 {
                2
            } else {
                u64::from(bytes == 2) + 1
            }
        }
        Verb::FillSign(bytes) => {
            if bytes == 8 {
                2
            } else {
                u64::from(bytes == 2) + 1
            }
        }
        Verb::Exchange => start + rex + short + 1 + u64::from(mnemonic != "xchg") + address,
        Verb::StringMove(_) | Verb::StringStore(_) | Verb::StringScan(_) => {
            prefixes + 1 + u64::from(bytes == 8)
        }
        Verb::FloatMove(_)
        | Verb::Float(..)
        | Verb::FloatCompare(_)
        | Verb::FloatLogic(_)
        | Verb::FromInteger(_)
        | Verb::ToInteger
        | Verb::ToPrecision(_)
        | Verb::Packed => {
            let wide = match (verb, general) {
                (Verb::FloatMove(_) | Verb::ToInteger | Verb::FromInteger(_), Some(general)) => {
                    general.bytes == 8
                }
                (Verb::FromInteger(_) | Verb::ToInteger, None) => {
                    width == 8 || mnemonic.ends_with('q')
                }
                _ => false,
            };
            let rex = u64::from(wide || is_any_new);
            let no_prefix = [
                "movaps", "movups", "xorps", "andps", "orps", "andnps", "comiss", "ucomiss",
                "unpcklps", "unpckhps", "shufps", "movlps", "movhps", "movhlps", "cvtps2pd",
                "cvtdq2ps", "addps", "subps", "mulps", "divps", "minps", "maxps", "sqrtps",
            ];
            let prefix = u64::from(!no_prefix.contains(&mnemonic));
            let round = u64::from(mnemonic.starts_with("round"));
            start + prefix + rex + 2 + round + address + u64::from(immediate.is_some())
        }
        Verb::OldFloat => match in_memory {
            Some(_) => start + light_rex + 1 + address,
            None => start + if mnemonic == "fwait" { 1 } else { 2 },
        },
        Verb::Other => start + rex + 2 + u64::from(!operands.is_empty()) * address,
    }
}

fn is_shift(op: super::graph::Op) -> bool {
    use super::graph::Op::{Rotate, ShiftLeft, ShiftRight, ShiftSign};
    matches!(op, ShiftLeft | ShiftRight | ShiftSign | Rotate)
}

/// Whether an immediate is written in one byte, which the processor widens with its sign.
fn is_short_immediate(number: i64, bytes: u8) -> bool {
    let widened = match bytes {
        2 => i64::from(number as i16),
        4 => i64::from(number as i32),
        _ => number,
    };
    fits_byte(widened)
}

/// Whether the operand is `al`, `ax`, `eax` or `rax`, for which there is a shorter form.
fn is_accumulator(register: Option<Register>) -> bool {
    register.is_some_and(|register| {
        register.kind == Kind::General && register.number == 0 && !register.is_high
    })
}
