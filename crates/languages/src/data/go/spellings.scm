; What a renaming by spelling declares beside `names.scm`.
(method_elem name: (field_identifier) @declares.method)
((package_clause (package_identifier) @declares.namespace) (#not-eq? @declares.namespace "main"))
(import_spec !name path: (interpreted_string_literal) @origin)
