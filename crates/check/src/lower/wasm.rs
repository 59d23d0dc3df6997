//! An object of WebAssembly → the text of its functions.
//!
//! The text is the output of `wasm2wat` for the function, one instruction per line and without indentation. The
//! strict form removes the parts that are not the function's own:
//!
//! - functions are `$func_0` and so on, addresses of variables and constants `$data_0`, globals (the stack
//!   pointer) `$global_0`, each numbered by first appearance;
//! - the function has no index and no index of a type; where a type is needed it is written out;
//! - comments at blocks are removed, and a branch gives the number of blocks that it leaves.
//!
//! [`listing`] is CLARC's form: indices and comments stay; locals are grouped by their type, as in `emcc`
//! after its linker, and data are at the address where its linker begins.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmparser::{
    BinaryReaderError, CompositeInnerType, KnownCustom, Linking, Parser, Payload, RelocationType,
    SymbolInfo, TypeRef,
};
use wasmprinter::PrintFmtWrite;

/// An object, read.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Exported functions by name.
    exports: BTreeMap<String, u32>,
    /// The functions that it defines, by the name of their symbol; `None` for a linked module.
    symbols: Option<BTreeMap<String, u32>>,
    /// Types as they are in a function's head.
    types: Vec<String>,
    /// The bodies of defined functions, in the file; the first has index [`Module::imported`].
    bodies: Vec<Range<usize>>,
    imported: u32,
    /// The targets to fill in, by offset in the file.
    relocations: BTreeMap<usize, Target>,
    /// The printed module: offset in the file, text.
    lines: Vec<(usize, String)>,
    /// In which line each function begins, by its index.
    heads: BTreeMap<u32, usize>,
}

/// The target of an operand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Function(u32),
    Global(u32),
    /// Segment and offset, or the number of a symbol that is defined elsewhere.
    Data(Result<(u32, u32), u32>, i64),
    Type(u32),
}

impl Module {
    /// Reads an object and prints it.
    pub(super) fn read(bytes: &[u8]) -> Result<Module, String> {
        let mut module = Module::default();
        module.parse(bytes).map_err(|error| error.to_string())?;
        let mut text = String::new();
        wasmprinter::Config::new()
            .print_offsets(true)
            .print(bytes, &mut PrintFmtWrite(&mut text))
            .map_err(|error| error.to_string())?;
        let mut place = 0;
        for line in text.lines() {
            let mut rest = line.trim_start();
            if let Some((offset, after)) = rest
                .strip_prefix("(;@")
                .and_then(|rest| rest.split_once(";)"))
            {
                place = usize::from_str_radix(offset.trim(), 16).unwrap_or(place);
                rest = after.trim();
            }
            if let Some(index) = index_of_head(rest) {
                module.heads.entry(index).or_insert(module.lines.len());
            }
            module.lines.push((place, rest.to_owned()));
        }
        Ok(module)
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<(), BinaryReaderError> {
        let mut symbols = Vec::new();
        let mut code_start = 0;
        let mut is_object = false;
        let mut relocations = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::TypeSection(types) => {
                    for group in types {
                        for of_group in group?.into_types() {
                            self.types.push(written(&of_group.composite_type.inner));
                        }
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports {
                        self.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        self.exports.insert(export.name.to_owned(), export.index);
                    }
                }
                Payload::CodeSectionStart { range, .. } => code_start = range.start,
                Payload::CodeSectionEntry(body) => self.bodies.push(body.range()),
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => {
                        is_object = true;
                        for part in linking {
                            if let Linking::SymbolTable(table) = part? {
                                for symbol in table {
                                    symbols.push(symbol?);
                                }
                            }
                        }
                    }
                    KnownCustom::Reloc(reloc) if section.name() == "reloc.CODE" => {
                        for entry in reloc.entries() {
                            relocations.push(entry?);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        self.symbols = is_object.then(|| {
            let named = symbols.iter().filter_map(|symbol| match symbol {
                SymbolInfo::Func {
                    name: Some(name),
                    index,
                    ..
                } => Some(((*name).to_owned(), *index)),
                _ => None,
            });
            named.filter(|(_, index)| *index >= self.imported).collect()
        });
        for entry in relocations {
            let symbol = symbols.get(entry.index as usize);
            let target = match (entry.ty, symbol) {
                (RelocationType::TypeIndexLeb, _) => Target::Type(entry.index),
                (
                    RelocationType::TableIndexSleb
                    | RelocationType::TableIndexI32
                    | RelocationType::FunctionIndexLeb,
                    Some(SymbolInfo::Func { index, .. }),
                ) => Target::Function(*index),
                (_, Some(SymbolInfo::Global { index, .. })) => Target::Global(*index),
                (_, Some(SymbolInfo::Data { symbol, .. })) => {
                    let place = symbol
                        .map(|symbol| (symbol.index, symbol.offset))
                        .ok_or(entry.index);
                    Target::Data(place, entry.addend)
                }
                _ => continue,
            };
            self.relocations
                .insert(code_start.saturating_add(entry.offset as usize), target);
        }
        Ok(())
    }

    /// The function with one of our marks.
    pub(super) fn marked(&self, mark: &str) -> Option<u32> {
        let index = *self.exports.get(mark)?;
        (index >= self.imported).then_some(index)
    }

    /// Returns `true` if it is the output of a compiler, before any linker.
    pub(super) fn is_object(&self) -> bool {
        self.symbols.is_some()
    }

    /// The function with a symbol.
    pub(super) fn named(&self, symbol: &str) -> Option<u32> {
        self.symbols.as_ref()?.get(symbol).copied()
    }

    /// The lines of a function, the first of which is its head, and where each ends in the file.
    fn function(&self, index: u32) -> Option<Vec<(Range<usize>, &str)>> {
        let at = *self.heads.get(&index)?;
        let body = self.bodies.get((index - self.imported) as usize)?;
        let mut found = Vec::new();
        for (number, (place, line)) in self.lines.iter().enumerate().skip(at) {
            if number > at && (line == ")" || *place >= body.end) {
                break;
            }
            let next = self
                .lines
                .get(number + 1)
                .map_or(body.end, |(next, _)| *next);
            found.push((*place..next.max(*place), line.as_str()));
        }
        Some(found)
    }

    /// The target of an instruction's operand.
    fn target(&self, place: &Range<usize>) -> Option<&Target> {
        self.relocations
            .range(place.clone())
            .next()
            .map(|(_, target)| target)
    }
}

/// The index of the function that a line begins.
fn index_of_head(line: &str) -> Option<u32> {
    let (index, rest) = line.strip_prefix("(func (;")?.split_once(";)")?;
    let is_whole = rest.is_empty() || rest.starts_with(' ');
    index.parse().ok().filter(|_| is_whole)
}

/// The sections of debug information, by their names.
pub(super) fn debug_sections(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, String> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::CustomSection(section) = payload.map_err(|error| error.to_string())?
            && section.name().starts_with(".debug_")
        {
            found.push((section.name().to_owned(), section.data()));
        }
    }
    Ok(found)
}

fn written(inner: &CompositeInnerType) -> String {
    let CompositeInnerType::Func(function) = inner else {
        return String::new();
    };
    let part = |word: &str, types: &[wasmparser::ValType]| {
        if types.is_empty() {
            return String::new();
        }
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        format!(" ({word} {})", types.join(" "))
    };
    part("param", function.params()) + &part("result", function.results())
}

/// Numbers for symbols outside of a text's functions, by first appearance.
#[derive(Debug, Default)]
pub(super) struct SymbolNames {
    functions: BTreeMap<u32, usize>,
    data: BTreeMap<Result<(u32, u32), u32>, usize>,
    globals: BTreeMap<u32, usize>,
}

impl SymbolNames {
    pub(super) fn function(&mut self, index: u32) -> String {
        let next = self.functions.len();
        format!("$func_{}", self.functions.entry(index).or_insert(next))
    }
}

/// A function in the strict form.
pub(super) fn strict(module: &Module, index: u32, names: &mut SymbolNames) -> Option<String> {
    let mut lines = Vec::new();
    for (number, (place, line)) in module.function(index)?.into_iter().enumerate() {
        let line = line.split(" ;; ").next().unwrap_or(line).trim_end();
        let line = without_comment(line);
        if number == 0 {
            lines.push(without_indices(&line));
            continue;
        }
        let (word, operand) = line.split_once(' ').unwrap_or((&line, ""));
        lines.push(match (word, module.target(&place)) {
            ("call_indirect", Some(Target::Type(of))) => {
                let types = module.types.get(*of as usize)?;
                format!("call_indirect{types}")
            }
            (_, None | Some(Target::Type(_))) => line,
            (word, Some(Target::Function(of))) => format!("{word} {}", names.function(*of)),
            (word, Some(Target::Global(of))) => {
                let next = names.globals.len();
                let number = names.globals.entry(*of).or_insert(next);
                format!("{word} $global_{number}")
            }
            (word, Some(Target::Data(of, addend))) => {
                let next = names.data.len();
                let number = names.data.entry(*of).or_insert(next);
                let name = match addend {
                    0 => format!("$data_{number}"),
                    1.. => format!("$data_{number}+{addend}"),
                    _ => format!("$data_{number}{addend}"),
                };
                match operand.strip_prefix("offset=") {
                    // An access at a known address: the address is part of the access.
                    Some(rest) => {
                        let rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
                        format!("{word} offset={name} {rest}").trim_end().to_owned()
                    }
                    None => format!("{word} {name}"),
                }
            }
        });
    }
    close(&mut lines);
    Some(lines.join("\n"))
}

/// The list of a function ends where its last instruction does.
fn close(lines: &mut [String]) {
    if let Some(last) = lines.last_mut() {
        last.push(')');
    }
}

/// `br 1 (;@2;)` without the comment.
fn without_comment(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("(;@") {
        kept.push_str(before.trim_end());
        rest = after.split_once(";)").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.trim_end().to_owned()
}

/// `(func (;1;) (type 2) (param i32)` without its indices.
fn without_indices(head: &str) -> String {
    let parts = head.split_inclusive(')');
    let kept = parts.filter(|part| {
        let part = part.trim_start().trim_start_matches("(func").trim_start();
        !part.starts_with("(;") && !part.starts_with("(type ")
    });
    let kept: String = kept.collect();
    format!("(func{}", kept.strip_prefix("(func").unwrap_or(&kept))
}

/// The address at which the data of `emcc` begin: above the stack.
const DATA: i64 = 65536;

/// A function as in CLARC's files.
pub(super) fn listing(module: &Module, index: u32) -> Option<String> {
    let function = module.function(index)?;
    let parameters = function.first().map_or(0, |(_, head)| {
        let inside = head.split_once("(param ").map_or("", |(_, rest)| rest);
        let inside = inside.split(')').next().unwrap_or_default();
        inside.split_whitespace().count()
    });
    let mut order: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for (number, (place, line)) in function.into_iter().enumerate() {
        if let Some(locals) = line
            .strip_prefix("(local ")
            .and_then(|rest| rest.strip_suffix(')'))
        {
            let types: Vec<&str> = locals.split_whitespace().collect();
            order = grouped(&types);
            let types: Vec<&str> = order
                .iter()
                .filter_map(|&at| types.get(at).copied())
                .collect();
            lines.push(format!("(local {})", types.join(" ")));
            continue;
        }
        let mut line = line.replace(" ;; label", "  ;; label");
        let (word, operand) = line.split_once(' ').unwrap_or((&line, ""));
        if let ("local.get" | "local.set" | "local.tee", Ok(local)) =
            (word, operand.parse::<usize>())
        {
            let own = local.checked_sub(parameters);
            let new = own.and_then(|own| order.iter().position(|&at| at == own));
            line = format!("{word} {}", new.map_or(local, |new| new + parameters));
        } else if number > 0
            && let Some(Target::Data(..)) = module.target(&place)
        {
            line = with_address(word, operand);
        } else if word == "f32.const" || word == "f64.const" {
            line = with_short_value(&line);
        }
        lines.push(line);
    }
    let mut lines = with_ends(lines);
    close(&mut lines);
    Some(lines.join("\n"))
}

/// An instruction with the address that the linker would assign.
fn with_address(word: &str, operand: &str) -> String {
    if word == "i32.const" {
        let address = operand.parse::<i64>().unwrap_or_default();
        return format!("{word} {}", address.wrapping_add(DATA));
    }
    let (offset, rest) = match operand.strip_prefix("offset=") {
        Some(operand) => operand.split_once(' ').unwrap_or((operand, "")),
        None => ("0", operand),
    };
    let offset = offset.parse::<i64>().unwrap_or_default();
    let line = format!("{word} offset={} {rest}", offset.wrapping_add(DATA));
    line.trim_end().to_owned()
}

/// `f32.const 0x1.921fb6p+1 (;=3.14159;)`: the value as C's `%g` writes it.
fn with_short_value(line: &str) -> String {
    let Some((before, value)) = line.split_once("(;=") else {
        return line.to_owned();
    };
    let value = value.trim_end_matches(";)");
    match value.parse::<f64>() {
        Ok(value) if value.is_finite() => format!("{before}(;={};)", general(value)),
        _ => line.to_owned(),
    }
}

/// A number as `%g` writes it: six digits, and an exponent where it is small or large.
fn general(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |digits: &str| {
        if digits.contains('.') {
            digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
        } else {
            digits.to_owned()
        }
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or_default();
        return trimmed(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.unsigned_abs())
}

/// A block of instructions that is open.
struct Open {
    is_loop: bool,
    is_left: bool,
}

/// Puts `unreachable` after a loop or block whose end is never reached, as Emscripten's linker does.
fn with_ends(lines: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut open: Vec<Open> = Vec::new();
    let mut stops = false;
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let word = line.split(' ').next().unwrap_or_default().to_owned();
        let mut leaves = |line: &str| {
            for depth in line
                .split(' ')
                .skip(1)
                .map_while(|word| word.parse::<usize>().ok())
            {
                if let Some(at) = open.len().checked_sub(depth + 1)
                    && let Some(block) = open.get_mut(at)
                {
                    block.is_left = true;
                }
            }
        };
        match word.as_str() {
            "br" | "br_table" => {
                // `br_table` has a comment after each depth.
                leaves(
                    &line
                        .replace(" (;@", "\u{0}(;@")
                        .split('\u{0}')
                        .map(|part| part.split_once(";)").map_or(part, |(_, rest)| rest))
                        .collect::<String>(),
                );
                stops = true;
            }
            "br_if" => {
                leaves(&line);
                stops = false;
            }
            "return" | "unreachable" => stops = true,
            "block" | "loop" | "if" => {
                open.push(Open {
                    is_loop: word == "loop",
                    // The other branch of an `if` may fall through.
                    is_left: word == "if",
                });
                stops = false;
            }
            "end" => {
                let block = open.pop();
                let ends = block.is_some_and(|block| stops && (block.is_loop || !block.is_left));
                stops = ends;
                out.push(line);
                if ends && lines.peek().is_some_and(|next| next != "unreachable") {
                    out.push("unreachable".to_owned());
                }
                continue;
            }
            _ => stops = false,
        }
        out.push(line);
    }
    out
}

/// The locals in the order of their types' first appearance, those of a type together.
fn grouped(types: &[&str]) -> Vec<usize> {
    let mut kinds: Vec<&str> = Vec::new();
    for kind in types {
        if !kinds.contains(kind) {
            kinds.push(kind);
        }
    }
    kinds
        .into_iter()
        .flat_map(|kind| (0..types.len()).filter(move |&at| types.get(at) == Some(&kind)))
        .collect()
}
