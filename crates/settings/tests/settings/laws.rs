//! What holds of every renaming.

use std::collections::{BTreeMap, BTreeSet};

use barecode_check::Question;
use barecode_corpus::preprocess::lex::{TokenKind, lex};
use barecode_records::{
    Closure, HelperBodies, Language, Proof, Role, Setting, Span, Unit, Variant,
};
use barecode_settings::canonical::of_text;
use barecode_settings::dose::Choice;
use barecode_settings::rename::gives_back;
use barecode_settings::rename::{Analysis, Plan, Spaces};
use barecode_settings::scheme::naming;
use barecode_testing::needs::is_long;
use proptest::prelude::*;

use crate::{Tools, fixture_folder, tools, unit_of, units_of, variant, varied};

/// The tokens of some kinds.
fn tokens<'a>(text: &'a str, kinds: &[TokenKind]) -> Vec<&'a str> {
    let tokens = lex(text)
        .into_iter()
        .filter(|token| kinds.contains(&token.kind));
    tokens.map(|token| token.text(text)).collect()
}

/// What may never change: layout, literals, punctuation.
fn bones(text: &str) -> (usize, Vec<&str>) {
    let kinds = [
        TokenKind::String,
        TokenKind::Character,
        TokenKind::Number,
        TokenKind::Punctuator,
        TokenKind::Newline,
    ];
    (text.lines().count(), tokens(text, &kinds))
}

fn holds(unit: &Unit, variant: &Variant) {
    let text = &variant.compiled_text;
    assert_eq!(bones(text), bones(&unit.closure.text));
    assert_eq!(variant.target.of(text), variant.text);
    assert_eq!(bones(&variant.text), bones(&unit.text));
    // No two old names share a new one, and no old name has two in one name space.
    let mut olds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for renaming in &variant.renamed {
        olds.entry(&renaming.to).or_default().insert(&renaming.from);
    }
    for (new, olds) in &olds {
        assert_eq!(olds.len(), 1, "{new} stands for {olds:?} in\n{text}");
    }
    // Old names are gone, unless they were kept, or are new names of others.
    let code = text.lines().filter(|line| !line.starts_with("#include"));
    let code = code.collect::<Vec<_>>().join("\n");
    let identifiers: BTreeSet<&str> = tokens(&code, &[TokenKind::Identifier])
        .into_iter()
        .collect();
    let kept: BTreeSet<&str> = variant.kept.iter().map(|kept| kept.name.as_str()).collect();
    for renaming in &variant.renamed {
        let old = renaming.from.as_str();
        let gone = !identifiers.contains(old) || kept.contains(old) || olds.contains_key(old);
        assert!(gone, "`{old}` is still in\n{text}");
    }
    assert_eq!(variant.helpers.len(), unit.closure.helpers.len());
    for (helper, before) in variant.helpers.iter().zip(&unit.closure.helpers) {
        let body = helper.span.of(text);
        assert_eq!(bones(body), bones(before.span.of(&unit.closure.text)));
        assert!(
            tokens(body, &[TokenKind::Identifier]).contains(&helper.name.as_str())
                || body.contains("##"),
            "{body}"
        );
        assert_eq!(helper.function_id, before.function_id);
    }
}

/// The unit that a variant is.
fn as_unit(unit: &Unit, variant: &Variant, name: &str) -> Unit {
    let closure = Closure {
        text: variant.compiled_text.clone(),
        target: variant.target,
        helpers: variant.helpers.clone(),
        ..unit.closure.clone()
    };
    Unit {
        name: name.to_owned(),
        text: variant.text.clone(),
        closure,
        ..unit.clone()
    }
}

/// The new name of the function.
fn new_name<'a>(unit: &'a Unit, variant: &'a Variant) -> &'a str {
    let renaming = variant.renamed.iter().find(|renaming| {
        renaming.from == unit.name && matches!(renaming.role, Role::Function | Role::Method)
    });
    renaming.map_or(&unit.name, |renaming| &renaming.to)
}

fn neutralized_twice_is_neutralized_once(unit: &Unit, tools: &Tools) {
    let once = variant(unit, Setting::NEUTRALIZED, None, tools);
    let again = as_unit(unit, &once, new_name(unit, &once));
    let twice = variant(&again, Setting::NEUTRALIZED, None, tools);
    assert_eq!(twice.compiled_text, once.compiled_text);
}

#[test]
fn fixtures_keep_the_laws() {
    let Some(tools) = tools() else { return };
    let mut settings = vec![
        (Setting::NEUTRALIZED, None),
        (Setting::CANONICAL, None),
        (Setting::RANDOMIZED, Some(0)),
    ];
    let drawn = [
        "randomized-same-length",
        "characters-same",
        "characters-shortest",
        "characters-uniform",
        "characters-fixed-3",
        "shuffled",
        "adjective-noun",
    ];
    settings.extend(drawn.map(|name| (name.parse().unwrap(), Some(0))));
    let units = units_of(&fixture_folder(), tools);
    for unit in &units {
        for variant in varied(std::slice::from_ref(unit), &settings, 7, tools).kept {
            holds(unit, &variant);
            proof_is_of_objects(unit, &variant, tools);
        }
    }
}

/// Whatever was compiled together, a proof says what the objects of both texts alone would say.
fn proof_is_of_objects(unit: &Unit, variant: &Variant, tools: &Tools) {
    let renamed = as_unit(unit, variant, new_name(unit, variant));
    let [one, two] = [unit, &renamed].map(|unit| {
        let question = Question::of_unit(unit);
        tools.judge.object(&question).unwrap().unwrap()
    });
    let proof = if unit.is_template {
        Proof::Text
    } else if one.fingerprint == two.fingerprint {
        Proof::Object
    } else {
        assert_eq!(
            one.code_fingerprint, two.code_fingerprint,
            "{}",
            variant.compiled_text
        );
        Proof::Code
    };
    assert_eq!(variant.proof, proof, "{}", variant.compiled_text);
}

#[test]
fn fixtures_neutralized_twice_are_neutralized_once() {
    let Some(tools) = tools() else { return };
    for unit in units_of(&fixture_folder(), tools) {
        neutralized_twice_is_neutralized_once(&unit, tools);
    }
}

#[test]
fn a_seed_is_a_text_and_another_seed_another() {
    let Some(tools) = tools() else { return };
    let text = |unit: &Unit, run_seed, draw| {
        let settings = [(Setting::RANDOMIZED, Some(draw))];
        let mut varied = varied(std::slice::from_ref(unit), &settings, run_seed, tools);
        varied.kept.remove(0).compiled_text
    };
    let units = units_of(&fixture_folder(), tools);
    let unit = units.iter().find(|unit| unit.name == "run").unwrap();
    let texts = [(1, 0), (1, 1), (2, 0), (2, 1)].map(|(run, draw)| text(unit, run, draw));
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), 4);
    assert_eq!(texts[2], text(unit, 2, 0));
    // The other units of a run change nothing.
    let all = varied(&units, &[(Setting::RANDOMIZED, Some(0))], 1, tools).kept;
    assert!(all.iter().any(|variant| variant.compiled_text == texts[0]));
}

#[test]
fn standard_is_the_unit_itself() {
    let Some(tools) = tools() else { return };
    let unit = unit_of(
        "static int h(void) { return 1; }\nint f(void) { return h(); }\n",
        tools,
    );
    let standard = variant(&unit, Setting::Standard, None, tools);
    assert_eq!(
        (&standard.text, &standard.compiled_text),
        (&unit.text, &unit.closure.text)
    );
    assert_eq!(
        (standard.proof, standard.helpers),
        (Proof::Identity, unit.closure.helpers)
    );
    assert!(standard.renamed.is_empty() && standard.kept.is_empty());
}

#[test]
fn ten_draws_of_a_unit_share_no_name() {
    let Some(tools) = tools() else { return };
    let draws: Vec<_> = (0..10)
        .map(|draw| (Setting::RANDOMIZED, Some(draw)))
        .collect();
    for unit in units_of(&fixture_folder(), tools).iter().take(10) {
        let mut seen = BTreeSet::new();
        for variant in varied(std::slice::from_ref(unit), &draws, 7, tools).kept {
            let new: BTreeSet<String> = variant
                .renamed
                .into_iter()
                .map(|renaming| renaming.to)
                .collect();
            for name in new.into_iter().filter(|name| !name.contains('_')) {
                assert!(seen.insert(name.clone()), "`{name}` in two draws");
            }
        }
    }
}

/// Names that mean something in every name space, none of them C's.
const NAMES: [&str; 16] = [
    "a", "b", "node", "value", "index", "next", "list", "x", "func_0", "var_0", "field_1",
    "MACRO_0", "size", "time", "T", "struct_0",
];

/// A unit whose name spaces share names as far as C lets them.
fn unit_text() -> impl Strategy<Value = String> {
    let own = Just(NAMES.to_vec()).prop_shuffle();
    let free = prop::collection::vec(prop::sample::select(NAMES.to_vec()), 8);
    (own, free).prop_map(|(own, free)| {
        let [constant, call, first, second, typedef, global, helper, function, object, number, local, ..] = own[..] else {
            unreachable!("sixteen names")
        };
        // Macros are replaced in every name space, so their names are nobody else's.
        let mut free = free.into_iter().map(|name| if name == constant || name == call { own[11] } else { name });
        let mut next = || free.next().expect("eight names");
        let (tag, enumeration, label, parameter) = (next(), next(), next(), next());
        // Tags share a name space, whatever they are tags of.
        let enumeration = if enumeration != tag {
            enumeration
        } else if tag == own[12] {
            own[13]
        } else {
            own[12]
        };
        let (member, link) = (next(), own[13]);
        let member = if member == link { own[14] } else { member };
        let inner = if [global, typedef, first, second].contains(&parameter) { own[15] } else { parameter };
        format!(
            "#define {constant} 3\n\
             #define {call}({parameter}) (({parameter}) + {constant})\n\
             enum {enumeration} {{ {first}, {second} = 4 }};\n\
             typedef struct {tag} {{ int {member}; struct {tag} *{link}; }} {typedef};\n\
             static int {global} = 2;\n\
             static int {helper}(int {inner}) {{ return {inner} + {global}; }}\n\
             int {function}({typedef} *{object}, int {number}) {{\n\
             \x20 {typedef} {local} = {{ .{member} = {number} }};\n\
             \x20 if ({object}->{member} > {second}) goto {label};\n\
             \x20 {local}.{member} += {call}({number}) + {helper}({object}->{link} ? {number} : {object}->{member});\n\
             {label}:\n\
             \x20 return {local}.{member} + {call}({object}->{member}) + (int)sizeof(struct {tag}) + {first};\n\
             }}\n"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if is_long() { 40 } else { 12 }) })]

    #[test]
    fn generated_units_keep_the_laws(text in unit_text()) {
        let Some(tools) = tools() else { return Ok(()) };
        let unit = unit_of(&text, tools);
        for (setting, seed) in [(Setting::NEUTRALIZED, None), (Setting::RANDOMIZED, Some(0))] {
            let variant = variant(&unit, setting, seed, tools);
            holds(&unit, &variant);
            prop_assert_eq!(variant.proof, Proof::Object);
        }
        neutralized_twice_is_neutralized_once(&unit, tools);
    }
}

/// What holds of any text, whether it compiles or not: the fuzz target `rename` looks for more of it.
#[test]
fn undoing_a_renaming_gives_back_any_text() {
    let words = [
        "int",
        "f",
        "x",
        "(",
        ")",
        "{",
        "}",
        ";",
        "struct",
        "class",
        "::",
        "std",
        ".",
        "->",
        "#define ",
        "##",
        "\n",
        "\\\n",
        "\"s\"",
        "'c'",
        "template",
        "<",
        ">",
        "=",
        "using",
        "namespace",
        ",",
        "é",
        "x",
        "f",
        "y",
        "0",
    ];
    let texts = proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..60);
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    };
    proptest!(config, |(text in texts)| {
        let text = text.join(" ");
        let closure = Closure {
            target: Span { start: 0, end: u32::try_from(text.len()).unwrap() },
            text,
            helpers: Vec::new(),
            helper_bodies: HelperBodies::Full,
            items: 1,
            pieces: Vec::new(),
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
        };
        for language in [Language::C, Language::CPP] {
            let analysis = Analysis::of(&closure, "f", language).unwrap();
            for spaces in [Spaces::Apart, Spaces::Joined] {
                for setting in Setting::kinds() {
                    let Setting::Renamed { scheme, .. } = setting else { continue };
                    if !scheme.is_naming() {
                        continue;
                    }
                    let renamed = || {
                        let mut naming = naming(scheme, setting, 0, &"u-0".to_owned().into(), Some(1));
                        analysis.renamed(&mut *naming, &Choice::all(), &Plan::new(spaces))
                    };
                    let Ok(found) = renamed() else {
                        // Only what `##` builds may clash.
                        prop_assert!(closure.text.contains("##"));
                        continue;
                    };
                    prop_assert!(
                        gives_back(&found.text, &closure.text, &found.replaced),
                        "{}\nbecame\n{}", closure.text, found.text
                    );
                    prop_assert_eq!(Ok(found), renamed());
                }
            }
        }
    });
}

#[test]
fn a_dose_changes_its_share_and_a_smaller_one_a_part_of_it() {
    let Some(tools) = tools() else { return };
    let units = units_of(&fixture_folder(), tools);
    let unit = units
        .iter()
        .find(|unit| unit.qualified_name == "shop::Cart::add")
        .unwrap();
    let changed = |name: &str| -> BTreeSet<String> {
        let setting = name.parse().unwrap();
        let variant = variant(unit, setting, None, tools);
        assert_eq!(variant.proof, Proof::Object);
        let names = variant.renamed.into_iter();
        names.map(|renaming| renaming.from).collect()
    };
    let all = changed("neutralized");
    let mut before = BTreeSet::new();
    for percent in [10, 25, 50, 75, 90] {
        let some = changed(&format!("neutralized-dose-{percent}"));
        assert_eq!(some.len(), (all.len() * percent + 50) / 100, "{percent} %");
        assert!(before.is_subset(&some));
        before = some;
    }
    assert!(before.is_subset(&all));
    let fields = variant(unit, "neutralized-only-field".parse().unwrap(), None, tools);
    assert!(!fields.renamed.is_empty());
    for renaming in &fields.renamed {
        assert_eq!(renaming.role, Role::Field);
    }
    assert!(fields.perturbation < variant(unit, Setting::NEUTRALIZED, None, tools).perturbation);
}

/// A randomized text and the neutralized one are the same once both are canonical.
#[test]
fn canonical_forms_of_renamings_are_one() {
    let Some(tools) = tools() else { return };
    let settings = [(Setting::NEUTRALIZED, None), (Setting::RANDOMIZED, Some(0))];
    for unit in units_of(&fixture_folder(), tools) {
        let varied = varied(std::slice::from_ref(&unit), &settings, 7, tools);
        // What the renamings leave alone is what the library knows, and what had to stay.
        let renamed: Vec<BTreeSet<&str>> = varied
            .kept
            .iter()
            .map(|variant| variant.renamed.iter().map(|one| one.to.as_str()).collect())
            .collect();
        let forms: BTreeSet<String> = varied
            .kept
            .iter()
            .zip(&renamed)
            .map(|(variant, new)| {
                of_text(&variant.text, unit.language, |name| !new.contains(name)).unwrap()
            })
            .collect();
        assert_eq!(forms.len(), 1, "{forms:#?}");
    }
}
