[
  (function_item) (function_signature_item) (closure_expression) (block) (match_arm) (for_expression) (if_expression)
  (while_expression) (impl_item) (trait_item) (struct_item) (enum_item) (type_item)
] @scope

(identifier) @value
(type_identifier) @type
(field_identifier) @member
(self) @self
((identifier) @self (#eq? @self "Self"))
((type_identifier) @stay (#eq? @stay "Self"))

(function_item name: (identifier) @def.function)
(impl_item body: (declaration_list (function_item name: (identifier) @def.method)))
(trait_item body: (declaration_list (function_item name: (identifier) @def.method)))
(trait_item body: (declaration_list (function_signature_item name: (identifier) @def.method)))
(let_declaration pattern: (identifier) @def.variable) @extent
(parameter pattern: (identifier) @def.parameter)
(parameter pattern: (mut_pattern (identifier) @def.parameter))
(closure_parameters (identifier) @def.parameter)
(for_expression pattern: (identifier) @def.variable)
((tuple_pattern (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
((tuple_struct_pattern (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
((slice_pattern (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
((or_pattern (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
(ref_pattern (identifier) @def.variable)
(mut_pattern (identifier) @def.variable)
(reference_pattern (identifier) @def.variable)
(captured_pattern . (identifier) @def.variable)
((match_pattern (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
((let_condition pattern: (identifier) @def.variable) (#match? @def.variable "^[a-z_]"))
(field_pattern pattern: (identifier) @def.variable)
(struct_item name: (type_identifier) @def.struct)
(enum_item name: (type_identifier) @def.enum)
(union_item name: (type_identifier) @def.union)
(type_item name: (type_identifier) @def.alias)
(trait_item name: (type_identifier) @def.class)
(enum_variant name: (identifier) @def.enumerator)
(field_declaration name: (field_identifier) @def.field)
(const_item name: (identifier) @def.variable)
(static_item name: (identifier) @def.variable)
(mod_item name: (identifier) @def.namespace)
(type_parameter name: (type_identifier) @def.generic)
(const_parameter name: (identifier) @def.generic)
(macro_definition name: (identifier) @def.macro)
(macro_invocation macro: (identifier) @macro)

(scoped_identifier name: (identifier) @member)
(scoped_type_identifier name: (type_identifier) @member)
; A path from the root of the modules is not followed.
(scoped_identifier path: [(crate) (self) (super)] name: (identifier) @keep.undecided)
(scoped_type_identifier path: [(crate) (self) (super)] name: (type_identifier) @keep.undecided)
(token_tree [(crate) (self) (super)] . "::" . (identifier) @keep.undecided)
(tuple_struct_pattern type: (identifier) @assigned)
(token_tree "." . (identifier) @member)
(token_tree "::" . (identifier) @member)
(token_tree (identifier) @token)
(token_tree (identifier) @macro . "!" . (token_tree))
((macro_invocation macro: (identifier) @_it (token_tree (identifier) @keep.spelled)) (#eq? @_it "stringify"))
(lifetime (identifier) @stay)
(label (identifier) @stay)
(attribute (identifier) @stay)
(attribute (_) (token_tree (identifier) @stay))
(use_declaration argument: (identifier) @stay)
(use_list (identifier) @stay)
(use_as_clause alias: (identifier) @stay)
(shorthand_field_initializer (identifier) @keep.shorthand)
(shorthand_field_identifier) @keep.shorthand
; What a trait asks for is called by the trait's names.
(impl_item trait: (_) body: (declaration_list (function_item name: (identifier) @keep.contract)))
(impl_item trait: (_) body: (declaration_list (type_item name: (type_identifier) @keep.contract)))
(impl_item trait: (_) body: (declaration_list (const_item name: (identifier) @keep.contract)))
(string_content) @format
