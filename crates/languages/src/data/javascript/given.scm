; Elements in small letters and their attributes are those of the page.
((jsx_opening_element name: (identifier) @given) (#match? @given "^[a-z]"))
((jsx_closing_element name: (identifier) @given) (#match? @given "^[a-z]"))
((jsx_self_closing_element name: (identifier) @given) (#match? @given "^[a-z]"))
((jsx_opening_element name: (identifier) @_it attribute: (jsx_attribute . (property_identifier) @given))
  (#match? @_it "^[a-z]"))
((jsx_self_closing_element name: (identifier) @_it attribute: (jsx_attribute . (property_identifier) @given))
  (#match? @_it "^[a-z]"))
