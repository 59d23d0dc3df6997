(function_item name: (identifier) @name body: (block) @body) @function
(impl_item body: (declaration_list (function_item name: (identifier) @name body: (block) @body) @method))
(trait_item body: (declaration_list (function_item name: (identifier) @name body: (block) @body) @method))

(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (scoped_type_identifier name: (type_identifier) @name)
    (primitive_type) @name
  ]
  body: (declaration_list) @body) @container
(impl_item body: (declaration_list) @body) @container
(trait_item name: (type_identifier) @name body: (declaration_list) @body) @container
(mod_item name: (identifier) @name body: (declaration_list) @body) @container

(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @global
(static_item name: (identifier) @name) @global
(macro_definition name: (identifier) @name) @global

(attribute_item) @attribute
[(line_comment) (block_comment)] @comment
