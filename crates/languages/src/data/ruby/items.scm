(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
((method name: (_) @name) @constructor (#eq? @name "initialize"))

(class name: [(constant) (scope_resolution)] @name body: (body_statement) @body) @container
(module name: [(constant) (scope_resolution)] @name body: (body_statement) @body) @container
(singleton_class body: (body_statement) @body) @container

(program (assignment left: (constant) @name) @global)
(body_statement (assignment left: (constant) @name) @field)
((body_statement (call method: (identifier) @_it arguments: (argument_list (simple_symbol) @name)) @field)
  (#any-of? @_it "attr_reader" "attr_writer" "attr_accessor"))

(comment) @comment
