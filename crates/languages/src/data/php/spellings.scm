; What a renaming by spelling declares beside `names.scm`.
(namespace_definition name: (namespace_name (name) @declares.namespace))
(property_promotion_parameter name: (variable_name (name) @declares.field))
(assignment_expression left: (member_access_expression name: (name) @declares.field))
((method_declaration name: (name) @given) (#match? @given "^__"))
((member_call_expression name: (name) @given) (#match? @given "^__"))
((scoped_call_expression name: (name) @given) (#match? @given "^__"))
(namespace_use_clause (qualified_name) @origin)
(namespace_use_clause (name) @origin)
