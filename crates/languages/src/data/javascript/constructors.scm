((method_definition name: (property_identifier) @given) (#eq? @given "constructor"))
