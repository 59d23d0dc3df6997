[
  (function_declaration) (method_declaration) (func_literal) (block) (if_statement) (for_statement)
  (expression_switch_statement) (type_switch_statement) (select_statement)
  (expression_case) (default_case) (type_case) (communication_case)
] @scope

(identifier) @value
(type_identifier) @type
(field_identifier) @member
(label_name) @label

(function_declaration name: (identifier) @def.function)
(method_declaration name: (field_identifier) @def.method)
(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @receiver)))
(method_elem name: (field_identifier) @def.method)
(parameter_declaration name: (identifier) @def.parameter)
(variadic_parameter_declaration name: (identifier) @def.parameter)
(short_var_declaration left: (expression_list (identifier) @def.variable)) @extent
(var_spec name: (identifier) @def.variable) @extent
(const_spec name: (identifier) @def.variable) @extent
(range_clause left: (expression_list (identifier) @def.variable) ":=") @extent
(receive_statement left: (expression_list (identifier) @def.variable) ":=") @extent
(type_switch_statement alias: (expression_list (identifier) @def.variable))
(type_spec name: (type_identifier) @def.struct)
(type_alias name: (type_identifier) @def.alias)
(type_parameter_declaration name: (identifier) @def.generic)
(field_declaration name: (field_identifier) @def.field)
(labeled_statement label: (label_name) @def.label)

; An embedded type is a member of its own name.
(field_declaration !name type: (type_identifier) @keep.embedded)
(field_declaration !name type: (pointer_type (type_identifier) @keep.embedded))
(field_declaration !name type: (qualified_type name: (type_identifier) @keep.embedded))
(field_declaration !name type: (pointer_type (qualified_type name: (type_identifier) @keep.embedded)))
(keyed_element key: (literal_element (identifier) @key))
(composite_literal type: (qualified_type) body: (literal_value (keyed_element key: (literal_element (identifier) @key.others))))
(composite_literal
  type: (slice_type element: (qualified_type))
  body: (literal_value (literal_element (literal_value (keyed_element key: (literal_element (identifier) @key.others))))))
(qualified_type name: (type_identifier) @stay)
(package_clause (package_identifier) @stay)
((identifier) @stay (#any-of? @stay "init" "main" "_"))
((field_identifier) @stay (#eq? @stay "_"))
((type_identifier) @stay (#eq? @stay "_"))
