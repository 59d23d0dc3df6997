//! Arbitrary text as the file of a unit, in either language, renamed.
//!
//! Beside crashes it looks for what no text may break: undoing a renaming gives back the text, no new name stands
//! for two old ones, the same draw gives the same text, and spans stay within it.

#![no_main]

use barecode_records::{Closure, HelperBodies, Id, Language, Setting, Span};
use barecode_settings::dose::Choice;
use barecode_settings::rename::gives_back;
use barecode_settings::rename::{Analysis, Plan, Spaces};
use barecode_settings::scheme::naming;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let end = u32::try_from(text.len()).expect("inputs are short");
    let closure = Closure {
        assumed_headers: Vec::new(),
        text: text.to_owned(),
        target: Span { start: 0, end },
        helpers: Vec::new(),
        helper_bodies: HelperBodies::Full,
        items: 1,
        pieces: Vec::new(),
        helper_external: Vec::new(),
        missing_headers: Vec::new(),
    };
    let unit = Id::from("u-0123456789abcdef".to_owned());
    for language in [Language::C, Language::CPP] {
        let Ok(analysis) = Analysis::of(&closure, "f", language) else {
            continue;
        };
        for setting in Setting::kinds() {
            let Setting::Renamed { scheme, .. } = setting else {
                continue;
            };
            if !scheme.is_naming() {
                continue;
            }
            for spaces in [Spaces::Apart, Spaces::ApartWhereSure, Spaces::Joined] {
                let plan = Plan::new(spaces);
                let renamed = || {
                    let mut naming = naming(scheme, setting, 0, &unit, Some(1));
                    analysis.renamed(&mut *naming, &Choice::all(), &plan)
                };
                let Ok(found) = renamed() else {
                    assert!(text.contains("##"), "only what is built may clash");
                    continue;
                };
                assert!(gives_back(&found.text, text, &found.replaced));
                assert_eq!(found.target.of(&found.text), found.text);
                assert_eq!(Ok(found), renamed());
            }
        }
    }
});
