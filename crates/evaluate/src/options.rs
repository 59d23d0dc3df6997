//! Options of retrievers as files and short forms have them: read as their type, handed on as text, written as values.

use std::fmt;
use std::marker::PhantomData;

use barecode_retrieval::{Retriever, Setting};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::retrievers::{self, OptionOf, named};

/// The content of a table, by indexes in the order of documentation.
#[derive(Debug, Default)]
pub(crate) struct Given {
    options: Vec<(usize, String)>,
    /// The other fields of the table.
    pub(crate) fields: Vec<usize>,
}

impl Given {
    /// The options of retrievers, with their values.
    pub(crate) fn options(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let options = self.options.iter();
        options.map(|(at, value)| (retrievers::option_names()[*at], value.as_str()))
    }
}

/// Reads a table, options of retrievers apart from its other fields; the others are among `fields`.
pub(crate) fn apart<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    table: D,
    fields: Option<&'static [&'static str]>,
) -> Result<(T, Given), D::Error> {
    table.deserialize_map(Table(fields, PhantomData))
}

struct Table<T>(Option<&'static [&'static str]>, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
    type Value = (T, Given);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct Wire")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let mut given = Given::default();
        let fields = Fields {
            map,
            known: self.0,
            given: &mut given,
        };
        let rest = T::deserialize(MapAccessDeserializer::new(fields))?;
        given.options.sort();
        given.fields.sort_unstable();
        Ok((rest, given))
    }
}

/// A table without the options of retrievers, which it sets aside.
struct Fields<'g, A> {
    map: A,
    known: Option<&'static [&'static str]>,
    given: &'g mut Given,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        mut seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.map.next_key_seed(Key(seed, self.known))? {
                None => return Ok(None),
                Some(Found::Field(at, field)) => {
                    self.given.fields.extend(at);
                    return Ok(Some(field));
                }
                Some(Found::Option(at, unused)) => {
                    let typed = Typed(&retrievers::options()[at]);
                    let value = self.map.next_value_seed(typed)?;
                    self.given.options.push((at, value));
                    seed = unused;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

struct Key<K>(K, Option<&'static [&'static str]>);

enum Found<K, V> {
    Option(usize, K),
    Field(Option<usize>, V),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<K> {
    type Value = Found<K, K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(key)?;
        let place = |names: &[&str]| names.iter().position(|name| *name == key);
        if let Some(at) = place(retrievers::option_names()) {
            return Ok(Found::Option(at, self.0));
        }
        let at = self.1.and_then(place);
        if let (Some(fields), None) = (self.1, at) {
            return Err(D::Error::unknown_field(&key, retrievers::among(fields)));
        }
        let field = self.0.deserialize(key.into_deserializer())?;
        Ok(Found::Field(at, field))
    }
}

/// Reads the value of an option, as a value of its type.
struct Typed<'a>(&'a OptionOf);

impl<'de> DeserializeSeed<'de> for Typed<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        match self.0.usual {
            Setting::Number(_) => Ok(f64::deserialize(deserializer)?.to_string()),
            Setting::Flag(_) => Ok(bool::deserialize(deserializer)?.to_string()),
            Setting::Word(_, words) => {
                let word = String::deserialize(deserializer)?;
                if !words.contains(&word.as_str()) {
                    return Err(D::Error::unknown_variant(&word, words));
                }
                Ok(word)
            }
            Setting::Text(_) => {
                let text = String::deserialize(deserializer)?;
                self.0.check(&text).map_err(D::Error::custom)?;
                Ok(text)
            }
        }
    }
}

/// A value as a short form has it.
pub(crate) fn text(setting: &Setting) -> String {
    match setting {
        Setting::Number(number) => number.to_string(),
        Setting::Flag(flag) => flag.to_string(),
        Setting::Word(word, _) => (*word).to_owned(),
        Setting::Text(text) => text.clone(),
    }
}

/// A value as a table has it.
pub(crate) fn value(setting: &Setting) -> Value {
    match setting {
        Setting::Number(number) => json!(number),
        Setting::Flag(flag) => json!(flag),
        Setting::Word(..) | Setting::Text(_) => json!(text(setting)),
    }
}

/// The options that differ from the defaults.
pub(crate) fn unusual(retriever: &dyn Retriever) -> Vec<(&'static str, Setting)> {
    let usual = named(retriever.kind()).map(|usual| usual.options());
    let mut options = retriever.options();
    options.retain(|option| !usual.as_ref().is_some_and(|usual| usual.contains(option)));
    options
}

/// The short form: the kind, with the options that differ from the defaults.
pub(crate) fn form(retriever: &dyn Retriever) -> String {
    with(retriever, unusual(retriever)).unwrap_or_else(|| retriever.kind().to_owned())
}

/// The short form with every option that is read, if there are any.
pub(crate) fn spelled(retriever: &dyn Retriever) -> Option<String> {
    let mut options = retriever.options();
    options.retain(|(option, _)| retriever.reads(option).is_ok());
    with(retriever, options)
}

fn with(retriever: &dyn Retriever, options: Vec<(&str, Setting)>) -> Option<String> {
    let options = options.into_iter();
    let options = options.map(|(option, setting)| format!("{option}={}", text(&setting)));
    let options = options.collect::<Vec<_>>().join(",");
    (!options.is_empty()).then(|| format!("{}:{options}", retriever.kind()))
}
