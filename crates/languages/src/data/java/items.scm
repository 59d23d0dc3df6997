(method_declaration name: (identifier) @name body: (block) @body) @method
(constructor_declaration name: (identifier) @name body: (constructor_body) @body) @constructor
(compact_constructor_declaration name: (identifier) @name body: (block) @body) @constructor

(class_declaration name: (identifier) @name body: (class_body) @body) @container
(interface_declaration name: (identifier) @name body: (interface_body) @body) @container
(annotation_type_declaration name: (identifier) @name body: (annotation_type_body) @body) @container
(record_declaration name: (identifier) @name body: (class_body) @body) @container
(enum_declaration name: (identifier) @name body: (enum_body (enum_body_declarations) @body)) @container

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @field

[(line_comment) (block_comment)] @comment
