; What a renaming by spelling declares beside `names.scm`, and what is imported.
(assignment_expression left: (member_expression property: (property_identifier) @declares.field))
(object_pattern (shorthand_property_identifier_pattern) @declares.variable)
(object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declares.variable))
(object_pattern (pair_pattern key: (property_identifier) @declares.field))

; The keys of an object, but not of one that a call is given: those are whose the called function is.
(variable_declarator value: (object (pair key: (property_identifier) @declares.field)))
(assignment_expression right: (object (pair key: (property_identifier) @declares.field)))
(return_statement (object (pair key: (property_identifier) @declares.field)))
(pair value: (object (pair key: (property_identifier) @declares.field)))

(import_statement (import_clause (identifier) @import) source: (string) @_from)
(import_statement (import_clause (namespace_import (identifier) @import)) source: (string) @_from)
(import_statement
  (import_clause (named_imports (import_specifier (identifier) @import)))
  source: (string) @_from)
((variable_declarator
    name: (identifier) @import
    value: (call_expression function: (identifier) @_it arguments: (arguments . (string) @_from)))
  (#eq? @_it "require"))
((variable_declarator
    name: (object_pattern (shorthand_property_identifier_pattern) @import)
    value: (call_expression function: (identifier) @_it arguments: (arguments . (string) @_from)))
  (#eq? @_it "require"))
