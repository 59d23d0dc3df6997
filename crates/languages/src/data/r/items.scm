(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @function

(program (binary_operator lhs: (identifier) @name operator: ["<-" "="]) @global)

(comment) @comment
