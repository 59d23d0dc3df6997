//! Methods and operators of C++: which a function calls is told by the types of its objects. libclang is asked about the
//! same file by `tests/oracle`.

use std::collections::BTreeMap;

use barecode_corpus::{ExtractConfig, extract};
use barecode_records::Group;

use crate::{config, folder_source, headers};

#[test]
fn a_method_is_one_of_the_class_of_its_object() {
    let text = include_bytes!("../../testdata/objects/objects.cpp");
    let (_folder, source) = folder_source(&[("objects.cpp", text)], &config("path:lib"));
    let extraction = extract(&source, &ExtractConfig::default(), &headers(), 0);
    let found: BTreeMap<&str, (String, Group)> = extraction
        .kept
        .iter()
        .map(|function| {
            let references = &function.references;
            let functions = references.functions.join(" ");
            (
                function.qualified_name.as_str(),
                (functions, Group::of(references)),
            )
        })
        .collect();
    let wanted = [
        // Of the standard library, whatever the project's methods are called.
        ("text_size", "", Group::Group1),
        ("names_size", "", Group::Group2),
        ("shelves_size", "", Group::Group2),
        ("Room::empty", "", Group::Group2),
        ("own_is", "", Group::Group2),
        ("length", "", Group::Group2),
        // Through members, pointers that own, containers, what methods give, and what is deduced.
        ("shelf_size", "size", Group::Group3),
        ("link_size", "size", Group::Group3),
        ("own_size", "size", Group::Group3),
        ("first_size", "size", Group::Group3),
        ("at_size", "size", Group::Group3),
        ("all_sizes", "size", Group::Group3),
        ("deduced", "size", Group::Group3),
        ("room_size", "shelf size", Group::Group3),
        // Of another class, though the name is the function's own.
        ("Room::size", "size", Group::Group3),
        ("Room::clear", "clear", Group::Group3),
        // A field that is called as some method is.
        ("link_next", "", Group::Group2),
        // Operators of classes, and those of the language.
        ("same", "operator==", Group::Group3),
        ("same_x", "", Group::Group2),
        ("same_color", "", Group::Group2),
        ("between", "operator-", Group::Group3),
        ("first", "operator[]", Group::Group3),
        ("first_of", "", Group::Group2),
        ("sum", "begin end", Group::Group3),
        // What takes nothing from its object does not refer to its class.
        ("Shelf::most", "", Group::Group1),
        ("Shelf::sorted", "", Group::Group1),
        ("Shelf::size", "", Group::Group2),
    ];
    for (name, functions, group) in wanted {
        let (told, told_group) = &found[name];
        assert_eq!((told.as_str(), *told_group), (functions, group), "{name}");
    }
}
