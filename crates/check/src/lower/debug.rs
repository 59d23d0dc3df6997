//! DWARF of an object file → the source positions of its functions, and the compilers that made them.
//!
//! Only functions that have code of their own in the object are listed: a function that was inlined into all callers
//! has none. A function that is defined in one file and declared in another has the position of its definition.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, RunTimeEndian, SectionId};

/// The bytes of a section, and the values that the linker would fill in.
#[derive(Debug, Clone, Default)]
pub(super) struct Part<'o> {
    pub(super) bytes: std::borrow::Cow<'o, [u8]>,
    pub(super) filled: BTreeMap<usize, u64>,
}

/// A function in the order of the debug information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Its name, without qualifiers.
    pub(super) name: String,
    /// The name of its symbol.
    pub(super) symbol: String,
    /// Its file as the compiler saw it, with `/` between folders, and without `.` and `..`.
    pub(super) path: String,
    /// The line of its name, from 1.
    pub(super) line: u32,
    /// The index of its compiler in [`Debug::producers`].
    pub(super) producer: usize,
}

/// The content of debug information.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Debug {
    /// The compilers of the object, by the names that they give themselves.
    pub(super) producers: Vec<String>,
    pub(super) functions: Vec<Written>,
    /// Number of functions that have code but no name, file or line: those that compilers add.
    pub(super) without_place: u64,
}

/// Fills in the values that the linker would.
#[derive(Debug, Clone, Copy)]
struct Fill<'p>(&'p BTreeMap<usize, u64>);

impl gimli::read::Relocate for Fill<'_> {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        Ok(self.0.get(&offset).copied().unwrap_or(value))
    }

    fn relocate_offset(&self, offset: usize, value: usize) -> gimli::Result<usize> {
        let filled = self.0.get(&offset).map(|&it| usize::try_from(it));
        filled
            .unwrap_or(Ok(value))
            .map_err(|_| gimli::Error::UnsupportedOffset)
    }
}

type Reader<'p> = gimli::RelocateReader<EndianSlice<'p, RunTimeEndian>, Fill<'p>>;
type Entry<'p> = DebuggingInformationEntry<Reader<'p>>;

/// The greatest number of references from a function to other entries about it.
const REFERENCES: usize = 8;

/// Reads the debug information of an object whose sections are these, by DWARF's names (`.debug_info`).
pub(super) fn read(parts: &BTreeMap<String, Part<'_>>) -> gimli::Result<Debug> {
    let nothing = Part::default();
    let section = |id: SectionId| -> gimli::Result<Reader<'_>> {
        let part = parts.get(id.name()).unwrap_or(&nothing);
        let slice = EndianSlice::new(&part.bytes, RunTimeEndian::Little);
        Ok(gimli::RelocateReader::new(slice, Fill(&part.filled)))
    };
    let dwarf = gimli::Dwarf::load(section)?;
    let mut debug = Debug::default();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let reader = UnitReader {
            dwarf: &dwarf,
            unit: &unit,
        };
        let mut entries = unit.entries();
        let Some(root) = entries.next_dfs()? else {
            continue;
        };
        let producer = reader
            .text(root, gimli::DW_AT_producer)?
            .unwrap_or_default();
        debug.producers.push(producer);
        while let Some(entry) = entries.next_dfs()? {
            let has_code =
                entry.has_attr(gimli::DW_AT_low_pc) || entry.has_attr(gimli::DW_AT_ranges);
            if entry.tag() != gimli::DW_TAG_subprogram || !has_code {
                continue;
            }
            match reader.function(entry, debug.producers.len() - 1)? {
                Some(function) => debug.functions.push(function),
                None => debug.without_place += 1,
            }
        }
    }
    Ok(debug)
}

/// Reads the entries of one unit.
struct UnitReader<'d, 'p> {
    dwarf: &'d gimli::Dwarf<Reader<'p>>,
    unit: &'d gimli::Unit<Reader<'p>>,
}

impl<'p> UnitReader<'_, 'p> {
    /// The data about a function in its entry, and in those that it refers to.
    fn function(&self, entry: &Entry<'p>, producer: usize) -> gimli::Result<Option<Written>> {
        let (mut name, mut symbol, mut line, mut file) = (None, None, None, None);
        let mut at = Some(entry.clone());
        for _ in 0..REFERENCES {
            let Some(entry) = at else { break };
            name = name.or(self.text(&entry, gimli::DW_AT_name)?);
            symbol = symbol.or(self.text(&entry, gimli::DW_AT_linkage_name)?);
            let number = |of| match entry.attr_value(of) {
                Some(AttributeValue::FileIndex(number)) => Some(number),
                Some(other) => other.udata_value(),
                None => None,
            };
            // A file and a line belong together: the compiler leaves out the file where it stays the same.
            if line.is_none() {
                line = number(gimli::DW_AT_decl_line);
                file = number(gimli::DW_AT_decl_file).or(file);
            } else {
                file = file.or(number(gimli::DW_AT_decl_file));
            }
            let more = entry.attr_value(gimli::DW_AT_abstract_origin);
            at = match more.or_else(|| entry.attr_value(gimli::DW_AT_specification)) {
                Some(AttributeValue::UnitRef(offset)) => Some(self.unit.entry(offset)?),
                _ => None,
            };
        }
        let (Some(name), Some(line), Some(file)) = (name, line, file) else {
            return Ok(None);
        };
        let Some(path) = self.path(file)? else {
            return Ok(None);
        };
        Ok(Some(Written {
            symbol: symbol.unwrap_or_else(|| name.clone()),
            name,
            path,
            line: u32::try_from(line).unwrap_or(0),
            producer,
        }))
    }

    fn text(&self, entry: &Entry<'p>, of: gimli::DwAt) -> gimli::Result<Option<String>> {
        let Some(value) = entry.attr_value(of) else {
            return Ok(None);
        };
        let text = self.dwarf.attr_string(self.unit, value)?;
        Ok(Some(gimli::Reader::to_string_lossy(&text)?.into_owned()))
    }

    /// The path of a file of the unit.
    fn path(&self, file: u64) -> gimli::Result<Option<String>> {
        let Some(program) = &self.unit.line_program else {
            return Ok(None);
        };
        let header = program.header();
        let Some(file) = header.file(file) else {
            return Ok(None);
        };
        let text = |value| -> gimli::Result<String> {
            let text = self.dwarf.attr_string(self.unit, value)?;
            Ok(gimli::Reader::to_string_lossy(&text)?.into_owned())
        };
        let mut path = PathBuf::new();
        if let Some(folder) = &self.unit.comp_dir {
            path.push(&*gimli::Reader::to_string_lossy(folder)?);
        }
        if let Some(folder) = file.directory(header) {
            path.push(text(folder)?);
        }
        path.push(text(file.path_name())?);
        Ok(Some(plain(&path)))
    }
}

/// A path without `.`, and without `..` and the folders that it cancels.
fn plain(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str().unwrap_or("\u{fffd}")),
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.join("/")
}
