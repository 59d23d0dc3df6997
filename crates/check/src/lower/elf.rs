//! An object file, as far as the text of its functions needs it.
//!
//! Locations are section and offset, so that the result does not depend on names.

use std::collections::BTreeMap;

use barecode_records::c::Machine;
use object::read::elf::ElfFile64;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SectionFlags, SymbolFlags, SymbolKind, elf,
};

/// A location in the object, or something outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    /// Section and offset.
    Inside(usize, u64),
    /// A symbol that is defined elsewhere.
    Elsewhere(usize),
}

/// A value that the linker would fill in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relocation {
    /// ELF's number of its kind.
    pub(super) kind: u32,
    /// The location of the symbol.
    pub(super) symbol: Location,
    /// The number that is added to it.
    pub(super) addend: i64,
}

/// A section with its bytes and the relocations to fill in, by offset.
#[derive(Debug)]
pub(super) struct Section<'o> {
    pub(super) bytes: &'o [u8],
    pub(super) is_code: bool,
    pub(super) relocations: BTreeMap<u64, Relocation>,
}

/// A function or an object with a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) size: u64,
}

/// The object file of a text.
#[derive(Debug)]
pub(super) struct Image<'o> {
    /// By their number; those without bytes are left out.
    pub(super) sections: BTreeMap<usize, Section<'o>>,
    /// Functions by section and start.
    functions: BTreeMap<(usize, u64), u64>,
    /// Variables with a size by section and start.
    variables: BTreeMap<(usize, u64), u64>,
    /// Marked functions by how much is between the mark and the function.
    marked: BTreeMap<u64, (usize, u64)>,
    /// Functions with the visibility that marks the target on machines where nothing may be added to the code.
    protected: Option<(usize, u64)>,
}

impl<'o> Image<'o> {
    /// Reads an object file of a machine with 64 bits.
    pub(super) fn read(bytes: &'o [u8]) -> Result<Image<'o>, object::Error> {
        let file: ElfFile64<'o, object::Endianness> = ElfFile64::parse(bytes)?;
        let mut functions = BTreeMap::new();
        let mut variables = BTreeMap::new();
        let mut protected = None;
        for symbol in file.symbols() {
            let Some(section) = symbol.section_index() else {
                continue;
            };
            let of_kind = match symbol.kind() {
                SymbolKind::Text => &mut functions,
                SymbolKind::Data | SymbolKind::Tls => &mut variables,
                _ => continue,
            };
            let location = (section.0, symbol.address());
            let size = of_kind.entry(location).or_insert(0);
            *size = symbol.size().max(*size);
            if symbol.kind() == SymbolKind::Text
                && let SymbolFlags::Elf { st_other, .. } = symbol.flags()
                && st_other.0 & 3 == elf::STV_PROTECTED.0
            {
                protected = Some(location);
            }
        }
        let mut sections = BTreeMap::new();
        let mut marked = BTreeMap::new();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                continue;
            };
            let code = (elf::SHF_ALLOC | elf::SHF_EXECINSTR).0;
            let mut relocations = BTreeMap::new();
            for (offset, relocation) in section.relocations() {
                let (RelocationTarget::Symbol(index), RelocationFlags::Elf { r_type }) =
                    (relocation.target(), relocation.flags())
                else {
                    continue;
                };
                let symbol = file.symbol_by_index(index)?;
                let location = match symbol.section_index() {
                    Some(section) => Location::Inside(section.0, symbol.address()),
                    None => Location::Elsewhere(index.0),
                };
                // RISC-V has several for one location; the first names its target.
                relocations.entry(offset).or_insert(Relocation {
                    kind: r_type.0,
                    symbol: location,
                    addend: relocation.addend(),
                });
            }
            if section.name_bytes()? == b"__patchable_function_entries" {
                for relocation in relocations.values() {
                    let Location::Inside(section, symbol) = relocation.symbol else {
                        continue;
                    };
                    let mark = symbol.wrapping_add_signed(relocation.addend);
                    let next = functions.range((section, mark)..).next();
                    if let Some((&location, _)) = next.filter(|((of, _), _)| *of == section) {
                        marked.insert(location.1 - mark, location);
                    }
                }
            }
            sections.insert(
                section.index().0,
                Section {
                    bytes: section.data()?,
                    is_code: sh_flags.0 & code == code,
                    relocations,
                },
            );
        }
        Ok(Image {
            sections,
            functions,
            variables,
            marked,
            protected,
        })
    }

    /// The functions that are marked, in the order of their marks; `None` if one has no code.
    pub(super) fn marked(&self, count: usize, machine: Machine) -> Vec<Option<(usize, Extent)>> {
        // The length of an instruction that does nothing; RISC-V has two.
        let unit = match machine {
            Machine::X86_64 => 1,
            Machine::Riscv64 if self.marked.keys().any(|room| room % 4 != 0) => 2,
            Machine::Aarch64 | Machine::Riscv64 => 4,
        };
        let at = |mark: u64| self.extent(*self.marked.get(&(mark * unit))?);
        (1..=count as u64).map(at).collect()
    }

    /// The function that is marked by its visibility.
    pub(super) fn protected(&self) -> Option<(usize, Extent)> {
        self.extent(self.protected?)
    }

    /// The function that begins at a location, if it has code.
    pub(super) fn extent(&self, location: (usize, u64)) -> Option<(usize, Extent)> {
        let size = *self.functions.get(&location)?;
        let section = self.sections.get(&location.0)?;
        let end = location.1.checked_add(size)?;
        (section.is_code && size > 0 && end <= section.bytes.len() as u64).then_some((
            location.0,
            Extent {
                start: location.1,
                size,
            },
        ))
    }

    /// Returns `true` if a location is code.
    pub(super) fn is_code(&self, location: Location) -> bool {
        match location {
            Location::Inside(section, _) => self
                .sections
                .get(&section)
                .is_some_and(|section| section.is_code),
            Location::Elsewhere(_) => false,
        }
    }

    /// The start of the function or variable that a location is in, and the offset in it; the location itself if it
    /// is not in one that has a size.
    pub(super) fn owner(&self, location: Location) -> (Location, u64) {
        let Location::Inside(section, offset) = location else {
            return (location, 0);
        };
        for all in [&self.functions, &self.variables] {
            if let Some((&(of, start), &size)) = all.range(..=(section, offset)).next_back()
                && of == section
                && offset < start.saturating_add(size)
            {
                return (Location::Inside(section, start), offset - start);
            }
        }
        (location, 0)
    }
}

/// The names that the functions of a text use for symbols outside of them: numbers, by first appearance.
#[derive(Debug, Default)]
pub(super) struct SymbolNames {
    functions: BTreeMap<Location, usize>,
    variables: BTreeMap<Location, usize>,
}

impl SymbolNames {
    /// `func_0`
    pub(super) fn function(&mut self, location: Location) -> String {
        let next = self.functions.len();
        format!("func_{}", self.functions.entry(location).or_insert(next))
    }

    /// `data_0`, or `data_0+0x8` for something inside of it; a function where the location is code.
    pub(super) fn location(&mut self, image: &Image<'_>, location: Location, extra: i64) -> String {
        let (owner, inside) = image.owner(location);
        let name = if image.is_code(owner) || self.functions.contains_key(&owner) {
            self.function(owner)
        } else {
            let next = self.variables.len();
            format!("data_{}", self.variables.entry(owner).or_insert(next))
        };
        let inside = i64::try_from(inside).unwrap_or(0).wrapping_add(extra);
        match inside {
            0 => name,
            1.. => format!("{name}+{inside:#x}"),
            _ => format!("{name}-{:#x}", inside.unsigned_abs()),
        }
    }
}
