//! What names stand for: short forms and tables of retrievers, beside those of models.

use barecode_evaluate::{Choice, Reading, SystemKind};
use barecode_models::{ModelError, parse_models};

fn tables(text: &str) -> Result<Vec<Choice>, String> {
    parse_models("m.toml", text).map_err(|error| error.to_string())
}

fn told(error: &ModelError) -> String {
    format!("{error}; {}", error.hint().unwrap_or_default())
}

#[test]
fn a_short_form_is_a_retriever_or_a_model() {
    for (form, kind) in [
        ("bm25", "bm25"),
        ("bm25:tokenizer=plain,k1=1.2", "bm25"),
        ("jaccard", "jaccard"),
        ("structural:names=false", "structural"),
        ("random", "random"),
        ("voyage:voyage-code-3", "voyage"),
        ("run:x.trec", "run"),
    ] {
        let choice: Choice = form.parse().unwrap();
        assert_eq!((choice.name(), choice.kind()), (form, kind));
        let needs_none = matches!(choice.system(Reading::Whole), SystemKind::Retriever(_));
        assert_eq!(
            needs_none,
            !form.contains("voyage") && !form.contains("run")
        );
    }
    for (form, why) in [
        ("bm24", "did you mean `bm25`?"),
        ("bm25:k2=2", "BM25 has no option `k2`; did you mean `k1`?"),
        ("bm25:", "nothing after `bm25:`"),
        ("jaccard:x", "`jaccard` has no options"),
        ("structural:names=maybe", "`names=maybe`: write names=false"),
    ] {
        let error = told(&form.parse::<Choice>().unwrap_err());
        assert!(error.contains(why), "{form}: {error}");
        let forms = "; models are bm25, bm25:tokenizer=plain,k1=1.2, jaccard, structural, local:";
        assert!(error.contains(forms), "{error}");
    }
}

#[test]
fn who_can_rerank_is_known_at_once() {
    let reranker = |form: &str| form.parse::<Choice>().unwrap().reranker();
    assert!(reranker("structural").is_ok() && reranker("local:model").is_ok());
    for form in ["bm25", "jaccard", "random"] {
        let error = told(&reranker(form).unwrap_err());
        assert!(
            error.contains("cannot rerank; rerankers are tei:"),
            "{error}"
        );
    }
}

#[test]
fn a_table_says_all_and_is_read_as_the_same_choice() {
    let text = "[[model]]\nname = 'words'\nkind = 'bm25'\ntokenizer = 'plain'\nform = 'bm25+'\n\
                stemmer = 'english'\nk1 = 0.9\ndelta = 1\n\
                [[model]]\nname = 'pieces'\nkind = 'bm25'\ntokenizer = 'mini/tokenizer.json'\n\
                [[model]]\nname = 'nameless'\nkind = 'structural'\nnames = false\n\
                [[model]]\nname = 'mini'\nkind = 'local'\npath = 'models/mini'\n";
    let choices = tables(text).unwrap();
    let written: Vec<String> = choices
        .iter()
        .map(|it| format!("[[model]]\n{}", toml::to_string(&it.to_table()).unwrap()))
        .collect();
    assert_eq!(tables(&written.concat()).unwrap(), choices);
    let form = "bm25:tokenizer=plain,form=bm25+,stemmer=english,k1=0.9,delta=1";
    let form: Choice = form.parse().unwrap();
    assert_eq!(choices[0], form.renamed("words"));
}

#[test]
fn a_table_of_a_retriever_has_its_options_only() {
    let table = |options: &str| tables(&format!("[[model]]\nname = 'm'\n{options}"));
    for (options, why) in [
        (
            "kind = 'bm25'\nb = 3",
            "m.toml:4:1: `b` is 3, expected a number from 0 to 1",
        ),
        (
            "kind = 'bm25'\nk2 = 3",
            "m.toml:4:1: `k2` is not an option of a model; did you mean `k1`?",
        ),
        (
            "kind = 'bm25'\npooling = 'mean'",
            "m.toml:4:1: a model of kind `bm25` has no `pooling`",
        ),
        (
            "kind = 'bm25'\nnames = false",
            "m.toml:4:1: a model of kind `bm25` has no `names`",
        ),
        (
            "kind = 'bm25'\nk1 = 'x'",
            "m.toml:4:6: `k1`: invalid type: string \"x\", expected f64",
        ),
        (
            "kind = 'voyage'\nmodel = 'v'\nk1 = 1",
            "m.toml:5:1: a model of kind `voyage` has no `k1`",
        ),
        (
            "kind = 'bm52'",
            "m.toml:3:1: `bm52` is not a kind of model; did you mean `bm25`?",
        ),
    ] {
        let error = table(options).unwrap_err();
        assert_eq!(error, why);
    }
}
