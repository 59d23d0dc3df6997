(function_declaration name: (identifier) @name body: (_) @body) @function
(generator_function_declaration name: (identifier) @name body: (_) @body) @function

(lexical_declaration
  . (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  .) @function
(variable_declaration
  . (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  .) @function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function

(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @function
(assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function

; A function with a name of its own, wherever it stands.
(function_expression name: (identifier) @name body: (_) @body) @function
(generator_function name: (identifier) @name body: (_) @body) @function

; Functions of an object that has a name. Those of other objects are parts of what they stand in.
(variable_declarator value: (object (pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @method))
(variable_declarator value: (object (method_definition name: (property_identifier) @name body: (_) @body) @method))
(assignment_expression right: (object (pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @method))
(assignment_expression right: (object (method_definition name: (property_identifier) @name body: (_) @body) @method))
(export_statement value: (object (pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @method))
(export_statement value: (object (method_definition name: (property_identifier) @name body: (_) @body) @method))

; Functions of an object that a call outside of any function is given.
(program (expression_statement (call_expression arguments: (arguments (object (pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @method)))))
(program (expression_statement (call_expression arguments: (arguments (object
  (method_definition name: (property_identifier) @name body: (_) @body) @method)))))

(class_body (method_definition name: [(property_identifier) (private_property_identifier)] @name body: (_) @body) @method)
((class_body (method_definition name: (property_identifier) @name body: (_) @body) @constructor) (#eq? @name "constructor"))

((variable_declarator value: (object) @container) (#set! head "({") (#set! tail "})") (#set! separator ","))
((assignment_expression right: (object) @container) (#set! head "({") (#set! tail "})") (#set! separator ","))
((export_statement value: (object) @container) (#set! head "({") (#set! tail "})") (#set! separator ","))
((program (expression_statement (call_expression arguments: (arguments (object) @container))))
  (#set! head "({") (#set! tail "})") (#set! separator ","))

(program (lexical_declaration (variable_declarator name: (identifier) @name)) @global)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @global)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @global))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @global))

(comment) @comment
