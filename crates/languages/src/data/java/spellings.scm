; What a renaming by spelling declares beside `names.scm`.
(constructor_declaration name: (identifier) @declares.class)
