"""How bare the texts of a run are, counted by a program that knows only the original sources.

usage: bare.py SOURCE LANGUAGE RUN LIBRARY [--setting neutralized] [--show N]

SOURCE is the folder that the run was made from, RUN its folder, LIBRARY a file with a name of the language's library a line (of
Python the interpreter is asked).
Every spelling that the source declares anywhere is its own, unless the library has it or the language reserves it. Of each
function's text the identifiers under the setting stand beside those of `standard`, one by one:

- of the identifiers with an own spelling, how many stay, and which;
- functions whose own name, the first identifier so spelled, stays;
- texts whose file has a tree of another shape;
- names of the library that changed, with N examples each, to be read;
- nDCG@10 of BM25 over parts of identifiers: as written, under the setting, with own spellings masked here, and so with
  string literals emptied.

Needs tree-sitter-language-pack (0.9) and pyarrow.
"""
import argparse
import builtins
import collections
import glob
import math
import pathlib
import re
import sys

import pyarrow.parquet as parquet
from tree_sitter_language_pack import get_parser

ENDINGS = {
    "python": ".py", "go": ".go", "java": ".java", "javascript": ".js .mjs .cjs .jsx", "typescript": ".ts .tsx", "rust": ".rs",
    "csharp": ".cs", "php": ".php", "ruby": ".rb", "r": ".R .r",
}
NAME = re.compile(r"identifier$|^name$|^constant$|^label_name$|_variable$|^hash_key_symbol$|^implicit_parameter$")
DECLARES = re.compile(
    r"function|method|class|interface|struct|enum|trait|type_|type$|mod|const|static|field|property|variable|parameter|"
    r"_spec|let|record|namespace|constructor|macro|alias|delegate|labeled|union"
)
TEXT = re.compile(r"string.*(content|fragment)$|heredoc_content|nowdoc_string|escape_sequence|verbatim_string_literal")
MARKS = "@$#:&*?!=`\"'"


def leaves(node):
    if node.child_count == 0 or NAME.search(node.type) and node.named_child_count == 0:
        yield node
        return
    for child in node.children:
        yield from leaves(child)


def word(node):
    return node.text.decode(errors="replace").strip(MARKS)


def first_name(node):
    """The name that a pattern begins with."""
    while node is not None and not NAME.search(node.type):
        node = node.named_children[0] if node.named_children else None
    return node


def declared(tree):
    names = collections.Counter()
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if "import" in node.type or node.type in ("use_declaration", "using_directive", "namespace_use_declaration"):
            continue
        stack.extend(node.children)
        if DECLARES.search(node.type) and not node.type.endswith(("invocation", "call", "access_expression", "identifier", "_type")):
            for field in ("name", "pattern", "left", "alias"):
                for found in node.children_by_field_name(field):
                    name = first_name(found)
                    if name is not None:
                        names[word(name)] += 1
        if "assign" in node.type or node.type in ("short_var_declaration", "binary_operator", "range_clause", "for_statement"):
            operator = node.child_by_field_name("operator")
            if node.type == "binary_operator" and (operator is None or operator.text not in (b"<-", b"<<-", b"=")):
                continue
            left = node.child_by_field_name("left") or node.child_by_field_name("lhs")
            for target in left.named_children if left is not None and "list" in left.type else [left]:
                if target is None or "subscript" in target.type or "index" in target.type or "call" in target.type:
                    continue
                names_in = [leaf for leaf in leaves(target) if NAME.search(leaf.type)]
                if names_in:
                    names[word(names_in[-1])] += 1
        if node.type in ("parameters", "lambda_parameters", "method_parameters", "block_parameters", "formal_parameters"):
            for child in node.named_children:
                name = first_name(child)
                if name is not None:
                    names[word(name)] += 1
    return {name for name in names if re.fullmatch(r"[^\W\d][\w.]*", name)}


def shape(node):
    return node.type, tuple(shape(child) for child in node.children)


def parts(text):
    words = re.findall(r"[^\W_]+", text)
    found = []
    for one in words:
        found += re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z]+", one)
    return [part.lower() for part in found]


def ndcg(documents, queries, answers):
    counts = {key: collections.Counter(parts(text)) for key, text in documents.items()}
    lengths = {key: sum(count.values()) for key, count in counts.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))
    frequency = collections.Counter(term for count in counts.values() for term in count)
    total = 0.0
    for query, text in queries.items():
        scores = {}
        for key, count in counts.items():
            score = 0.0
            for term in parts(text):
                if count[term]:
                    idf = math.log(1 + (len(counts) - frequency[term] + 0.5) / (frequency[term] + 0.5))
                    score += idf * count[term] / (count[term] + 1.5 * (0.25 + 0.75 * lengths[key] / mean))
            scores[key] = score
        wanted = answers[query]
        better = sum(score > scores[wanted] for score in scores.values())
        ties = sum(score == scores[wanted] for score in scores.values())
        ranks = range(better + 1, better + ties + 1)
        total += sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10) / ties
    return total / max(1, len(queries))


def of_python():
    """The names of this interpreter's builtins, of what they have, and of the standard modules."""
    names = set(dir(builtins)) | set(sys.stdlib_module_names)
    for name in dir(builtins):
        names |= set(dir(getattr(builtins, name)))
    return names | set(dir(re.compile(""))) | set(dir(re.match("", ""))) | set(dir(sys.stdout))


def rows(pattern):
    for path in sorted(glob.glob(pattern)):
        yield from parquet.read_table(path).to_pylist()


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    for name in ("source", "language", "run", "library"):
        arguments.add_argument(name)
    arguments.add_argument("--setting", default="neutralized")
    arguments.add_argument("--show", type=int, default=0)
    options = arguments.parse_args()
    parser = get_parser(options.language)
    prefix = b"<?php " if options.language == "php" else b""
    parse = lambda text: parser.parse((b"" if text.startswith("<?") else prefix) + text.encode())
    library = set(pathlib.Path(options.library).read_text().split())
    if options.language == "python":
        library = of_python()
    # All that the library has, in modules that have to be imported too, is beside the list.
    beside = pathlib.Path(options.library.replace("typescript", "javascript")).with_name("standard.txt")
    standard_names = set(beside.read_text().split()) | {"Self"} if beside.exists() else set()
    own = set()
    for path in pathlib.Path(options.source).rglob("*"):
        if path.suffix and path.suffix in ENDINGS[options.language].split() and path.is_file():
            own |= declared(parser.parse(path.read_bytes()))
    own -= library
    own = {name for name in own if not (name.startswith("__") and name.endswith("__")) and name != "_"}
    units = {row["id"]: row for row in rows(f"{options.run}/02-units/part-*.parquet")}
    variants = list(rows(f"{options.run}/03-variants/part-*.parquet"))
    standard = {row["unit_id"]: row["text"] for row in variants if row["setting"] == "standard"}
    files = {row["unit_id"]: row["compiled_text"] for row in variants if row["setting"] == "standard"}
    total, stay, why, keeps, shapes, lengths, changed = 0, 0, collections.Counter(), [], 0, 0, collections.defaultdict(list)
    texts = [row for row in variants if row["setting"] == options.setting and (row["draw"] or 1) == 1]
    for row in texts:
        before, after = standard[row["unit_id"]], row["text"]
        one, two = parse(before), parse(after)
        # A method alone is no text of its language: shapes are those of the files.
        whole = [parse(text).root_node for text in (files[row["unit_id"]], row["compiled_text"])]
        shapes += shape(whole[0]) != shape(whole[1])
        old = [leaf for leaf in leaves(one.root_node) if NAME.search(leaf.type)]
        new = [leaf for leaf in leaves(two.root_node) if NAME.search(leaf.type)]
        lengths += len(old) != len(new)
        for was, now in zip(old, new) if len(old) == len(new) else []:
            name = word(was)
            if name in own:
                total += 1
                if word(now) == name:
                    stay += 1
                    why[name] += 1
            elif name in library and word(now) != name:
                line = before.encode()[: max(0, was.start_byte - len(prefix))].decode(errors="replace").count("\n")
                changed[name].append(before.splitlines()[line].strip()[:100])
        name = units[row["unit_id"]]["name"].strip(MARKS + "`")
        # Its own name is the first identifier that is spelled so.
        place = next((at for at, leaf in enumerate(old) if word(leaf) == name), None)
        if name in own and place is not None and place < len(new) and word(new[place]) == name:
            keeps.append(name)
    others = sum(count for name, count in why.items() if name not in standard_names)
    print(f"own spellings {len(own)}, texts {len(texts)}, own identifiers {total}, stay {stay} ({100 * stay / max(1, total):.2f} %), "
          f"{others} ({100 * others / max(1, total):.2f} %) of them no name anywhere in the library")
    print("stay:", ", ".join(f"{name} {count}" for name, count in why.most_common(25)))
    print(f"functions that keep their own name: {len(keeps)} {sorted(set(keeps))[:20]}; other shape: {shapes}, other number of identifiers: {lengths}")
    many = sorted(changed.items(), key=lambda item: -len(item[1]))
    print("names of the library that changed:", ", ".join(f"{name} {len(lines)}" for name, lines in many[:40]))
    for name, lines in many[: options.show]:
        for line in lines[:3]:
            print(f"  {name}: {line}")

    folders = glob.glob(f"{options.run}/05-dataset/*-standard")
    if not folders:
        print("no dataset: nothing was asked")
        return
    folder = folders[0]
    queries = {row["id"]: row["text"] for row in rows(f"{folder}/queries.parquet")}
    answers = {row["query-id"]: row["corpus-id"] for row in rows(f"{folder}/qrels.parquet")}
    of = lambda setting: {row["id"]: row["text"] for row in rows(f"{folder.removesuffix('standard')}{setting}*/corpus.parquet")}
    written = of("standard")

    def masked(text, empty):
        code, out, at = prefix + text.encode(), [], 0
        for leaf in leaves(parse(text).root_node):
            replacement = None
            if NAME.search(leaf.type) and word(leaf) in own:
                replacement = b"x%d" % (sorted_own[word(leaf)])
            elif empty and TEXT.search(leaf.type):
                replacement = b""
            if replacement is not None:
                out += [code[at : leaf.start_byte], replacement]
                at = leaf.end_byte
        return b"".join(out + [code[at:]])[len(prefix) :].decode(errors="replace")

    sorted_own = {name: number for number, name in enumerate(sorted(own))}
    for title, documents in [
        ("as written", written),
        (options.setting, {key: text for key, text in of(options.setting).items()}),
        ("masked here", {key: masked(text, False) for key, text in written.items()}),
        ("masked here, strings emptied", {key: masked(text, True) for key, text in written.items()}),
    ]:
        print(f"{title}: {ndcg(documents, queries, answers):.3f} ({len(queries)} queries, {len(documents)} documents)")


main()
