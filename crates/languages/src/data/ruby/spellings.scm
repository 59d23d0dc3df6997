; What a renaming by spelling declares beside `names.scm`.
(keyword_parameter name: (identifier) @declares.parameter)
((call method: (identifier) @_it arguments: (argument_list (simple_symbol) @declares.method))
  (#any-of? @_it "attr_reader" "attr_writer" "attr_accessor" "define_method" "alias_method" "private" "protected"
    "public" "module_function" "private_class_method" "def_delegator" "def_delegators"))
(alias name: (identifier) @declares.method)
((method name: (identifier) @given)
  (#any-of? @given "initialize" "initialize_copy" "method_missing" "respond_to_missing?" "included" "extended" "inherited"))
; Nearly every class has it from the language.
((call method: (identifier) @given) (#eq? @given "new"))
((method name: (identifier) @given) (#eq? @given "new"))
((singleton_method name: (identifier) @given) (#eq? @given "new"))
