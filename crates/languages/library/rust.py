"""The names of Rust's library that an object of unknown type may have: python3 rust.py FOLDER > ../src/data/rust/library.txt

Macros, what the prelude has, and the methods of primitive types and of the types and traits that values are handed around in.
Made from the documentation of Rust 1.95, whose folder is `$(rustc --print sysroot)/share/doc/rust/html/std`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
MODULES = "alloc any borrow boxed cell char clone cmp collections convert default error fmt hash io iter marker ops option path pin".split()
MODULES += "rc result slice str string sync time vec array num".split()
names = set()
for page in ROOT.glob("*.html"):
    kind, _, rest = page.name.partition(".")
    if kind in ("macro", "primitive", "keyword", "attr", "derive"):
        names.add(rest.removesuffix(".html"))
pages = list(ROOT.glob("primitive.*.html"))
for module in MODULES:
    pages += (ROOT / module).rglob("*.html")
for page in pages:
    kind, _, rest = page.name.partition(".")
    if kind in ("struct", "enum", "trait", "type", "union"):
        names.add(rest.removesuffix(".html"))
    if kind in ("struct", "enum", "trait", "primitive", "union"):
        text = page.read_text()
        names |= set(re.findall(r'id="(?:method|tymethod|variant|structfield|associatedtype|associatedconstant)\.(\w+)"', text))
print("\n".join(sorted(name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name))))
