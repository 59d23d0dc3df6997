; What a renaming by spelling declares beside `names.scm`, and what is imported from other packages.
(lifetime (identifier) @given)
((token_tree (identifier) @given) (#any-of? @given "std" "core" "alloc"))
(attribute_item (attribute (identifier) @given))
(inner_attribute_item (attribute (identifier) @given))
((use_declaration argument: (scoped_identifier path: (identifier) @_from name: (identifier) @import))
  (#not-any-of? @_from "crate" "self" "super"))
((use_declaration argument: (scoped_use_list path: (identifier) @_from list: (use_list (identifier) @import))))
(use_declaration argument: (scoped_identifier) @origin)

; What attributes say to the compiler: names of features and lints.
((attribute_item (attribute (identifier) @_it arguments: (token_tree (identifier) @word))) (#not-eq? @_it "derive"))
((attribute_item (attribute (identifier) @_it arguments: (token_tree (token_tree (identifier) @word)))) (#not-eq? @_it "derive"))
((attribute_item (attribute (identifier) @_it arguments: (token_tree (token_tree (token_tree (identifier) @word))))) (#not-eq? @_it "derive"))
((attribute_item (attribute (scoped_identifier) arguments: (token_tree (identifier) @word))))
