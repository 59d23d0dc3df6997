; What a renaming by spelling declares beside `names.scm`.
(binary_operator lhs: (extract_operator rhs: (identifier) @declares.field) operator: ["<-" "=" "<<-"])
(binary_operator lhs: (identifier) @declares.variable operator: "<<-")
