//! A function that was found, and the rows of files and functions that are left out.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use barecode_records::{
    Account, Closure, DocComment, Function, FunctionKind, Id, Language, Reason, References,
    SetAside, Spool, Stage, Stored,
};
use barecode_sources::{Source, origin};

/// A function that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) root: Arc<str>,
    pub(crate) language: Language,
    pub(crate) kind: FunctionKind,
    pub(crate) is_template: bool,
    pub(crate) path: Arc<str>,
    pub(crate) range: Range<usize>,
    pub(crate) name: Box<str>,
    pub(crate) text: FoundText,
    pub(crate) doc: Option<FoundDoc>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) refused: Option<Box<(Reason, String)>>,
}

/// The bytes of all functions of a source that memory holds.
pub(crate) const TEXTS: u64 = 32 << 20;

/// The text of a function, in memory or in a temporary file.
#[derive(Debug, Clone)]
pub(crate) struct FoundText(Stored);

impl FoundText {
    pub(crate) fn of(texts: &Spool, text: String) -> Self {
        FoundText(texts.put(text.into_bytes()))
    }

    /// The same, in memory.
    pub(crate) fn here(text: String) -> Self {
        FoundText(Stored::from(text.into_bytes()))
    }

    pub(crate) fn get(&self) -> Cow<'_, str> {
        match self.0.bytes() {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => String::from_utf8(bytes).unwrap_or_default().into(),
        }
    }
}

impl Found {
    /// Moves its text and comment from memory to the texts of the source.
    pub(crate) fn move_to(&mut self, texts: &Spool) {
        self.text = FoundText(texts.put(self.text.0.bytes().into_owned()));
        if let Some(doc) = &mut self.doc {
            *doc = FoundDoc(texts.put(doc.0.bytes().into_owned()));
        }
    }

    pub(crate) fn id(&self, source: &Source) -> Id {
        self.id_of(source, &self.text.get())
    }

    /// The same, if its text is at hand.
    pub(crate) fn id_of(&self, source: &Source, text: &str) -> Id {
        Function::id_of(source.config().key(), &self.path, &self.name, text)
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
            name: self.name.to_string(),
            qualified_name,
            kind: self.kind,
            is_template: self.is_template,
            translation_unit: self.root.to_string(),
            text: self.text.get().into_owned(),
            docs,
            references,
            closure,
        }
    }

    pub(crate) fn refuse(
        &self,
        source: &Source,
        account: &mut Account,
        reason: Reason,
        detail: String,
    ) {
        let lines = (self.start_line, self.end_line);
        let row = refused(source, &self.path, lines, &self.name, (reason, detail));
        account.set_aside("functions", &row);
    }
}

/// The comment of a function, in memory or in a temporary file.
#[derive(Debug, Clone)]
pub(crate) struct FoundDoc(Stored);

impl FoundDoc {
    pub(crate) fn of(texts: &Spool, doc: &DocComment) -> Self {
        FoundDoc(texts.put(bytes_of(doc)))
    }

    /// The same, in memory.
    pub(crate) fn here(doc: &DocComment) -> Self {
        FoundDoc(Stored::from(bytes_of(doc)))
    }

    pub(crate) fn get(&self) -> DocComment {
        let doc = serde_json::from_slice(&self.0.bytes());
        doc.expect("a comment that was written can be read")
    }
}

fn bytes_of(doc: &DocComment) -> Vec<u8> {
    serde_json::to_vec(doc).expect("a comment is plain data")
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
    account: &mut Account,
) {
    let row = SetAside {
        origin: Some(origin(source, path, 1, 1)),
        ..SetAside::new(Stage::Extract, "file", reason, detail)
    };
    account.set_aside_kept("files", &row);
}
