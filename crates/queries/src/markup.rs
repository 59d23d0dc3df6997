//! The languages that doc comments are written in: doxygen, Javadoc, kernel-doc, roxygen, YARD, C#'s XML, some HTML.

use std::sync::LazyLock;

use regex::Regex;

/// The markup at the beginning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tag<'l> {
    /// It is text.
    None,
    /// It is text after a tag that only marks it as such (`@brief`).
    Text(&'l str),
    /// It is text and begins a paragraph (`<p>`).
    Paragraph(&'l str),
    /// It holds no part of the description (`@ingroup`).
    Line,
    /// The description ends in it, after this text (`@param`, `Returns:`).
    End(&'l str),
}

const TEXT: &str = "\
    abstract brief desc description details overview par purpose short summary remark title";
const LINE: &str = "\
    access addtogroup alias aliases api author authors category copyright date defgroup export family file fn \
    func function headerfile ingroup internal keywords kind md memberof method module name noRd package private \
    protected public rdname relates since static version";
const END: &str = "\
    arg attention bug code deprecated example examples exception importFrom inheritDoc inheritParams invariant \
    li note overload param params option post pre raise ref_count result return returns retval sa sample section see test throw \
    throws todo tparam verbatim warning yield yieldparam yieldreturn";
const INLINE: [&str; 14] = [
    "a", "anchor", "b", "c", "cite", "e", "em", "emph", "link", "p", "ref", "subpage", "tt",
    "endlink",
];

/// Reads the tag of a line; `is_first` means that no text came before it.
pub(crate) fn tag_of(line: &str, is_first: bool) -> Tag<'_> {
    static COMMAND: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^[@\\](!?[A-Za-z_]+)(?:\[[^\]]*\])?"));
    static HEADING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:Args?|Arguments?|Context|Examples?|Inputs?|Notes?|Outputs?|Param(?:eter)?s?|Returns?|Return [Vv]alues?|RETURNS?|RETURN VALUES?|PARAM(?:ETER)?S?|INPUTS?|OUTPUTS?|NOTES?|See [Aa]lso|Side [Ee]ffects?|Usage|WARNING|Warning)\s*:",
        )
    });
    static WITHIN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\s[@\\](?:param|params|return|returns|retval|see|sa|throws|note|warning)\b")
    });
    if let Some(found) = COMMAND.captures(line) {
        let name = found.get(1).map_or("", |name| name.as_str());
        let rest = line
            .get(found.get(0).map_or(0, |whole| whole.end())..)
            .unwrap_or_default();
        let is_among = |list: &str| list.split_ascii_whitespace().any(|one| one == name);
        return match name {
            _ if is_among(TEXT) => within(rest, &WITHIN).map_or(Tag::Text(rest), Tag::End),
            // YARD's directives: `@!visibility private`.
            _ if is_among(LINE) || name.starts_with('!') => Tag::Line,
            _ if is_among(END) => Tag::End(""),
            _ if INLINE.contains(&name) => within(line, &WITHIN).map_or(Tag::None, Tag::End),
            // kernel-doc's `@argument:`, or a command that is not known.
            _ if is_first && !rest.starts_with(':') => Tag::Text(rest),
            _ => Tag::End(""),
        };
    }
    if !is_first && HEADING.is_match(line) {
        return Tag::End("");
    }
    if let Some(text) = line
        .strip_prefix("<p>")
        .or_else(|| line.strip_prefix("<P>"))
    {
        return Tag::Paragraph(text);
    }
    within(line, &WITHIN).map_or(Tag::None, Tag::End)
}

/// The text before a tag in the middle of a line.
fn within<'l>(line: &'l str, tags: &Regex) -> Option<&'l str> {
    tags.find(line).and_then(|found| line.get(..found.start()))
}

/// Text without markup inside it: `@p x`, `` `x` ``, `{@link x}`, `%NULL`, HTML tags and entities.
pub(crate) fn plain_text(text: &str) -> String {
    // SQLite ties its comments to its requirements: `IMPLEMENTATION-OF: R-53536-42575`.
    static REQUIREMENT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?:[A-Z]{2,}(?:-OF)?: +)?\bR(?:-[0-9]{5}){2,}[ :]*"));
    static BRACES: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\{@(?:code|link|linkplain|literal|value)\s+([^{}]*)\}"));
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        let names = INLINE.join("|");
        pattern(&format!(r"(^|[\s(\[,])[@\\](?:{names})\s+"))
    });
    // A reference of C#'s XML, and an element around words.
    static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"<(?:see|seealso|paramref|typeparamref)\s+(?:cref|langword|name|href)="(?:[A-Z]:)?([^"]*)"\s*/>"#,
        )
    });
    static ELEMENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"</?(?:c|item|list|listheader|para|remarks|see|summary|term|value)(?:\s[^<>]*)?>")
    });
    // A link of roxygen or YARD.
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\\(?:code|link|pkg|emph|strong)\{([^{}]*)\}"));
    static CONSTANT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|[\s(])%([A-Za-z_])"));
    // kernel-doc's way to name a parameter within a sentence.
    static PARAMETER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|[\s(])@([A-Za-z_])"));
    static BREAK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"</?(?:br|BR|dd|div|dl|dt|h[1-6]|hr|li|LI|ol|p|P|pre|table|td|tr|ul|UL)\s*/?>")
    });
    static STYLE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"</?(?:a|b|B|code|CODE|em|i|I|kbd|s|small|span|strong|sub|sup|tt|TT|u|var)(?:\s+[a-z]+="[^"]*")*\s*/?>"#,
        )
    });
    let text = REQUIREMENT.replace_all(text, "");
    let text = BRACES.replace_all(&text, "$1");
    let text = COMMAND.replace_all(&text, "$1");
    let text = CONSTANT.replace_all(&text, "$1$2");
    let text = PARAMETER.replace_all(&text, "$1$2");
    let text = REFERENCE.replace_all(&text, "$1");
    let text = ELEMENT.replace_all(&text, " ");
    let text = LINK.replace_all(&text, "$1");
    let text = BREAK.replace_all(&text, " ");
    let text = STYLE.replace_all(&text, "");
    let mut text = text.replace('`', "");
    for (entity, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, sign);
    }
    text
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is well-formed")
}
