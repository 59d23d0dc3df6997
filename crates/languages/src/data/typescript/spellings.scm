; What a renaming by spelling declares beside `names.scm`.
(property_signature name: (property_identifier) @declares.field)
(method_signature name: (property_identifier) @declares.method)
(abstract_method_signature name: (property_identifier) @declares.method)
(function_signature name: (identifier) @declares.function)
(required_parameter pattern: (this) @given)
((type_identifier) @given (#eq? @given "bigint"))
