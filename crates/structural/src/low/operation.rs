//! A mnemonic → what the instruction does.

use super::graph::{Condition, Op};
use super::instruction::{Instruction, Kind, Operand};

/// The operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Copies.
    Move,
    /// Computes an address.
    LoadAddress,
    /// Changes the last operand by the first.
    Binary(Op),
    /// The same, with the carry.
    Carry(Op),
    /// Adds a number to its operand.
    Step(i64),
    /// Changes its operand.
    Unary(Op),
    /// Makes a value of another.
    Made(Op),
    /// Sets flags by a difference.
    Compare,
    /// Sets flags by `and`.
    Test,
    /// Tests, sets, clears or turns one bit.
    Bit(Option<Op>),
    /// A product.
    Multiply,
    /// A quotient and a remainder; whether with sign.
    Divide(bool),
    /// Widens from this many bytes.
    Extend(u8, bool),
    /// Widens `rax` in place to this many bytes.
    Widen(u8),
    /// Fills `rdx` with the sign of `rax`.
    FillSign(u8),
    /// 1 or 0.
    Set(Condition),
    /// Copies where a condition holds.
    Select(Condition),
    /// Jumps where a condition holds.
    Jump(Condition),
    /// Jumps.
    Goto,
    /// Calls.
    Call,
    /// Returns.
    Return,
    /// Puts on the stack.
    Push,
    /// Takes from the stack.
    Pop,
    /// Takes the frame away.
    Leave,
    /// Exchanges.
    Exchange,
    /// Copies bytes from `rsi` to `rdi`.
    StringMove,
    /// Stores `rax` at `rdi`.
    StringStore,
    /// Looks for `rax` at `rdi`.
    StringScan,
    /// Copies a floating-point number of this many bytes.
    FloatMove(u8),
    /// Arithmetic of floating-point numbers of this many bytes.
    Float(Op, u8),
    /// Compares them.
    FloatCompare(u8),
    /// Logic on their bits.
    FloatLogic(Op),
    /// Converts an integer to a floating-point number of this many bytes.
    FromInteger(u8),
    /// It becomes an integer.
    ToInteger,
    /// Converts it to one of this many bytes.
    ToPrecision(u8),
    /// Work on the old floating-point unit.
    OldFloat,
    /// Work on several numbers at once.
    Packed,
    /// The end.
    Stop,
    /// Nothing.
    Nothing,
    /// Anything else: its last operand is unknown afterwards.
    Other,
}

/// The verb of an instruction, and the width of its mnemonic (0 if it has none).
pub(super) fn of(instruction: &Instruction<'_>) -> (Verb, u8) {
    let mnemonic = instruction.mnemonic;
    if let Some(found) = exact(mnemonic, instruction) {
        return found;
    }
    if let Some((stem, suffix)) = mnemonic.split_at_checked(mnemonic.len().saturating_sub(1)) {
        let bytes = match suffix {
            "b" => 1,
            "w" => 2,
            "l" => 4,
            "q" => 8,
            _ => 0,
        };
        if bytes > 0
            && let Some((verb, _)) = exact(stem, instruction)
        {
            return (verb, bytes);
        }
    }
    if let Some(rest) = mnemonic.strip_prefix('v')
        && let Some(found) = vector(rest)
    {
        return (found, 0);
    }
    if let Some(found) = vector(mnemonic) {
        return (found, 0);
    }
    if mnemonic.starts_with('f') {
        return (Verb::OldFloat, 0);
    }
    if instruction.operands.iter().any(is_vector) {
        return (Verb::Packed, 0);
    }
    (Verb::Other, 0)
}

fn is_vector(operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Register(register) if register.kind == Kind::Vector)
}

/// The condition in the ending of a mnemonic.
fn condition(ending: &str) -> Option<Condition> {
    use Condition::{
        Above, AboveEqual, Below, BelowEqual, Equal, Greater, GreaterEqual, Less, LessEqual,
        Negative, NotEqual, NotNegative, Ordered, Overflow, Unordered,
    };
    Some(match ending {
        "e" | "z" => Equal,
        "ne" | "nz" => NotEqual,
        "l" | "nge" => Less,
        "le" | "ng" => LessEqual,
        "g" | "nle" => Greater,
        "ge" | "nl" => GreaterEqual,
        "b" | "c" | "nae" => Below,
        "be" | "na" => BelowEqual,
        "a" | "nbe" => Above,
        "ae" | "nb" | "nc" => AboveEqual,
        "s" => Negative,
        "ns" => NotNegative,
        "p" | "pe" => Unordered,
        "np" | "po" => Ordered,
        "o" | "no" => Overflow,
        _ => return None,
    })
}

fn exact(mnemonic: &str, instruction: &Instruction<'_>) -> Option<(Verb, u8)> {
    let any_vector = || instruction.operands.iter().any(is_vector);
    let verb = match mnemonic {
        "mov" | "movabs" => Verb::Move,
        "movq" if any_vector() => Verb::FloatMove(8),
        "movd" if any_vector() => Verb::FloatMove(4),
        "lea" => Verb::LoadAddress,
        "add" => Verb::Binary(Op::Add),
        "sub" => Verb::Binary(Op::Subtract),
        "and" => Verb::Binary(Op::And),
        "or" => Verb::Binary(Op::Or),
        "xor" => Verb::Binary(Op::Xor),
        "shl" | "sal" | "shlx" => Verb::Binary(Op::ShiftLeft),
        "shr" | "shrx" => Verb::Binary(Op::ShiftRight),
        "sar" | "sarx" => Verb::Binary(Op::ShiftSign),
        "rol" | "ror" | "rorx" | "shld" | "shrd" => Verb::Binary(Op::Rotate),
        "adc" => Verb::Carry(Op::Add),
        "sbb" => Verb::Carry(Op::Subtract),
        "inc" => Verb::Step(1),
        "dec" => Verb::Step(-1),
        "neg" => Verb::Unary(Op::Negate),
        "not" => Verb::Unary(Op::Not),
        "bswap" => Verb::Unary(Op::SwapBytes),
        "movbe" => Verb::Made(Op::SwapBytes),
        "bsf" | "bsr" | "popcnt" | "lzcnt" | "tzcnt" => Verb::Made(Op::CountBits),
        "cmp" => Verb::Compare,
        "test" => Verb::Test,
        "bt" => Verb::Bit(None),
        "bts" => Verb::Bit(Some(Op::Or)),
        "btr" => Verb::Bit(Some(Op::And)),
        "btc" => Verb::Bit(Some(Op::Xor)),
        "imul" | "mul" | "mulx" => Verb::Multiply,
        "idiv" => Verb::Divide(true),
        "div" => Verb::Divide(false),
        "movzx" => Verb::Extend(0, false),
        "movsx" | "movsxd" => Verb::Extend(0, true),
        "movzb" | "movzbl" | "movzbw" | "movzbq" => Verb::Extend(1, false),
        "movzw" | "movzwl" | "movzwq" => Verb::Extend(2, false),
        "movsbl" | "movsbw" | "movsbq" => Verb::Extend(1, true),
        "movswl" | "movswq" => Verb::Extend(2, true),
        "movslq" => Verb::Extend(4, true),
        "cltq" | "cdqe" => Verb::Widen(8),
        "cwtl" | "cwde" => Verb::Widen(4),
        "cbtw" | "cbw" => Verb::Widen(2),
        "cltd" | "cdq" => Verb::FillSign(4),
        "cqto" | "cqo" => Verb::FillSign(8),
        "cwtd" | "cwd" => Verb::FillSign(2),
        "jmp" => Verb::Goto,
        "call" => Verb::Call,
        "ret" => Verb::Return,
        "push" => Verb::Push,
        "pop" => Verb::Pop,
        "leave" => Verb::Leave,
        "xchg" | "cmpxchg" | "xadd" => Verb::Exchange,
        "ud2" | "hlt" => Verb::Stop,
        "nop" | "endbr64" | "pause" | "mfence" | "lfence" | "sfence" | "cld" | "vzeroupper"
        | "prefetcht0" | "prefetchnta" | "int3" | "endbr32" => Verb::Nothing,
        "movs" | "movsb" | "movsq" | "movsl" | "movsd" | "movsw" if !any_vector() => {
            Verb::StringMove
        }
        "stos" | "stosb" | "stosl" | "stosd" | "stosq" => Verb::StringStore,
        "scas" | "scasb" | "cmps" | "cmpsb" => Verb::StringScan,
        _ => {
            if let Some(ending) = mnemonic.strip_prefix("set") {
                return condition(ending).map(|condition| (Verb::Set(condition), 1));
            }
            if let Some(ending) = mnemonic.strip_prefix("cmov") {
                if let Some(condition) = condition(ending) {
                    return Some((Verb::Select(condition), 0));
                }
                let (ending, suffix) = ending.split_at_checked(ending.len().checked_sub(1)?)?;
                let bytes = match suffix {
                    "w" => 2,
                    "l" => 4,
                    "q" => 8,
                    _ => return None,
                };
                return condition(ending).map(|condition| (Verb::Select(condition), bytes));
            }
            if let Some(ending) = mnemonic.strip_prefix('j') {
                return match condition(ending) {
                    Some(condition) => Some((Verb::Jump(condition), 0)),
                    None => matches!(ending, "rcxz" | "ecxz")
                        .then_some((Verb::Jump(Condition::Equal), 0)),
                };
            }
            return None;
        }
    };
    Some((verb, 0))
}

/// Instructions on vector registers, without the `v` of the newer ones.
fn vector(mnemonic: &str) -> Option<Verb> {
    match mnemonic {
        "movss" | "movd" => return Some(Verb::FloatMove(4)),
        "movsd" | "movq" | "movlps" | "movlpd" | "movhps" | "movhpd" => {
            return Some(Verb::FloatMove(8));
        }
        "movaps" | "movapd" | "movups" | "movupd" | "movdqa" | "movdqu" => {
            return Some(Verb::FloatMove(16));
        }
        "pxor" | "xorps" | "xorpd" => return Some(Verb::FloatLogic(Op::Xor)),
        "pand" | "andps" | "andpd" => return Some(Verb::FloatLogic(Op::And)),
        "por" | "orps" | "orpd" => return Some(Verb::FloatLogic(Op::Or)),
        "pandn" | "andnps" | "andnpd" => return Some(Verb::FloatLogic(Op::Not)),
        "comiss" | "ucomiss" => return Some(Verb::FloatCompare(4)),
        "comisd" | "ucomisd" => return Some(Verb::FloatCompare(8)),
        "cvtss2sd" | "cvtps2pd" => return Some(Verb::ToPrecision(8)),
        "cvtsd2ss" | "cvtpd2ps" => return Some(Verb::ToPrecision(4)),
        "unpcklps" | "unpcklpd" | "shufps" | "pshufd" | "movshdup" | "movhlps" | "unpckhps"
        | "unpckhpd" | "movddup" => return Some(Verb::Packed),
        _ => {}
    }
    if let Some(rest) = mnemonic.strip_prefix("cvtsi2") {
        return Some(Verb::FromInteger(if rest.starts_with("ss") {
            4
        } else {
            8
        }));
    }
    if mnemonic.starts_with("cvtt") || mnemonic.starts_with("cvt") && mnemonic.contains("2si") {
        return Some(Verb::ToInteger);
    }
    if mnemonic.starts_with("cvtdq2") {
        return Some(Verb::FromInteger(if mnemonic.ends_with("ps") {
            4
        } else {
            8
        }));
    }
    let (stem, ending) = mnemonic.split_at_checked(mnemonic.len().checked_sub(2)?)?;
    let bytes = match ending {
        "ss" | "ps" => 4,
        "sd" | "pd" => 8,
        _ => return None,
    };
    Some(Verb::Float(
        match stem {
            "add" | "hadd" => Op::FloatAdd,
            "sub" => Op::FloatSubtract,
            "mul" | "fmadd132" | "fmadd213" | "fmadd231" => Op::FloatMultiply,
            "div" => Op::FloatDivide,
            "min" => Op::FloatMinimum,
            "max" => Op::FloatMaximum,
            "sqrt" | "rsqrt" => Op::Root,
            "round" => Op::Round,
            _ => return None,
        },
        bytes,
    ))
}
