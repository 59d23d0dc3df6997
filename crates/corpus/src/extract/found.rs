//! A function that was found, and the rows of files and functions that are left out.

use std::ops::Range;

use barecode_records::{
    Closure, DocComment, Function, FunctionKind, Id, Language, Outcome, Reason, References,
    SetAside, Stage,
};
use barecode_sources::{Source, origin};

/// A function that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) root: String,
    pub(crate) language: Language,
    pub(crate) kind: FunctionKind,
    pub(crate) is_template: bool,
    pub(crate) path: String,
    pub(crate) range: Range<usize>,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) doc: Option<DocComment>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) refused: Option<(Reason, String)>,
}

impl Found {
    pub(crate) fn id(&self, source: &Source) -> Id {
        Function::id_of(source.config().key(), &self.path, &self.name, &self.text)
    }

    /// The function with all it needs.
    pub(crate) fn closed(
        &self,
        source: &Source,
        qualified_name: String,
        docs: Vec<DocComment>,
        (closure, references): (Closure, References),
    ) -> Function {
        Function {
            id: self.id(source),
            origin: origin(source, &self.path, self.start_line, self.end_line),
            language: self.language,
            name: self.name.clone(),
            qualified_name,
            kind: self.kind,
            is_template: self.is_template,
            translation_unit: self.root.clone(),
            text: self.text.clone(),
            docs,
            references,
            closure,
        }
    }

    pub(crate) fn refuse(
        &self,
        source: &Source,
        extraction: &mut Outcome<Vec<Function>>,
        reason: Reason,
        detail: String,
    ) {
        let lines = (self.start_line, self.end_line);
        let row = refused(source, &self.path, lines, &self.name, (reason, detail));
        extraction.set_aside("functions", row);
    }
}

/// The row of a function that is left out.
pub(crate) fn refused(
    source: &Source,
    path: &str,
    (start, end): (u32, u32),
    name: &str,
    (reason, detail): (Reason, String),
) -> SetAside {
    SetAside {
        origin: Some(origin(source, path, start, end)),
        name: (!name.is_empty()).then(|| name.to_owned()),
        ..SetAside::new(Stage::Extract, "function", reason, detail)
    }
}

/// Leaves out a file that was counted as kept.
pub(crate) fn refuse_file(
    source: &Source,
    path: &str,
    (reason, detail): (Reason, String),
    extraction: &mut Outcome<Vec<Function>>,
) {
    let row = SetAside {
        origin: Some(origin(source, path, 1, 1)),
        ..SetAside::new(Stage::Extract, "file", reason, detail)
    };
    extraction.set_aside_kept("files", row);
}
