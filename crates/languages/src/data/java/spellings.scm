; What a renaming by spelling declares beside `names.scm`.
(constructor_declaration name: (identifier) @declares.class)
(import_declaration (scoped_identifier) @origin)
