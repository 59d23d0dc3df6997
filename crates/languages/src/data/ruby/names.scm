[(method) (singleton_method) (lambda) (block) (do_block) (class) (module)] @scope.function

(identifier) @value
(constant) @type
(self) @self
[(instance_variable) (class_variable)] @def.own

(method name: (identifier) @def.method)
(method name: (constant) @def.method)
(method name: (setter name: (identifier) @def.method))
(singleton_method name: (identifier) @def.method)
(class name: (constant) @def.class)
(module name: (constant) @def.class)
(assignment left: (constant) @def.alias)
(block_parameter (identifier) @def.parameter)
(block_parameters (identifier) @def.parameter)
(destructured_parameter (identifier) @def.parameter)
(hash_splat_parameter (identifier) @def.parameter)
(lambda_parameters (identifier) @def.parameter)
(method_parameters (identifier) @def.parameter)
(splat_parameter (identifier) @def.parameter)
(optional_parameter name: (identifier) @def.parameter)
(assignment left: (identifier) @def.variable)
(operator_assignment left: (identifier) @def.variable)
(left_assignment_list (identifier) @def.variable)
(rest_assignment (identifier) @def.variable)
(destructured_left_assignment (identifier) @def.variable)
(for pattern: (identifier) @def.variable)
(exception_variable (identifier) @def.variable)
(array_pattern (identifier) @def.variable)
(as_pattern name: (identifier) @def.variable)

(call !receiver method: (identifier) @own)
(call receiver: (_) method: [(identifier) (constant)] @member)
(scope_resolution name: (constant) @stay)
((identifier) @stay (#eq? @stay "_"))
((call method: (identifier) @_it) @computed
  (#any-of? @_it "eval" "binding" "local_variable_get" "local_variable_set"))
((identifier) @computed (#eq? @computed "binding"))
(keyword_parameter name: (identifier) @keep.argument)
(pair key: (hash_key_symbol) @keep.shorthand !value)
(keyword_pattern key: (hash_key_symbol) @keep.shorthand)
(simple_symbol) @spelled
(bare_symbol) @spelled
(alias (_) @keep.spelled)
((method name: (identifier) @keep.contract)
  (#any-of? @keep.contract "initialize" "to_s" "to_str" "to_a" "to_ary" "to_h" "to_hash" "to_proc" "inspect" "each" "call"
    "hash" "eql?" "method_missing" "respond_to_missing?" "included" "inherited" "extended" "coerce" "initialize_copy"))
