; What a renaming by spelling declares beside `names.scm`.
(namespace_declaration name: (identifier) @declares.namespace)
(namespace_declaration name: (qualified_name name: (identifier) @declares.namespace))
(file_scoped_namespace_declaration name: (identifier) @declares.namespace)
(file_scoped_namespace_declaration name: (qualified_name name: (identifier) @declares.namespace))
(event_declaration name: (identifier) @declares.field)
(tuple_element name: (identifier) @declares.field)
(anonymous_object_creation_expression (identifier) @declares.field "=")

; What the build says in conditions of `#if`.
(preproc_if condition: (identifier) @word)
(preproc_if condition: (_ (identifier) @word))
(preproc_if condition: (_ (_ (identifier) @word)))
(preproc_elif condition: (identifier) @word)
(preproc_elif condition: (_ (identifier) @word))
