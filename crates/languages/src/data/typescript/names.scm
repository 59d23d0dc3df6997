(type_identifier) @type
((type_identifier) @stay (#eq? @stay "bigint"))
[(class_declaration) (abstract_class_declaration) (interface_declaration) (type_alias_declaration) (function_type)
 (constructor_type) (call_signature) (method_signature)] @scope
(class_declaration name: (type_identifier) @def.class)
(abstract_class_declaration name: (type_identifier) @def.class)
(class name: (type_identifier) @def.class)
(interface_declaration name: (type_identifier) @def.class)
(type_alias_declaration name: (type_identifier) @def.alias)
(enum_declaration name: (identifier) @def.enum)
(enum_body name: (property_identifier) @def.enumerator)
(enum_assignment name: (property_identifier) @def.enumerator)
(enum_body) @members
(internal_module name: (identifier) @def.namespace)
; `Kind.Left` as a type is a member of an enumeration, and may be a type that a namespace exports.
(nested_type_identifier name: (type_identifier) @member)
(internal_module body: (statement_block (export_statement declaration: (_ name: (type_identifier) @keep.undecided))))
(type_parameter name: (type_identifier) @def.generic)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @def.field)
(property_signature name: (property_identifier) @member)
(method_signature name: (property_identifier) @member)
(required_parameter pattern: (identifier) @def.parameter)
(optional_parameter pattern: (identifier) @def.parameter)
(required_parameter pattern: (rest_pattern (identifier) @def.parameter))
; `constructor(private name: string)` is a parameter and a field.
(required_parameter (accessibility_modifier) pattern: (identifier) @keep.promoted)
((method_definition (override_modifier) name: (property_identifier) @keep.contract))
