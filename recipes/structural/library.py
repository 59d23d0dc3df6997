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
}
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
    files = sorted(file for folder in folders for file in pathlib.Path(folder).rglob(pattern))
    known = set()
    # What the language has comes before what a page has.
    for file in sorted(files, key=lambda file: "dom" in file.name):
        if re.search(r"test|internal|vendor|/cmd/|/sun/|benches|core_arch|stdarch|intrinsics|/sys/|webworker|invoke", str(file)):
            continue
        for text, name in expression.findall(file.read_text(errors="replace")):
            if "dom" in file.name and name in known:
                continue
            if "dom" not in file.name:
                known.add(name)
            yield name, text


def main():
    language, *folders = sys.argv[1:]
    origin, pattern, expression = LIBRARIES[language]
    found = of_python() if language == "python" else of_sources(pattern, expression, folders)
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
