//! The length of an instruction in bytes, as the GNU assembler writes it.
//!
//! A listing of a stripped object has jumps to addresses but no addresses of its own lines. With the lengths of the
//! instructions the targets are found again. The length of an instruction that is not well known is guessed;
//! [`layout`](super::layout) corrects the guesses.

use super::graph::Op;
use super::instruction::{Instruction, Kind, Memory, Operand, Register};
use super::operation::Verb;

fn fits_byte(number: i64) -> bool {
    i8::try_from(number).is_ok()
}

/// The bytes of an operand in memory, with the addressing byte.
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

fn registers<'a>(instruction: &'a Instruction<'_>) -> impl Iterator<Item = Register> + 'a {
    let of = |operand: &Operand<'_>| match operand {
        Operand::Register(register) => [Some(*register), None],
        Operand::Memory(memory) => [memory.base, memory.index],
        _ => [None, None],
    };
    instruction.operands.iter().flat_map(of).flatten()
}

/// The parts that the length of an instruction consists of.
struct Encoding<'i, 'a> {
    instruction: &'i Instruction<'a>,
    /// The width in the mnemonic, or 0, and the width of the operation.
    stated: u8,
    bytes: u8,
    /// Prefixes, that of a segment included.
    start: u64,
    /// The prefix for new registers and low bytes, and for them or eight bytes.
    light_rex: u64,
    rex: u64,
    /// The prefix for two bytes.
    short: u64,
    /// The operand that has an addressing byte, with it.
    address: u64,
    in_memory: Option<&'i Memory<'a>>,
    general: Option<Register>,
    immediate: Option<i64>,
}

impl<'i, 'a> Encoding<'i, 'a> {
    fn new(instruction: &'i Instruction<'a>, stated: u8) -> Self {
        let operands = &instruction.operands;
        let in_memory = operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        let general = operands.iter().find_map(|operand| match operand {
            Operand::Register(register) if register.kind == Kind::General => Some(*register),
            _ => None,
        });
        let bytes = match (operands.last(), general, in_memory) {
            _ if stated > 0 => stated,
            (Some(Operand::Register(last)), _, _) if last.kind == Kind::General => last.bytes,
            (_, Some(general), _) => general.bytes,
            (_, None, Some(memory)) if memory.bytes > 0 => memory.bytes,
            _ => 4,
        };
        let light_rex = registers(instruction).any(is_new) || operands.iter().any(is_low);
        Encoding {
            instruction,
            stated,
            bytes,
            start: u64::from(instruction.prefixes)
                + u64::from(in_memory.is_some_and(|memory| memory.segment)),
            light_rex: u64::from(light_rex),
            rex: u64::from(light_rex || bytes == 8),
            short: u64::from(bytes == 2),
            address: in_memory.map_or(1, memory_bytes),
            in_memory,
            general,
            immediate: operands.iter().find_map(|operand| match operand {
                Operand::Immediate(number) => Some(*number),
                Operand::Symbol(_) => Some(i64::from(i32::MAX)),
                _ => None,
            }),
        }
    }

    /// One byte for the operation, and the operand that has an addressing byte.
    fn plain(&self) -> u64 {
        self.start + self.rex + self.short + 1 + self.address
    }

    /// The bytes of an immediate that is as wide as the operation.
    fn wide(&self) -> u64 {
        match self.bytes {
            1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    fn has_immediate(&self) -> u64 {
        u64::from(self.immediate.is_some())
    }

    fn nothing(&self) -> u64 {
        match self.instruction.mnemonic {
            "endbr64" | "endbr32" => 4,
            "nop" if self.instruction.operands.is_empty() => self.start + 1,
            "nopw" => self.start + 3 + self.light_rex + self.address,
            "nop" | "nopl" => self.start + 2 + self.light_rex + self.address,
            "mfence" | "lfence" | "sfence" => 3,
            "pause" => 2,
            mnemonic if mnemonic.starts_with("prefetch") => 2 + self.light_rex + self.address,
            _ => 1,
        }
    }

    fn stack(&self) -> u64 {
        let operand = match self.instruction.operands.first() {
            Some(Operand::Immediate(number)) => {
                return self.start + if fits_byte(*number) { 2 } else { 5 };
            }
            Some(Operand::Memory(_)) => self.address,
            _ => 0,
        };
        self.start + 1 + self.light_rex + operand
    }

    fn moved(&self) -> u64 {
        match (self.immediate, self.in_memory) {
            _ if self.instruction.mnemonic == "movabs" => self.start + 10,
            (Some(_), None) if self.bytes == 8 => self.start + 7,
            (Some(_), None) if self.bytes == 1 => self.start + self.rex + 2,
            (Some(_), None) => self.start + self.rex + self.short + 1 + self.wide(),
            (Some(_), Some(_)) => self.plain() + self.wide(),
            _ => self.plain(),
        }
    }

    fn shifted(&self) -> u64 {
        let mnemonic = self.instruction.mnemonic;
        let is_double = mnemonic.starts_with("shld") || mnemonic.starts_with("shrd");
        let by = u64::from(self.immediate.is_some_and(|by| by != 1));
        self.plain() + u64::from(is_double) + by
    }

    /// An operation that has a shorter form for `al`, `ax`, `eax` and `rax`, and one for small numbers.
    fn with_immediate(&self, has_small: bool) -> u64 {
        match self.immediate {
            Some(number)
                if has_small && self.bytes != 1 && is_short_immediate(number, self.bytes) =>
            {
                self.plain() + 1
            }
            Some(_) if is_accumulator(self.instruction.operands.last()) => {
                self.start + self.rex + self.short + 1 + self.wide()
            }
            Some(_) => self.plain() + self.wide(),
            None => self.plain(),
        }
    }

    fn multiplied(&self) -> u64 {
        match (self.instruction.operands.len(), self.immediate) {
            (_, Some(number)) if fits_byte(number) => self.plain() + 1,
            (_, Some(_)) => self.plain() + self.wide(),
            (1, None) => self.plain(),
            _ => self.plain() + 1,
        }
    }

    /// Instructions on vector registers.
    fn vector(&self, verb: Verb) -> u64 {
        let mnemonic = self.instruction.mnemonic;
        let is_wide = match (verb, self.general) {
            (Verb::FloatMove(_) | Verb::ToInteger | Verb::FromInteger(_), Some(general)) => {
                general.bytes == 8
            }
            (Verb::FromInteger(_) | Verb::ToInteger, None) => {
                self.stated == 8 || mnemonic.ends_with('q')
            }
            _ => false,
        };
        let is_new = registers(self.instruction).any(is_new);
        let more = u64::from(!NO_PREFIX.contains(&mnemonic))
            + u64::from(is_wide || is_new)
            + u64::from(mnemonic.starts_with("round"));
        self.start + more + 2 + self.address + self.has_immediate()
    }
}

/// Instructions on vector registers that have no prefix.
const NO_PREFIX: [&str; 23] = [
    "movaps", "movups", "xorps", "andps", "orps", "andnps", "comiss", "ucomiss", "unpcklps",
    "unpckhps", "shufps", "movlps", "movhps", "movhlps", "cvtps2pd", "cvtdq2ps", "addps", "subps",
    "mulps", "divps", "minps", "maxps", "sqrtps",
];

/// The bytes of an instruction; a jump is `near` if its target is too far for one byte.
pub(super) fn of(instruction: &Instruction<'_>, verb: Verb, width: u8, near: bool) -> u64 {
    let it = Encoding::new(instruction, width);
    let (start, address) = (it.start, it.address);
    let mnemonic = instruction.mnemonic;
    if mnemonic.starts_with('v') {
        return start + 4 + address + it.has_immediate();
    }
    match verb {
        Verb::Nothing => it.nothing(),
        Verb::Return | Verb::Leave => start + 1,
        Verb::Stop if mnemonic == "hlt" => 1,
        Verb::Stop => 2,
        Verb::Goto | Verb::Jump(_) | Verb::Call if instruction.is_indirect => {
            start + 1 + it.light_rex + address
        }
        Verb::Call => start + 5,
        Verb::Goto | Verb::Jump(_) if !near => start + 2,
        Verb::Goto => start + 5,
        Verb::Jump(_) => start + 6,
        Verb::Push | Verb::Pop => it.stack(),
        Verb::Move => it.moved(),
        Verb::Binary(Op::ShiftLeft | Op::ShiftRight | Op::ShiftSign | Op::Rotate) => it.shifted(),
        Verb::Binary(_) | Verb::Carry(_) | Verb::Compare => it.with_immediate(true),
        Verb::Test => it.with_immediate(false),
        Verb::Unary(Op::SwapBytes) => start + it.rex + 2,
        Verb::LoadAddress | Verb::Step(_) | Verb::Divide(_) | Verb::Unary(_) => it.plain(),
        Verb::Multiply => it.multiplied(),
        Verb::Extend(4, _) => start + it.rex + 1 + address,
        Verb::Extend(_, _) | Verb::Select(_) => it.plain() + 1,
        Verb::Set(_) => start + it.light_rex + 2 + address,
        Verb::Made(_) => start + u64::from(!mnemonic.starts_with("bs")) + it.rex + 2 + address,
        Verb::Bit(_) => start + it.rex + 2 + address + it.has_immediate(),
        Verb::Widen(4) | Verb::FillSign(4) => 1,
        Verb::Widen(_) | Verb::FillSign(_) => 2,
        Verb::Exchange => it.plain() + u64::from(mnemonic != "xchg"),
        Verb::StringMove | Verb::StringStore | Verb::StringScan => {
            u64::from(instruction.prefixes) + 1 + u64::from(it.bytes == 8)
        }
        Verb::FloatMove(_)
        | Verb::Float(..)
        | Verb::FloatCompare(_)
        | Verb::FloatLogic(_)
        | Verb::FromInteger(_)
        | Verb::ToInteger
        | Verb::ToPrecision(_)
        | Verb::Packed => it.vector(verb),
        Verb::OldFloat if it.in_memory.is_some() => start + it.light_rex + 1 + address,
        Verb::OldFloat if mnemonic == "fwait" => start + 1,
        Verb::OldFloat => start + 2,
        Verb::Other if instruction.operands.is_empty() => start + it.rex + 2,
        Verb::Other => start + it.rex + 2 + address,
    }
}

/// Returns `true` if an immediate is written in one byte, which the processor widens with its sign.
fn is_short_immediate(number: i64, bytes: u8) -> bool {
    let widened = match bytes {
        2 => i64::from(number as i16),
        4 => i64::from(number as i32),
        _ => number,
    };
    fits_byte(widened)
}

/// Returns `true` if the operand is `al`, `ax`, `eax` or `rax`, for which there is a shorter form.
fn is_accumulator(operand: Option<&Operand<'_>>) -> bool {
    matches!(operand, Some(Operand::Register(register))
        if register.kind == Kind::General && register.number == 0 && !register.is_high)
}

/// Returns `true` if a register came with the 64-bit processor.
fn is_new(register: Register) -> bool {
    matches!(register.kind, Kind::General | Kind::Vector) && register.number >= 8
}

/// Returns `true` if an operand is `spl`, `bpl`, `sil` or `dil`.
fn is_low(operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Register(register) if register.kind == Kind::General
        && register.bytes == 1 && !register.is_high && (4..8).contains(&register.number))
}
