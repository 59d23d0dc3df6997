"""The names of Rust's library:

    python3 rust.py FOLDER > ../src/data/rust/library.txt             those that an object of unknown type may have
    python3 rust.py FOLDER standard > ../src/data/rust/standard.txt   all public ones

The first are macros, what the prelude has, and the methods of primitive types and of the types and traits that values are handed
around in. Made from the documentation of Rust 1.95, whose folder is `$(rustc --print sysroot)/share/doc/rust/html/std`.
"""
import pathlib
import re
import subprocess
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
IS_WHOLE = sys.argv[2:] == ["standard"]
KINDS = ["struct", "enum", "trait", "type", "union"]
if IS_WHOLE:
    KINDS += ["fn", "constant", "static", "macro", "derive", "attr"]
    for crate in ("std", "core", "alloc", "proc_macro"):
        folder = ROOT.parent / crate
        pages += folder.rglob("*.html")
        names |= {part for page in folder.rglob("index.html") for part in page.relative_to(ROOT.parent).parts[:-1]}
for page in pages:
    kind, _, rest = page.name.partition(".")
    if kind in KINDS:
        names.add(rest.removesuffix(".html"))
    if kind in ("struct", "enum", "trait", "primitive", "union"):
        text = page.read_text()
        names |= set(re.findall(r'id="(?:method|tymethod|variant|structfield|associatedtype|associatedconstant)\.(\w+)"', text))
if IS_WHOLE:
    # Lints, attributes, and words that mean something to the language in some places only.
    lints = subprocess.run(["rustc", "-W", "help"], capture_output=True, text=True, check=True).stdout
    names |= {name.replace("-", "_") for name in re.findall(r"^ +([a-z][a-z-]+)  +(?:allow|warn|deny|forbid)", lints, re.M)}
    attributes = (ROOT.parent / "reference" / "attributes.html").read_text()
    names |= set(re.findall(r'<a href="[^"]*"><code(?: class="hljs")?>([a-z_]+)</code></a>', attributes))
    names |= set("auto default feature macro_rules raw safe union".split())
print("\n".join(sorted(name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name))))
