//! The registry of retrievers that need no model: one line each.
//!
//! Enters a kind, as short forms, tables `[[model]]` and tables `[[retriever]]` name it; leaves the retriever with its usual
//! options. Everything else about a retriever is in its own file.

use std::sync::{LazyLock, OnceLock};

use barecode_retrieval::{Jaccard, Lexical, Random, Retriever, Setting};

mod structural;

/// All of them, in the order in which they are documented.
const ALL: [fn() -> Box<dyn Retriever>; 4] = [
    usual::<Lexical>,
    usual::<Jaccard>,
    usual::<structural::Structural>,
    usual::<Random>,
];

fn usual<R: Retriever + Default + 'static>() -> Box<dyn Retriever> {
    Box::new(R::default())
}

/// The properties of all of them together.
struct Known {
    kinds: Vec<&'static str>,
    options: Vec<OptionOf>,
    names: Vec<&'static str>,
    forms: String,
}

/// An option, as the first retriever that has it describes it.
pub(crate) struct OptionOf {
    pub(crate) name: &'static str,
    /// Its usual value.
    pub(crate) usual: Setting,
    kind: &'static str,
}

impl OptionOf {
    /// Checks that a text can be its value.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        named(self.kind).map_or(Ok(()), |mut it| it.set(self.name, Some(value)))
    }
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known {
        kinds: Vec::new(),
        options: Vec::new(),
        names: Vec::new(),
        forms: String::new(),
    };
    for retriever in ALL.map(|usual| usual()) {
        let kind = retriever.kind();
        known.kinds.push(kind);
        if !retriever.is_chance() {
            let forms = [Some(kind), retriever.example()].into_iter().flatten();
            forms.for_each(|form| known.forms += &[form, ", "].concat());
        }
        for (name, usual) in retriever.options() {
            if !known.names.contains(&name) {
                known.names.push(name);
                known.options.push(OptionOf { name, usual, kind });
            }
        }
    }
    known
});

/// The retriever of a kind, with its default options.
pub(crate) fn named(kind: &str) -> Option<Box<dyn Retriever>> {
    let mut all = ALL.iter().map(|usual| usual());
    all.find(|retriever| retriever.kind() == kind)
}

/// The kinds.
pub(crate) fn kinds() -> &'static [&'static str] {
    &KNOWN.kinds
}

/// The options of all kinds.
pub(crate) fn options() -> &'static [OptionOf] {
    &KNOWN.options
}

/// The names of these options.
pub(crate) fn option_names() -> &'static [&'static str] {
    &KNOWN.names
}

/// The fields of a table with the options of retrievers behind name and kind, as errors list them.
pub(crate) fn among(fields: &[&'static str]) -> &'static [&'static str] {
    static ALL: OnceLock<Vec<&'static str>> = OnceLock::new();
    ALL.get_or_init(|| {
        let (first, others) = fields.split_at(2);
        [first, &KNOWN.names, others].concat()
    })
}

/// The short forms, as a hint begins that lists those of models too.
pub(crate) fn forms() -> &'static str {
    &KNOWN.forms
}

/// The kinds that explain their scores.
pub fn explaining() -> Vec<&'static str> {
    let all = ALL.iter().map(|usual| (usual().kind(), usual()));
    let explains = all.filter_map(|(kind, it)| {
        std::sync::Arc::<dyn Retriever>::from(it)
            .scores_all()
            .map(|_| kind)
    });
    explains.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_set_to_what_it_is_and_means_the_same_everywhere() {
        for usual in ALL {
            let mut retriever = usual();
            for (option, setting) in usual().options() {
                let value = crate::options::text(&setting);
                retriever.set(option, Some(&value)).unwrap();
                let mut same = options().iter().filter(|it| it.name == option);
                let same = same.next().map(|it| std::mem::discriminant(&it.usual));
                assert_eq!(same, Some(std::mem::discriminant(&setting)), "{option}");
            }
            assert_eq!(*retriever, *usual());
            assert!(retriever.set("no such option", Some("1")).is_err());
        }
    }
}
