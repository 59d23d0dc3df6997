//! A file → the R in it: a script as it is, the chunks of R Markdown and Quarto, the cells of a notebook.
//!
//! Each chunk is read by itself, so that neither a comment nor an open brace reaches into the next one.

use serde_json::Value;

/// A stretch of R and its lines in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The code, without the fences of a chunk.
    pub text: String,
    /// The line of the file that the first line is.
    first_line: u32,
    /// The line of the file that each line is, if they do not follow each other.
    each: Vec<u32>,
}

impl Chunk {
    /// The line of the file for a row of the text, from 0.
    pub fn line(&self, row: usize) -> u32 {
        match self.each.as_slice() {
            [] => self.first_line + u32::try_from(row).unwrap_or(u32::MAX / 2),
            each => each.get(row).or(each.last()).copied().unwrap_or(1),
        }
    }
}

/// The kind of a file, by its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// R from its first to its last byte.
    Script,
    /// R Markdown or Quarto.
    Markdown,
    /// A Jupyter notebook.
    Notebook,
}

/// Why no R is read from a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It has code of other languages, or none.
    #[error("{0}")]
    OtherLanguage(String),
    /// It is not a notebook.
    #[error("{0}")]
    Broken(String),
}

impl Document {
    /// The kind of the file at a path.
    pub fn of_path(path: &str) -> Option<Document> {
        match barecode_languages::ending(path) {
            "R" | "r" => Some(Document::Script),
            "Rmd" | "rmd" | "qmd" | "Qmd" => Some(Document::Markdown),
            "ipynb" => Some(Document::Notebook),
            _ => None,
        }
    }

    /// The R of a text of this kind; at least one chunk.
    ///
    /// # Errors
    /// For a document without R, and for a text that is not a notebook.
    pub fn chunks(self, text: String) -> Result<Vec<Chunk>, DocumentError> {
        let chunks = match self {
            Document::Script => vec![Chunk {
                text,
                first_line: 1,
                each: Vec::new(),
            }],
            Document::Markdown => of_markdown(&text),
            Document::Notebook => of_notebook(&text)?,
        };
        match chunks.as_slice() {
            [] => Err(DocumentError::OtherLanguage("no chunk of R".to_owned())),
            _ => Ok(chunks),
        }
    }
}

/// The chunks between ```` ```{r …} ```` and ```` ``` ````, as knitr finds them.
fn of_markdown(text: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut open: Option<(usize, Option<Chunk>)> = None;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let ticks = fence(line);
        match (&mut open, ticks) {
            (Some((length, chunk)), Some((ticks, ""))) if ticks >= *length => {
                chunks.extend(chunk.take());
                open = None;
            }
            (Some((_, chunk)), _) => {
                if let Some(chunk) = chunk {
                    chunk.text.push_str(line);
                }
            }
            (None, Some((ticks, info))) => {
                let chunk = is_of_r(info).then(|| Chunk {
                    text: String::new(),
                    first_line: number + 1,
                    each: Vec::new(),
                });
                open = Some((ticks, chunk));
            }
            (None, None) => {}
        }
    }
    chunks.extend(open.and_then(|(_, chunk)| chunk));
    chunks
}

/// The number of backticks that a line begins with, if they are a fence, and the text behind them.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let rest = line.trim_start_matches('`');
    let ticks = line.len() - rest.len();
    (ticks >= 3).then(|| (ticks, rest.trim()))
}

/// Returns `true` if the head of a chunk names R as its engine.
fn is_of_r(info: &str) -> bool {
    let head = info
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let engine = head.and_then(|head| head.trim_start().split([' ', ',', '\t']).next());
    matches!(engine, Some("r" | "R"))
}

/// The code cells of a notebook with a kernel of R.
fn of_notebook(text: &str) -> Result<Vec<Chunk>, DocumentError> {
    let broken = |why: &str| DocumentError::Broken(why.to_owned());
    let notebook: Value =
        serde_json::from_str(text).map_err(|error| DocumentError::Broken(error.to_string()))?;
    let cells = notebook["cells"].as_array();
    let cells = cells.ok_or_else(|| broken("it has no `cells`"))?;
    let metadata = &notebook["metadata"];
    let stated = [
        &metadata["kernelspec"]["language"],
        &metadata["language_info"]["name"],
        &metadata["kernelspec"]["name"],
    ];
    let language = stated.into_iter().find_map(Value::as_str);
    if !matches!(language, Some("R" | "r" | "ir")) {
        let language = language.unwrap_or("no language is stated");
        return Err(DocumentError::OtherLanguage(language.to_owned()));
    }
    let mut lines = Lines::new(text);
    let is_code = |cell: &&Value| cell["cell_type"] == "code";
    let chunks = cells.iter().filter(is_code).map(|cell| {
        let pieces: Vec<&str> = match &cell["source"] {
            Value::Array(pieces) => pieces.iter().filter_map(Value::as_str).collect(),
            Value::String(text) => vec![text],
            _ => Vec::new(),
        };
        let mut chunk = Chunk {
            text: String::new(),
            first_line: 1,
            each: Vec::new(),
        };
        for piece in pieces {
            let line = lines.of(piece);
            let count = piece.matches('\n').count().max(1);
            chunk.each.extend(std::iter::repeat_n(line, count));
            chunk.text.push_str(piece);
        }
        chunk
    });
    Ok(chunks.collect())
}

/// Finds the lines of the strings in a JSON text, which are requested in order.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    is_lost: bool,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Lines {
            text,
            at: 0,
            line: 1,
            is_lost: false,
        }
    }

    /// The line of a string, or of the last one that was found if it is escaped in another way.
    fn of(&mut self, string: &str) -> u32 {
        let written = serde_json::to_string(string).unwrap_or_default();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found =
            (!self.is_lost).then(|| memchr::memmem::find(rest.as_bytes(), written.as_bytes()));
        let Some(Some(found)) = found else {
            // Searching the whole file for each string would take the square of its length.
            self.is_lost = true;
            return self.line;
        };
        let passed = rest.as_bytes().get(..found).unwrap_or_default();
        let breaks = memchr::memchr_iter(b'\n', passed).count();
        self.line += u32::try_from(breaks).unwrap_or(0);
        self.at += found + written.len();
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> Vec<(u32, String)> {
        let chunks = Document::Markdown.chunks(text.to_owned());
        let chunks = chunks.unwrap_or_default().into_iter();
        chunks.map(|chunk| (chunk.line(0), chunk.text)).collect()
    }

    #[test]
    fn chunks_of_r_are_read_and_others_are_not() {
        let text = "# Title\n\n```{r setup, echo=FALSE}\nx <- 1\n```\n\n```{python}\n# a comment\n```\n```r\n# shown\n```\n  ```{R}\n  y\n  ```\n";
        let read = markdown(text);
        assert_eq!(read, [(4, "x <- 1\n".to_owned()), (14, "  y\n".to_owned())]);
    }

    #[test]
    fn longer_fences_hold_shorter_ones_and_an_open_one_goes_to_the_end() {
        let text = "````{r}\ncat('\n```\n')\n````\n```{r}\nz";
        let read = markdown(text);
        assert_eq!(
            read,
            [(2, "cat('\n```\n')\n".to_owned()), (7, "z".to_owned())]
        );
        let none = Document::Markdown.chunks("# only text\n".to_owned());
        assert_eq!(
            none,
            Err(DocumentError::OtherLanguage("no chunk of R".to_owned()))
        );
    }

    #[test]
    fn cells_of_a_notebook_know_their_lines() {
        let text = "{\n \"cells\": [\n  {\"cell_type\": \"markdown\", \"source\": [\"# not code\"]},\n  {\"cell_type\": \"code\",\n   \
                    \"source\": [\n    \"# load it\\n\",\n    \"x <- \\\"a\\\"\"\n   ]}\n ],\n \
                    \"metadata\": {\"kernelspec\": {\"language\": \"R\", \"name\": \"ir\"}}\n}\n";
        let chunks = Document::Notebook.chunks(text.to_owned()).unwrap();
        assert_eq!(chunks[0].text, "# load it\nx <- \"a\"");
        assert_eq!(
            (chunks[0].line(0), chunks[0].line(1), chunks[0].line(9)),
            (6, 7, 7)
        );
    }

    #[test]
    fn other_kernels_and_broken_json_have_their_reasons() {
        let read = |text: &str| Document::Notebook.chunks(text.to_owned()).unwrap_err();
        let python =
            read("{\"cells\": [], \"metadata\": {\"language_info\": {\"name\": \"python\"}}}");
        assert_eq!(python, DocumentError::OtherLanguage("python".to_owned()));
        for text in [
            "",
            "{",
            "[1]",
            "{\"cells\": 3}",
            "{\"cells\": [{\"source\": \"x",
        ] {
            assert!(matches!(read(text), DocumentError::Broken(_)), "{text}");
        }
    }
}
