//! `KIND:REST`, the short forms of the command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::described::Described;
use super::{ModelSpec, Source};
use crate::{ModelError, public_address};

/// The kinds of models, as in short forms and `models.toml`.
pub(super) const KINDS: [&str; 12] = [
    "local",
    "hf",
    "openai",
    "anthropic",
    "voyage",
    "cohere",
    "jina",
    "gemini",
    "tei",
    "process",
    "vectors",
    "run",
];

impl FromStr for ModelSpec {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        short_form(text)
    }
}

/// Reads a short form; the name is the form itself, without secrets.
///
/// ```
/// use barecode_models::{ModelSpec, Source, short_form};
/// let spec: ModelSpec = short_form("voyage:voyage-code-3")?;
/// assert_eq!(spec.source, Source::Voyage("voyage-code-3".to_owned()));
/// let spec: ModelSpec = "openai+http://localhost:8000/v1#bge-m3".parse()?;
/// assert_eq!(spec.name, "openai+http://localhost:8000/v1#bge-m3");
/// let error = "voyag:voyage-code-3".parse::<ModelSpec>().unwrap_err();
/// assert!(error.to_string().contains("did you mean `voyage`?"));
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// [`ModelError::Unusable`] with the problem, the nearest kind, and all short forms.
pub fn short_form<T: Described>(text: &str) -> Result<T, ModelError> {
    let text = text.trim();
    let refused = |why: &str| refused::<T>(text, why);
    let known = || KINDS.into_iter().chain(T::kinds().iter().copied());
    let (kind, rest) = match text.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest.trim())),
        None => (text, None),
    };
    if let Some(url) = text.strip_prefix("openai+") {
        let source = compatible(url, None).map_err(|why| refused(&why))?;
        let Source::Compatible { url, model } = &source else {
            return Err(refused("no address"));
        };
        let name = match model {
            Some(model) => format!("openai+{}#{model}", public_address(url)),
            None => format!("openai+{}", public_address(url)),
        };
        return Ok(ModelSpec::new(&name, source).into());
    }
    let is_model = KINDS.contains(&kind);
    if !is_model && !T::kinds().contains(&kind) {
        let near = nearest(kind, known());
        return Err(refused(&match rest {
            Some(_) => format!("`{kind}` is not a kind of model{near}"),
            None if near.is_empty() => format!("the kind of the model is missing{}", place(text)),
            None => format!("the kind of the model is missing{near}"),
        }));
    }
    if rest == Some("") {
        return Err(refused(&format!("nothing after `{kind}:`")));
    }
    if !is_model {
        return T::of_form(text, kind, rest.unwrap_or_default()).map_err(|why| refused(&why));
    }
    let Some(rest) = rest else {
        let why = format!("no model after its kind: `{kind}:…`");
        return Err(refused(&why));
    };
    let source = source_of(kind, rest).map_err(|why| refused(&why))?;
    let name = match &source {
        Source::Tei(url) => format!("tei:{}", public_address(url)),
        _ => text.to_owned(),
    };
    Ok(ModelSpec::new(&name, source).into())
}

/// The short form of a model of which only the location was given.
fn place(text: &str) -> String {
    if Path::new(text).is_dir() {
        return format!("; a folder is `local:{text}`");
    }
    let repository = match text.split('/').count() {
        2 if !text.starts_with(['.', '/']) => text,
        _ => "ORG/NAME",
    };
    format!("; a model of the hub is `hf:{repository}`")
}

/// The source of one of [`KINDS`] and its rest.
pub(super) fn source_of(kind: &str, rest: &str) -> Result<Source, String> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Err(format!("nothing after `{kind}:`"));
    }
    let text = rest.to_owned();
    Ok(match kind {
        "local" => Source::Local(PathBuf::from(text)),
        "hf" => {
            let parts: Vec<&str> = rest.split('/').collect();
            let is_name = |part: &&str| {
                !part.is_empty()
                    && *part != "."
                    && *part != ".."
                    && part
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            };
            let without_revision = rest.split('@').next().unwrap_or(rest);
            let names: Vec<&str> = without_revision.split('/').collect();
            if parts.is_empty() || names.len() > 2 || !names.iter().all(is_name) {
                return Err(format!(
                    "`{rest}` is not a repository of the hub (ORG/NAME)"
                ));
            }
            Source::Hub(text)
        }
        "openai" => Source::OpenAi(text),
        "anthropic" => Source::Anthropic(text),
        "voyage" => Source::Voyage(text),
        "cohere" => Source::Cohere(text),
        "jina" => Source::Jina(text),
        "gemini" => Source::Gemini(text),
        "tei" => Source::Tei(address(rest)?),
        "process" => Source::Process(text),
        "vectors" => Source::Vectors(PathBuf::from(text)),
        _ => Source::Run(PathBuf::from(text)),
    })
}

/// A server with OpenAI's interface; the model's name may follow a `#`.
pub(super) fn compatible(url: &str, model: Option<&str>) -> Result<Source, String> {
    let (url, fragment) = url
        .split_once('#')
        .map_or((url, None), |(url, model)| (url, Some(model)));
    let model = model.or(fragment).filter(|model| !model.is_empty());
    Ok(Source::Compatible {
        url: address(url)?,
        model: model.map(str::to_owned),
    })
}

/// An address of a server, without a slash at its end.
pub(super) fn address(url: &str) -> Result<String, String> {
    let is_address = ["http://", "https://"].iter().any(|scheme| {
        url.strip_prefix(scheme)
            .is_some_and(|rest| !rest.is_empty())
    });
    if !is_address {
        return Err(format!(
            "`{}` is not an address (http://… or https://…)",
            public_address(url)
        ));
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// `; did you mean …?` if a known name is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let near = known
        .into_iter()
        .map(|other| (strsim::damerau_levenshtein(&name, other), other))
        .filter(|(distance, other)| *distance <= 1 + other.len() / 4)
        .min();
    near.map_or(String::new(), |(_, other)| {
        format!("; did you mean `{other}`?")
    })
}

fn refused<T: Described>(text: &str, why: &str) -> ModelError {
    // A secret in an address is not shown, and neither is the text after it.
    let shown = if text.contains("://") {
        public_address(text)
    } else {
        text.to_owned()
    };
    ModelError::unusable(format!("model `{shown}`: {why}")).with_hint(format!(
        "models are {}local:FOLDER, hf:ORG/NAME, openai:MODEL, anthropic:MODEL, voyage:MODEL, cohere:MODEL, jina:MODEL, \
         gemini:MODEL, tei:URL, openai+URL#MODEL, process:COMMAND, vectors:FILE, run:FILE, or names from models.toml",
        T::forms()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Source, String> {
        let spec = text.parse::<ModelSpec>();
        spec.map(|spec| spec.source)
            .map_err(|error| format!("{error}; {}", error.hint().unwrap_or_default()))
    }

    #[test]
    fn every_short_form_is_read() {
        let text = |text: &str| text.to_owned();
        assert_eq!(read("local:a b/c"), Ok(Source::Local("a b/c".into())));
        assert_eq!(read("hf:org/name@v1"), Ok(Source::Hub(text("org/name@v1"))));
        assert_eq!(
            read("openai:text-embedding-3-large"),
            Ok(Source::OpenAi(text("text-embedding-3-large")))
        );
        assert_eq!(read("tei:http://h:8/"), Ok(Source::Tei(text("http://h:8"))));
        assert_eq!(
            read("openai+http://h/v1/#m/n:q"),
            Ok(Source::Compatible {
                url: text("http://h/v1"),
                model: Some(text("m/n:q"))
            })
        );
        assert_eq!(
            read("process:python3 embed.py --x 1"),
            Ok(Source::Process(text("python3 embed.py --x 1")))
        );
        assert_eq!(read("run:x.trec"), Ok(Source::Run("x.trec".into())));
        for kind in ["anthropic", "voyage", "cohere", "jina", "gemini", "vectors"] {
            assert_eq!(read(&format!("{kind}:x")).unwrap().kind(), kind);
        }
    }

    #[test]
    fn what_is_no_model_is_refused_with_the_nearest_kind() {
        for (form, why) in [
            ("voyage", "no model after its kind: `voyage:…`"),
            ("cohrere:x", "did you mean `cohere`?"),
            ("voyage:", "nothing after `voyage:`"),
            ("tei:localhost:80", "is not an address"),
            ("hf:a/b/c", "not a repository of the hub"),
            ("hf:../x", "not a repository of the hub"),
            ("bm25", "the kind of the model is missing"),
            ("minilm", "a model of the hub is `hf:ORG/NAME`"),
            ("org/name", "a model of the hub is `hf:org/name`"),
            // Tests run in the folder of the crate.
            ("src", "a folder is `local:src`"),
            ("openai+ftp://h", "is not an address"),
            ("", "the kind of the model is missing"),
        ] {
            let error = read(form).unwrap_err();
            assert!(error.contains(why), "{form}: {error}");
            assert!(error.contains("; models are local:FOLDER, hf:"), "{error}");
        }
    }

    #[test]
    fn secrets_in_addresses_are_in_no_name_and_no_error() {
        let spec: ModelSpec = "tei:http://me:secret@h:8/".parse().unwrap();
        assert_eq!(spec.name, "tei:http://h:8");
        let error = read("tie:http://me:secret@h:8/").unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }
}
