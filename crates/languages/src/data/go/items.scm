(function_declaration name: (identifier) @name body: (block) @body) @function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (pointer_type (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
  ]))
  name: (field_identifier) @name
  body: (block) @body) @method

(source_file (type_declaration (type_spec name: (type_identifier) @name)) @type)
(source_file (type_declaration (type_alias name: (type_identifier) @name)) @type)
(source_file (var_declaration (var_spec name: (identifier) @name)) @global)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name))) @global)
(source_file (const_declaration (const_spec name: (identifier) @name)) @global)

(comment) @comment
