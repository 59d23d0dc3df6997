; Elements in small letters are those of the page.
((jsx_opening_element name: (identifier) @stay) (#match? @stay "^[a-z]"))
((jsx_closing_element name: (identifier) @stay) (#match? @stay "^[a-z]"))
((jsx_self_closing_element name: (identifier) @stay) (#match? @stay "^[a-z]"))
[(jsx_opening_element) (jsx_self_closing_element)] @element
