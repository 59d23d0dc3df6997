(function_definition name: (name) @name body: (compound_statement) @body) @function
(method_declaration name: (name) @name body: (compound_statement) @body) @method
((method_declaration name: (name) @name body: (compound_statement) @body) @constructor (#eq? @name "__construct"))

(class_declaration name: (name) @name body: (declaration_list) @body) @container
(interface_declaration name: (name) @name body: (declaration_list) @body) @container
(trait_declaration name: (name) @name body: (declaration_list) @body) @container
(enum_declaration name: (name) @name body: (enum_declaration_list) @body) @container
(namespace_definition name: (namespace_name) @name body: (compound_statement) @body) @container

(property_declaration (property_element name: (variable_name (name) @name))) @field
(declaration_list (const_declaration (const_element (name) @name)) @field)
(enum_case name: (name) @name) @field
(program (const_declaration (const_element (name) @name)) @global)

(comment) @comment
