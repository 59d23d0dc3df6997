[(function_definition) (method_declaration) (anonymous_function)] @scope.function

(name) @type
(variable_name (name) @variable)
(function_call_expression function: (name) @callable)
(function_call_expression function: (qualified_name (name) @callable))
((variable_name (name) @_it) @self (#eq? @_it "this"))
((relative_scope) @self (#not-eq? @self "parent"))

(function_definition name: (name) @def.callable)
(method_declaration name: (name) @def.method)
(class_declaration name: (name) @def.class)
(interface_declaration name: (name) @def.class)
(trait_declaration name: (name) @def.class)
(enum_declaration name: (name) @def.enum)
(enum_case name: (name) @def.enumerator)
(const_element (name) @def.field)
(property_element name: (variable_name (name) @def.field))
(simple_parameter name: (variable_name (name) @def.parameter))
(variadic_parameter name: (variable_name (name) @def.parameter))

(member_access_expression name: (name) @member)
(nullsafe_member_access_expression name: (name) @member)
(member_call_expression name: (name) @member)
(nullsafe_member_call_expression name: (name) @member)
(scoped_call_expression name: (name) @member)
(scoped_property_access_expression name: (variable_name (name) @member))
(class_constant_access_expression (_) . (name) @member)
(argument name: (name) @argument)
; `$$name`, `extract($row)`: which variable it is shows when it runs.
(dynamic_variable_name) @computed
[(include_expression) (include_once_expression) (require_expression) (require_once_expression)] @computed
((function_call_expression function: (name) @_it) @computed
  (#any-of? @_it "extract" "get_defined_vars" "parse_str" "eval"))
((function_call_expression function: (name) @_it arguments: (arguments (argument (variable_name)))) @computed
  (#eq? @_it "compact"))
; `[$this, 'name']` is called.
(array_creation_expression
  . (array_element_initializer (variable_name))
  . (array_element_initializer (string (string_content) @spelled)) .)
(namespace_name (name) @stay)
(property_promotion_parameter name: (variable_name (name) @keep.promoted))
(global_declaration (variable_name (name) @keep.global))
((function_call_expression
    function: (name) @_it
    arguments: (arguments (argument [(string (string_content) @spelled) (encapsed_string (string_content) @spelled)])))
  (#any-of? @_it "compact" "call_user_func" "array_map" "usort" "is_callable"))
((variable_name (name) @stay) (#any-of? @stay "this" "_GET" "_POST" "_SERVER" "_COOKIE" "_FILES" "_ENV" "_REQUEST" "_SESSION" "GLOBALS"))
((method_declaration name: (name) @keep.contract) (#match? @keep.contract "^__"))
; What the interfaces of the language ask for.
((_ (class_interface_clause) body: (declaration_list (method_declaration name: (name) @keep.contract)))
  (#any-of? @keep.contract "count" "getIterator" "current" "key" "next" "rewind" "valid" "seek" "hasChildren" "getChildren"
    "offsetExists" "offsetGet" "offsetSet" "offsetUnset" "jsonSerialize" "serialize" "unserialize"))
; `$name = 'check'; $name($word)`
(assignment_expression right: [(string (string_content) @spelled) (encapsed_string . (string_content) @spelled .)])
