(function_definition) @scope.function

(identifier) @value

(parameter name: (identifier) @def.parameter)
(binary_operator lhs: (identifier) @def.variable operator: ["<-" "="])
(binary_operator operator: "->" rhs: (identifier) @def.variable)
(binary_operator lhs: (identifier) @def.function operator: ["<-" "=" "<<-"] rhs: (function_definition))
(for_statement variable: (identifier) @def.variable)

(argument name: (identifier) @argument)
(extract_operator rhs: (identifier) @stay)
(namespace_operator lhs: (identifier) @stay)
(namespace_operator rhs: (identifier) @stay)
((call function: (identifier) @_it arguments: (arguments (argument value: (string content: (string_content) @spelled))))
  (#any-of? @_it "UseMethod" "NextMethod" "get" "exists" "do.call" "match.fun" "assign" "missing"))
; `%||%`, `names<-`: other marks than those of a name.
((identifier) @keep.operator (#match? @keep.operator "^`"))
