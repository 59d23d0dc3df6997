(method_declaration name: (identifier) @name body: (_) @body) @method
(constructor_declaration name: (identifier) @name body: (_) @body) @constructor
(destructor_declaration name: (identifier) @name body: (_) @body) @destructor
(local_function_statement name: (identifier) @name body: (_) @body) @function

(class_declaration name: (identifier) @name body: (declaration_list) @body) @container
(struct_declaration name: (identifier) @name body: (declaration_list) @body) @container
(interface_declaration name: (identifier) @name body: (declaration_list) @body) @container
(record_declaration name: (identifier) @name body: (declaration_list) @body) @container
(namespace_declaration name: (_) @name body: (declaration_list) @body) @container

(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(property_declaration name: (identifier) @name) @field
(enum_declaration name: (identifier) @name) @type
(delegate_declaration name: (identifier) @name) @type

(comment) @comment
