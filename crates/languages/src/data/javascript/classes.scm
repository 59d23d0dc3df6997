(class_declaration name: (identifier) @name body: (class_body) @body) @container
(class name: (identifier)? @name body: (class_body) @body) @container
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @field
