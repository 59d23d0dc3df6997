//! Settings that not every language has.

use barecode_records::{Reason, Setting};
use barecode_settings::{bound, vary};

use crate::bindings::read_units;
use crate::{no_compilers, tools, unit_of, varied};

fn settings(names: &[&str]) -> Vec<(Setting, Option<u32>)> {
    let setting = |name: &&str| (name.parse().unwrap(), None);
    names.iter().map(setting).collect()
}

#[test]
fn what_a_language_has_not_is_set_aside_beside_what_it_has() {
    let python = read_units(
        "a.py",
        "def area(width, height):\n    return width * height\n",
    );
    let wanted = settings(&["neutralized", "assembly-o0", "wasm-o1", "neutralized-clarc"]);
    let of_python = vary(&python, &wanted, 7, &bound, no_compilers).unwrap();
    let mut all = vec![("Python", 1, of_python)];
    if let Some(tools) = tools() {
        let c = unit_of(
            "int area(int width, int height) { return width * height; }\n",
            tools,
        );
        let wanted = settings(&[
            "advtest",
            "neutralized",
            "advtest-tokens",
            "neutralized-clarc",
        ]);
        all.push(("C", 2, varied(&[c], &wanted, 7, tools)));
    }
    for (language, kept, varied) in all {
        assert_eq!(varied.kept.len(), kept, "{language}");
        assert_eq!(varied.set_aside.len(), 4 - kept, "{language}");
        for row in &varied.set_aside {
            assert_eq!(row.reason, Reason::SettingOtherLanguage, "{row:?}");
            assert_eq!(row.detail, language, "{row:?}");
        }
    }
}

#[test]
fn texts_of_advtest_stand_where_their_spans_say() {
    let units = read_units(
        "a.py",
        "def double(number):\n    return number * 2\n\n\ndef area(width):\n    side = double(width)\n    return side * width\n",
    );
    let unit = units.iter().find(|unit| unit.name == "area").unwrap();
    assert!(!unit.closure.helpers.is_empty());
    let wanted = settings(&["advtest", "advtest-tokens"]);
    let varied = vary(std::slice::from_ref(unit), &wanted, 7, &bound, no_compilers).unwrap();
    assert_eq!(varied.kept.len(), 2);
    for variant in &varied.kept {
        assert!(
            variant.text.starts_with("def Func(arg_0):"),
            "{}",
            variant.text
        );
        assert_eq!(variant.target.of(&variant.compiled_text), variant.text);
        for (ours, unit_s) in variant.helpers.iter().zip(&unit.closure.helpers) {
            let text = ours.span.of(&variant.compiled_text);
            assert_eq!(text, unit_s.span.of(&unit.closure.text));
        }
        assert_eq!(variant.helpers.len(), unit.closure.helpers.len());
    }
}
