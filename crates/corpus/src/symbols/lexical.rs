//! Symbols of a text that stands alone, by spelling: every word outside of comments and strings is a name, but for
//! keywords and the names that the caller knows to be the library's.
//!
//! A text alone does not show the owner or the role of a name. So all names that are spelled alike are one symbol
//! (its role is always [`Role::Variable`] and has no meaning), and no property of the result is proven: a name inside
//! of a string that the language reads as code (`f"{x}"`) keeps its spelling. Only C and C++ have a list of the
//! library's names. In any other language whose keywords `languages` lists, the library's names are names like all
//! others.

use barecode_languages::{PieceKind, of, pieces};
use barecode_records::{Language, Role};

use super::c::declared::is_keyword;
use super::{SpaceId, Stays, Symbols};
use crate::preprocess::lex::{TokenKind, lex};

/// The one name space.
const WORDS: SpaceId = SpaceId(0);

/// A text that stands alone, read by spelling.
#[derive(Debug)]
pub struct Alone {
    /// The text; each comment is a blank, because it contains no names.
    pub text: String,
    /// Its names.
    pub symbols: Symbols,
}

impl Alone {
    /// Reads a text; `is_known` recognizes the library's names. `None` if the language's keywords are not known.
    ///
    /// ```
    /// use barecode_corpus::symbols::lexical::Alone;
    /// use barecode_records::Language;
    /// let alone = Alone::of("def add(a):  # one\n    return f'{a}' + a", Language::named("python"), |_| false).unwrap();
    /// let names: Vec<&str> = alone.symbols.names().iter().map(|name| &*name.text).collect();
    /// assert_eq!(names, ["add", "a"]);
    /// assert!(Alone::of("mov eax, 1", Language::named("assembly"), |_| false).is_none());
    /// ```
    pub fn of(text: &str, language: Language, is_known: impl Fn(&str) -> bool) -> Option<Alone> {
        let entry = of(language).filter(|entry| !entry.keywords.is_empty())?;
        let text = without_comments(text, language);
        let symbols = if matches!(language, Language::C | Language::CPP) {
            of_c(&text, is_known)
        } else {
            let mut symbols = Symbols::new(|_| false);
            let words = entry.keywords.iter().map(|word| Box::from(*word));
            symbols.reserved.extend(words);
            let pieces = pieces(&text, language);
            for (at, piece) in pieces.iter().enumerate() {
                if piece.kind != PieceKind::Word {
                    continue;
                }
                let word = text.get(piece.range.clone()).unwrap_or_default();
                // `f"…"`: the text right before a string decides how to read it.
                let is_prefix = pieces.get(at + 1).is_some_and(|next| {
                    next.kind == PieceKind::Quoted && next.range.start == piece.range.end
                });
                if is_prefix || entry.is_keyword(word) {
                    symbols.stays(piece.range.clone(), Stays::Keyword);
                } else {
                    symbols.named(word, piece.range.clone(), &is_known);
                }
            }
            symbols.settle(&text, &[]);
            symbols
        };
        Some(Alone { text, symbols })
    }
}

fn of_c(text: &str, is_known: impl Fn(&str) -> bool) -> Symbols {
    let mut symbols = Symbols::new(is_keyword);
    let (mut before, mut in_include) = ("", false);
    for token in lex(text) {
        let word = token.text(text);
        let range = token.start..token.end;
        match token.kind {
            TokenKind::Newline => in_include = false,
            TokenKind::Identifier if before == "#" => {
                in_include = word == "include";
                symbols.stays(range, Stays::Keyword);
            }
            TokenKind::Identifier if in_include => symbols.stays(range, Stays::External),
            TokenKind::Identifier if is_keyword(word) => symbols.stays(range, Stays::Keyword),
            TokenKind::Identifier => symbols.named(word, range, &is_known),
            _ => {}
        }
        before = word;
    }
    symbols.settle(text, &[]);
    symbols
}

impl Symbols {
    /// Notes a word that is a name by its spelling.
    fn named(
        &mut self,
        word: &str,
        range: std::ops::Range<usize>,
        is_known: impl Fn(&str) -> bool,
    ) {
        if is_known(word) {
            self.stays(range, Stays::Standard);
        } else {
            let symbol = self.declare(word, WORDS, Role::Variable);
            self.occurs(range, symbol);
        }
    }
}

/// The text with each comment as a blank.
fn without_comments(text: &str, language: Language) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for piece in pieces(text, language) {
        if piece.kind == PieceKind::Comment {
            out.push_str(text.get(at..piece.range.start).unwrap_or_default());
            out.push(' ');
            at = piece.range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
