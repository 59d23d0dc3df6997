//! The content of an object file when names are left out.
//!
//! The relocatable ELF file of a unit enters; an [`Object`] comes out: two digests and the size of one function. Two
//! texts that differ in names only have equal digests. Two that differ in anything the machine would see do not. The
//! difficulty is relocations: stripping them (as `objcopy --strip-all` does) would make a call of `a` equal to a
//! call of `b`, so they stay, with their targets described without names:
//!
//! - a target that is defined in the file is described by its position: section and offset;
//! - one that is not, by the order in which such targets first appear. Two texts that swap two undefined
//!   functions *everywhere* are therefore equal, because that is a renaming.
//!
//! [`Object::fingerprint`] covers every section that would be loaded. Names can get into those legitimately: through
//! `assert`, `#x` and `__func__` they become strings, and strings move the data after them. For such texts,
//! [`Object::code_fingerprint`] covers executable sections only, and records of a relocation into data only that it
//! is one.
//!
//! Sections keep their names (`.text`, `.rodata.str1.1`): they come from the compiler, or from attributes in the
//! text, which are strings and not identifiers. Of a section that is named after a symbol of C++
//! (`.text._ZN4List4sizeEv`), only the part before the symbol counts. Sections that contain the name of a type
//! (`.rodata._ZTS4List`) do not count at all. Only ELF is read.

use std::collections::BTreeMap;

use barecode_records::Digest;
use object::{
    File, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SectionFlags, SymbolIndex, SymbolSection, elf,
};
use serde::{Deserialize, Serialize};

/// The version of the content that the digests cover. A change invalidates every earlier verdict.
pub(crate) const SCHEME: u32 = 4;

/// The object file of a text, without names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Digest of all that would be loaded: sections, their bytes, their relocations.
    pub fingerprint: String,
    /// Digest of the machine code only.
    pub code_fingerprint: String,
    /// Size of the function's own machine code in bytes; 0 if it has none.
    pub code_bytes: u64,
}

impl Object {
    /// Reads an object file, and looks for the function that is marked.
    pub(crate) fn read(bytes: &[u8], mark: Mark<'_>) -> Result<Object, object::Error> {
        let file = File::parse(bytes)?;
        let code_bytes = match mark {
            Mark::Keeper(keeper) => code_bytes(&file, keeper).unwrap_or(0),
            Mark::Marked => marked_in(&file)?
                .iter()
                .fold(0, |sum: u64, (_, size)| sum.saturating_add(*size)),
        };
        Ok(Object {
            fingerprint: fingerprint(&file, Cover::Loaded)?,
            code_fingerprint: fingerprint(&file, Cover::Code)?,
            code_bytes,
        })
    }
}

/// The mark that distinguishes a function from the others of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark<'a> {
    /// A pointer of this name holds it.
    Keeper(&'a str),
    /// Its address is in the section of functions that can be patched.
    Marked,
}

/// The sizes of the functions that pointers hold, by the names of the pointers.
pub(crate) fn kept<'n>(
    bytes: &[u8],
    keepers: impl Iterator<Item = &'n str>,
) -> Result<Vec<u64>, object::Error> {
    let file = File::parse(bytes)?;
    Ok(keepers
        .map(|keeper| code_bytes(&file, keeper).unwrap_or(0))
        .collect())
}

/// The functions that are marked: the symbols at each one's address, and its size.
pub(crate) fn marked(bytes: &[u8]) -> Result<Vec<(Vec<String>, u64)>, object::Error> {
    marked_in(&File::parse(bytes)?)
}

fn marked_in(file: &File<'_>) -> Result<Vec<(Vec<String>, u64)>, object::Error> {
    // The longest instruction that does nothing.
    const PAD: u64 = 8;
    let mut by_place: BTreeMap<(usize, u64), (Vec<String>, u64)> = BTreeMap::new();
    for symbol in file.symbols() {
        if let Some(section) = symbol.section_index()
            && symbol.size() > 0
            && symbol.kind() == object::SymbolKind::Text
        {
            let (names, size) = by_place.entry((section.0, symbol.address())).or_default();
            names.push(String::from_utf8_lossy(symbol.name_bytes()?).into_owned());
            *size = symbol.size().max(*size);
        }
    }
    let mut places = std::collections::BTreeSet::new();
    for section in file.sections() {
        if section.name_bytes()? != b"__patchable_function_entries" {
            continue;
        }
        for (_, relocation) in section.relocations() {
            let RelocationTarget::Symbol(index) = relocation.target() else {
                continue;
            };
            let symbol = file.symbol_by_index(index)?;
            if let Some(section) = symbol.section_index() {
                let pad = symbol.address().wrapping_add_signed(relocation.addend());
                let after = (section.0, pad)..(section.0, pad.saturating_add(PAD));
                if let Some((&place, _)) = by_place.range(after).next() {
                    places.insert(place);
                }
            }
        }
    }
    Ok(places
        .into_iter()
        .filter_map(|place| by_place.remove(&place))
        .collect())
}

/// The sections that a digest covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    Loaded,
    Code,
}

impl Cover {
    fn has(self, flags: u64) -> bool {
        let wanted = match self {
            Cover::Loaded => elf::SHF_ALLOC,
            Cover::Code => elf::SHF_ALLOC | elf::SHF_EXECINSTR,
        };
        flags & wanted.0 == wanted.0
    }
}

fn fingerprint(file: &File<'_>, cover: Cover) -> Result<String, object::Error> {
    let machine = format!("{:?} {:?}", file.architecture(), file.endianness());
    let mut digest = Digest::new("object")
        .field(SCHEME.to_le_bytes())
        .field(machine);
    let mut undefined = BTreeMap::new();
    for section in file.sections() {
        let (kind, flags) = type_and_flags(section.flags());
        let name = section.name_bytes()?;
        if !cover.has(flags) || holds_name_of_type(name) {
            continue;
        }
        digest = digest
            .field("section")
            .field(without_symbol(name))
            .field(kind.to_le_bytes())
            .field(flags.to_le_bytes())
            .field(section.align().to_le_bytes())
            .field(section.size().to_le_bytes())
            .field(section.data()?);
        for (offset, relocation) in section.relocations() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else {
                continue;
            };
            digest = digest
                .field("relocation")
                .field(offset.to_le_bytes())
                .field(r_type.0.to_le_bytes());
            digest = match relocation.target() {
                RelocationTarget::Symbol(index) => target(
                    digest,
                    file,
                    cover,
                    index,
                    relocation.addend(),
                    &mut undefined,
                )?,
                RelocationTarget::Section(_) | RelocationTarget::Absolute => digest
                    .field("absolute")
                    .field(relocation.addend().to_le_bytes()),
                // The enum is open; ELF has no other targets.
                _ => digest.field("unknown"),
            };
        }
    }
    Ok(digest.hex())
}

/// Adds the target of a relocation.
fn target(
    digest: Digest,
    file: &File<'_>,
    cover: Cover,
    index: SymbolIndex,
    addend: i64,
    undefined: &mut BTreeMap<usize, u64>,
) -> Result<Digest, object::Error> {
    let symbol = file.symbol_by_index(index)?;
    let addend = addend.to_le_bytes();
    Ok(match symbol.section() {
        SymbolSection::Section(section) => {
            let section = file.section_by_index(section)?;
            let (_, flags) = type_and_flags(section.flags());
            if !cover.has(flags) && cover == Cover::Code {
                digest.field("data")
            } else {
                // An offset into mergeable strings is the symbol's and the addend's sum for some targets and
                // compilers, and either alone for others. Both are included, because both sides come from one
                // compiler.
                let name = section.name_bytes()?;
                // Sections of inline functions are distinguished by their position.
                let place = if without_symbol(name) == name {
                    0
                } else {
                    section.index().0 as u64
                };
                digest
                    .field("defined")
                    .field(without_symbol(name))
                    .field(place.to_le_bytes())
                    .field(symbol.address().to_le_bytes())
                    .field(addend)
            }
        }
        SymbolSection::Absolute => digest
            .field("absolute")
            .field(symbol.address().to_le_bytes())
            .field(addend),
        _ => {
            let next = undefined.len() as u64;
            let ordinal = *undefined.entry(index.0).or_insert(next);
            // Common symbols have a size and an alignment; weak ones may stay unresolved.
            let facts = [u8::from(symbol.is_weak()), u8::from(symbol.is_common())];
            digest
                .field("undefined")
                .field(ordinal.to_le_bytes())
                .field(facts)
                .field(symbol.size().to_le_bytes())
                .field(symbol.address().to_le_bytes())
                .field(addend)
        }
    })
}

/// The name of a section up to the symbol of C++ that it is named after.
fn without_symbol(name: &[u8]) -> &[u8] {
    let symbol = name.windows(3).position(|part| part == b"._Z");
    symbol.map_or(name, |at| &name[..=at])
}

/// Returns `true` if a section contains the name that `typeid` uses for a type.
fn holds_name_of_type(name: &[u8]) -> bool {
    name.windows(5).any(|part| part == b"._ZTS")
}

fn type_and_flags(flags: SectionFlags) -> (u32, u64) {
    match flags {
        SectionFlags::Elf { sh_type, sh_flags } => (sh_type.0, sh_flags.0),
        _ => (0, 0),
    }
}

/// The size of the function that the pointer named `keeper` holds; 0 if it does not hold a function of this object.
fn code_bytes(file: &File<'_>, keeper: &str) -> Option<u64> {
    let pointer = file
        .symbols()
        .find(|symbol| symbol.name_bytes() == Ok(keeper.as_bytes()))?;
    let holder = file.section_by_index(pointer.section_index()?).ok()?;
    let (_, relocation) = holder
        .relocations()
        .find(|(offset, _)| *offset == pointer.address())?;
    let RelocationTarget::Symbol(index) = relocation.target() else {
        return None;
    };
    let target = file.symbol_by_index(index).ok()?;
    let section = target.section_index()?;
    let address = target.address().wrapping_add_signed(relocation.addend());
    let is_code = file
        .section_by_index(section)
        .is_ok_and(|section| Cover::Code.has(type_and_flags(section.flags()).1));
    let sizes = file
        .symbols()
        .filter(|symbol| symbol.section_index() == Some(section) && symbol.address() == address)
        .map(|symbol| symbol.size());
    sizes.max().filter(|_| is_code)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// An object file to damage; `None` if gcc is missing.
    #[expect(clippy::disallowed_methods, reason = "a test needs an object file")]
    fn some_object() -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().ok()?;
        let text = "int g(int); static int n = 3; const char *f(int a) { return g(n) + a ? \"x\" : __func__; }";
        fs::write(folder.path().join("unit.c"), text).ok()?;
        let done = Command::new("gcc")
            .args(["-c", "unit.c"])
            .current_dir(folder.path())
            .status()
            .ok()?;
        done.success()
            .then(|| fs::read(folder.path().join("unit.o")).ok())?
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        // The text controls the assembler's output, so the reader must withstand any input.
        #[test]
        fn a_damaged_object_is_an_error_or_another_object_and_never_a_crash(
            damage in prop::collection::vec((0_usize..4096, any::<u8>()), 1..8),
            length in 0_usize..8192,
        ) {
            let Some(mut bytes) = some_object() else { return Ok(()) };
            for (place, byte) in damage {
                let place = place % bytes.len();
                bytes[place] = byte;
            }
            bytes.truncate(length);
            let _ = Object::read(&bytes, Mark::Keeper("f"));
            let _ = marked(&bytes);
        }
    }
}
