[
  (function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function)
  (method_definition)
] @scope.function
[
  (statement_block) (for_statement) (for_in_statement) (catch_clause) (class_static_block) (switch_body)
] @scope

(identifier) @value
(property_identifier) @member
(private_property_identifier) @own
(statement_identifier) @label
(shorthand_property_identifier) @keep.shorthand
(shorthand_property_identifier_pattern) @keep.shorthand
(this) @self

(function_declaration name: (identifier) @def.hoisted.function)
(generator_function_declaration name: (identifier) @def.hoisted.function)
(function_expression name: (identifier) @def.function)
(lexical_declaration (variable_declarator name: (identifier) @def.variable))
(variable_declaration (variable_declarator name: (identifier) @def.hoisted))
(variable_declarator
  name: (identifier) @def.function
  value: [(arrow_function) (function_expression) (generator_function)])
(arrow_function parameter: (identifier) @def.parameter)
(catch_clause parameter: (identifier) @def.parameter)
(for_in_statement kind: _ left: (identifier) @def.variable)
(for_in_statement kind: "var" left: (identifier) @def.hoisted)
(array_pattern (identifier) @def.variable)
(pair_pattern value: (identifier) @def.variable)
(rest_pattern (identifier) @def.variable)
(assignment_pattern left: (identifier) @def.variable)
(method_definition name: [(property_identifier) (private_property_identifier)] @def.method)
(pair
  key: (property_identifier) @def.method
  value: [(arrow_function) (function_expression) (generator_function)])
(assignment_expression
  left: (member_expression property: (property_identifier) @def.method)
  right: [(arrow_function) (function_expression) (generator_function)])
(labeled_statement label: (statement_identifier) @def.label)

; The functions of an object that a call is given are called by others.
(arguments (object (method_definition name: (property_identifier) @keep.contract)))
(arguments (object (pair
  key: (property_identifier) @keep.contract
  value: [(arrow_function) (function_expression) (generator_function)])))

((call_expression function: (identifier) @_it) @computed (#eq? @_it "eval"))

(assignment_expression left: (array_pattern (identifier) @assigned))
(assignment_expression left: (object_pattern (pair_pattern value: (identifier) @assigned)))
((method_definition name: (property_identifier) @keep.contract)
  (#any-of? @keep.contract "constructor" "toString" "valueOf" "toJSON" "then" "next"))
