"""CPython's own view of a renaming, for the tests: `library` says where the standard library is; `compare` says of pairs
of texts where their trees or their symbol tables differ in anything but names."""

import ast
import json
import symtable
import sys
import sysconfig

NAMES = {"id", "name", "arg", "attr", "asname", "module", "rest"}


def tree(node):
    if isinstance(node, ast.AST):
        fields = [type(node).__name__]
        for field, value in ast.iter_fields(node):
            if field in NAMES and (value is None or isinstance(value, str)):
                fields.append(value is None)
            elif isinstance(value, list) and value and isinstance(value[0], str):
                fields.append(len(value))
            else:
                fields.append(tree(value))
        return fields
    if isinstance(node, list):
        return [tree(child) for child in node]
    return repr(node)


def table(scope):
    # Not `is_namespace`: of private names, whose symbols are mangled and whose scopes are not, it is never true.
    flags = [
        (
            symbol.is_parameter(),
            symbol.is_global(),
            symbol.is_local(),
            symbol.is_free(),
            symbol.is_imported(),
            symbol.is_assigned(),
            symbol.is_referenced(),
        )
        for symbol in scope.get_symbols()
    ]
    return [scope.get_type(), sorted(flags), [table(child) for child in scope.get_children()]]


class Apart(ast.NodeTransformer):
    """Comprehensions as generators: since Python 3.12, tables have the names of a comprehension among those of the scope around
    it, where two that are written alike become one."""

    def visit_ListComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)


def symbols(text):
    apart = ast.unparse(ast.fix_missing_locations(Apart().visit(ast.parse(text))))
    return table(symtable.symtable(apart, "text", "exec"))


def differ(one, other):
    try:
        if tree(ast.parse(one)) != tree(ast.parse(other)):
            return "tree"
        if symbols(one) != symbols(other):
            return "symbols"
    except SyntaxError as error:
        return str(error)
    return None


question = json.load(sys.stdin)
if question["do"] == "library":
    answer = sysconfig.get_paths()["stdlib"]
else:
    answer = [differ(one, other) for one, other in question["pairs"]]
json.dump(answer, sys.stdout)
