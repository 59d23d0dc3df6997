"""The words of the documentation of standard libraries: `library.py LANGUAGE FOLDER… > data/library/LANGUAGE.txt`.

For each name of a function or method, the words of the first sentence of its documentation. A name that several types
have gets the words that most of them agree in. Python's library is imported, so it needs no folder; others are read from
the source code of the library.
"""

import collections
import importlib
import inspect
import pathlib
import re
import sys
from xml.etree import ElementTree

# The licenses are those of the documentation; only single words of it are kept, in alphabetical order.
LIBRARIES = {
    "python": ("the standard library of Python, PSF-2.0", None, None),
    "go": (
        "the standard library of Go, BSD-3-Clause",
        "*.go",
        re.compile(r"((?:^[ \t]*//[^\n]*\n)+)^func (?:\([^)]*\) )?([A-Z]\w*)", re.M),
    ),
    "java": (
        "the Java platform (OpenJDK), GPL-2.0-only WITH Classpath-exception-2.0",
        "*.java",
        re.compile(r"/\*\*(.*?)\*/\s*(?:@\w+(?:\([^)]*\))?\s*)*public [^;{=]*?\b([a-z]\w*)\(", re.S),
    ),
    "javascript": (
        "the declarations of TypeScript for JavaScript and for browsers, Apache-2.0",
        "lib.*.d.ts",
        re.compile(r"/\*\*(.*?)\*/\s*(?:readonly )?(?:declare function )?([a-zA-Z]\w*)\??(?:<[^(]*>)?\(", re.S),
    ),
    "rust": (
        "the standard library of Rust, MIT OR Apache-2.0",
        "*.rs",
        re.compile(
            r"((?:^[ \t]*///[^\n]*\n)+)(?:^[ \t]*#\[[^\n]*\n)*^[ \t]*"
            r"(?:pub )?(?:const )?(?:unsafe )?fn ([a-z]\w*)",
            re.M,
        ),
    ),
    "php": (
        "the extensions that PHP ships with, as declared in phpstorm-stubs (4e14dd6b), Apache-2.0 and CC-BY-3.0",
        "*.php",
        re.compile(
            r"/\*\*((?:[^*]|\*(?!/))*?)\*/\s*(?:#\[[^\n]*\n\s*)*"
            r"(?:(?:public|static|final|abstract) )*function &?([a-zA-Z]\w*)"
        ),
    ),
    "ruby": (
        "the core and standard library of Ruby, as documented in rbs (584b4cf0), BSD-2-Clause OR Ruby",
        "*.rbs",
        re.compile(r"((?:^[ \t]*#[^\n]*\n)+)^[ \t]*def (?:self\??\.)?([a-z]\w*[?!]?):", re.M),
    ),
    "r": ("packages that R ships with (4.5.0, trunk at 0c26529e), GPL-2.0-or-later", "*.Rd", None),
    "csharp": ("the class library of .NET, as documented for Mono (6.8), MIT and CC-BY-4.0", "*", None),
}
# Namespaces of .NET without user interfaces, servers of pages and designers.
NAMESPACES = re.compile(
    r"System(\.(Collections|ComponentModel|Data|Diagnostics|Drawing|Globalization|IO|Linq|Net|Numerics|Reflection|Runtime"
    r"|Security|Text|Threading|Timers|Xml)(\.(Generic|Specialized|ObjectModel|Concurrent|Compression|Cryptography|Sockets"
    r"|RegularExpressions|Tasks|Serialization|XPath|Linq|InteropServices))?)?\.\w+(<[^.]*)?"
)
# Modules that are imported; those that start something or belong to a platform are left out.
MODULES = """abc argparse array ast asyncio base64 bisect builtins calendar cmath codecs collections collections.abc
concurrent.futures configparser contextlib copy csv ctypes dataclasses datetime decimal difflib email enum fnmatch
fractions functools getpass glob gzip hashlib heapq hmac html http.client importlib inspect io ipaddress itertools json
keyword linecache locale logging lzma math mimetypes multiprocessing numbers operator os os.path pathlib pickle platform
pprint queue random re reprlib secrets select shelve shlex shutil signal socket sqlite3 ssl stat statistics string struct
subprocess sys tarfile tempfile textwrap threading time timeit token tokenize traceback types typing unicodedata unittest
urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib""".split()
STOP = set(
    """a an and are as at be been but by can do does for from has have if in into is it its may must no not of on only or
    otherwise s should such than that the their them then there these this those to was when where whether which will
    with you your return returns returned returning given specified value values same use used using method function
    object class instance called call calls self see also none true false none new any all each one two more other
    current this code link interface param http https www""".split()
)
# A name that stands for too many things has no words.
MOST = 9


def first_sentence(text):
    text = re.sub(r"^[ \t]*(///?|\*)?[ \t]?", "", text, flags=re.M)
    text = re.sub(r"\[MDN Reference\]\([^)]*\)|\]\([^)]*\)|https?://\S+", " ", text)
    text = re.sub(r"\{@\w+ ([^}]*)\}|<[^>]*>|`", r" \1 ", text)
    text = re.split(r"\n\s*\n|\n\s*@|\n\s*#", text.strip())[0]
    return re.split(r"(?<=[a-z)])\.(?:\s|$)", text)[0]


def words_of(text):
    for word in re.findall(r"[A-Za-z]+", text):
        word = word.lower()
        if len(word) > 2 and word not in STOP:
            yield word


def of_python():
    for name in MODULES:
        module = importlib.import_module(name)
        members = [(None, module)]
        members += [(one, kind) for one, kind in vars(module).items() if inspect.isclass(kind)]
        for owner, holder in members:
            if owner and owner.startswith("_"):
                continue
            if owner and isinstance(holder.__doc__, str):
                yield owner, re.sub(r"^.*?\) ?->.*$|^\w+\(.*\)$", "", holder.__doc__.strip(), count=1, flags=re.M)
            for one, member in list(vars(holder).items()):
                text = getattr(member, "__doc__", None)
                if one.startswith("_") or not callable(member) or not isinstance(text, str):
                    continue
                if inspect.isclass(member):
                    continue
                # C functions begin with their signature.
                yield one, re.sub(r"^\w+\(.*\n+", "", text.strip())


def of_sources(pattern, expression, folders):
    files = sorted((file, folder) for folder in folders for file in pathlib.Path(folder).rglob(pattern))
    known = set()
    # What every program has comes before what has to be asked for: pages of browsers, libraries of Ruby.
    later = re.compile(r"/lib\.dom[^/]*$|/stdlib/")
    for is_later, file, folder in sorted((bool(later.search(str(file))), file, folder) for file, folder in files):
        inside = f"/{file.relative_to(folder)}"
        if re.search(r"test|internal|vendor|/cmd/|/sun/|benches|core_arch|stdarch|intrinsics|/sys/|webworker|invoke", inside):
            continue
        for text, name in expression.findall(file.read_text(errors="replace")):
            if is_later and name in known:
                continue
            if not is_later:
                known.add(name)
            yield name, text


def of_php(*from_where):
    for name, text in of_sources(*from_where):
        # The versions that have it.
        yield name, re.sub(r"\((?:PHP|PECL)[^\n]*\)\s*(?:<br/?>)?", "", text)


def of_ruby(pattern, expression, folders):
    texts = {}
    for name, text in of_sources(pattern, expression, folders):
        text = re.sub(r"^[ \t]*# ?", "", text, flags=re.M)
        # Where it was taken from and forms of calls; headings and directives.
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        text = re.sub(r"^(?:[=#]+ .*|:\w+:.*)$|\W*\bdeprecated\b\W*", "", text, flags=re.M | re.I)
        if not re.match("alias", text.strip(), re.I):
            texts.setdefault(name, []).append(text)
    for folder in folders:
        for file in sorted(pathlib.Path(folder).rglob(pattern)):
            for name, of in re.findall(r"^[ \t]*alias ([a-z]\w*[?!]?) ([a-z]\w*[?!]?)$", file.read_text(), re.M):
                if name not in texts and of in texts:
                    texts[name] = texts[of]
    for name, said in texts.items():
        for text in said:
            yield name, text


def of_r(folders):
    for file in sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*.Rd")):
        text = re.sub(r"(?<!\\)%.*", "", file.read_text(errors="replace"))
        title = re.search(r"\\title\{((?:[^{}]|\{[^{}]*\})*)\}", text)
        if not title or r"\keyword{internal}" in text:
            continue
        names = re.findall(r"\\alias\{([A-Za-z.][\w.]*)\}", text)
        # The title of a page is about all of its functions; that of many says little of each.
        for name in names if len(names) <= 12 else []:
            yield name, re.sub(r"\\\w+|[{}]", " ", title.group(1))


def of_csharp(folders):
    for file in sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*") if file.is_file()):
        if file.read_bytes()[:2000].find(b"<Type ") < 0:
            continue
        root = ElementTree.fromstring(file.read_text("utf-8-sig"))
        if not NAMESPACES.fullmatch(root.get("FullName", "")):
            continue
        for member in root.iter("Member"):
            summary = member.find("Docs/summary")
            # A generic method has its parameters in the name.
            name = member.get("MemberName", "").split("<")[0]
            is_method = member.findtext("MemberType") == "Method" and re.fullmatch("[A-Z][A-Za-z0-9]*", name)
            if summary is not None and is_method:
                for see in summary.iter():
                    # The name of a type is what a link says.
                    cref = see.get("cref", "")
                    see.text = (see.text or "") + (re.split(r"[.:]", cref)[-1] if cref.startswith("T:System.") else "")
                said = " ".join("".join(summary.itertext()).split())
                if not re.search(r"^To be added|generated by|infrastructure", said):
                    yield name, said


def main():
    language, *folders = sys.argv[1:]
    origin, pattern, expression = LIBRARIES[language]
    if language == "python":
        found = of_python()
    elif language in ("r", "csharp"):
        found = {"r": of_r, "csharp": of_csharp}[language](folders)
    else:
        found = {"php": of_php, "ruby": of_ruby}.get(language, of_sources)(pattern, expression, folders)
    texts = collections.defaultdict(set)
    for name, text in found:
        texts[name].add(first_sentence(text))
    lines = collections.defaultdict(list)
    for name, sentences in texts.items():
        counts = collections.Counter()
        for sentence in sorted(sentences):
            # Sentences of Go begin with the name; only a name that is a word says something.
            counts.update(set(words_of(sentence)) - ({name.lower()} if re.search(r"\w[A-Z_]", name) else set()))
        # A word that only one of many types says is about the type.
        least = 1 if len(sentences) < 4 else len(sentences) / 3
        best = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        words = [word for word, count in best if count >= least][:MOST]
        if words and len(name) > 1:
            lines[" ".join(sorted(words))].append(name)
    print(f"# Names of {origin}, with words of the first sentence of their documentation.")
    print("# Written by recipes/structural/library.py.")
    for words, names in sorted(lines.items(), key=lambda one: sorted(one[1])):
        print(f"{' '.join(sorted(names))}: {words}")


main()
