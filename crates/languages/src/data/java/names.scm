[
  (method_declaration) (constructor_declaration) (compact_constructor_declaration) (lambda_expression) (block)
  (constructor_body) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement)
  (switch_block) (switch_rule) (class_declaration) (interface_declaration) (record_declaration)
] @scope

(identifier) @value
(type_identifier) @type
(this) @self

(method_declaration name: (identifier) @def.method)
(annotation_type_element_declaration name: (identifier) @def.method)
(constructor_declaration name: (identifier) @type)
(compact_constructor_declaration name: (identifier) @type)
(formal_parameter name: (identifier) @def.parameter)
(spread_parameter (variable_declarator name: (identifier) @def.parameter))
(catch_formal_parameter name: (identifier) @def.parameter)
(inferred_parameters (identifier) @def.parameter)
(lambda_expression parameters: (identifier) @def.parameter)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @def.variable))
(enhanced_for_statement name: (identifier) @def.variable)
(resource name: (identifier) @def.variable)
(instanceof_expression name: (identifier) @def.variable)
(type_pattern (identifier) @def.variable)
(record_pattern_component (identifier) @def.variable)
(field_declaration declarator: (variable_declarator name: (identifier) @def.field))
(constant_declaration declarator: (variable_declarator name: (identifier) @def.field))
(class_declaration name: (identifier) @def.class)
(interface_declaration name: (identifier) @def.class)
(annotation_type_declaration name: (identifier) @def.class)
(record_declaration name: (identifier) @def.class)
(enum_declaration name: (identifier) @def.enum)
(enum_constant name: (identifier) @def.enumerator)
(type_parameter (type_identifier) @def.generic)
(labeled_statement (identifier) @def.label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)

(method_invocation !object name: (identifier) @own)
(method_invocation object: (_) name: (identifier) @member)
(field_access field: (identifier) @member)
(method_reference (_) (identifier) @member)
(annotation name: (identifier) @type)
(marker_annotation name: (identifier) @type)
(element_value_pair key: (identifier) @stay)
((identifier) @stay (#eq? @stay "_"))

; A component of a record is a parameter, a field and a method.
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @keep.promoted)))
((method_declaration (modifiers (marker_annotation name: (identifier) @_it)) name: (identifier) @keep.contract)
  (#eq? @_it "Override"))
