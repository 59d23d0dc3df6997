(class_declaration name: (type_identifier) @name body: (class_body) @body) @container
(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @container
(class name: (type_identifier)? @name body: (class_body) @body) @container
(internal_module name: (_) @name body: (statement_block) @body) @container
(module name: (_) @name body: (statement_block) @body) @container
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @field
(interface_declaration name: (type_identifier) @name) @type
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
