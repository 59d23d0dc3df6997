; What a renaming by spelling declares beside `names.scm`, and what is imported from other packages.
(lifetime (identifier) @given)
(attribute_item (attribute (identifier) @given))
(inner_attribute_item (attribute (identifier) @given))
((use_declaration argument: (scoped_identifier path: (identifier) @_from name: (identifier) @import))
  (#not-any-of? @_from "crate" "self" "super"))
((use_declaration argument: (scoped_use_list path: (identifier) @_from list: (use_list (identifier) @import))))
