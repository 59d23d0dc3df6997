#!/usr/bin/env python3
"""Mines what the learned part of the structural retriever is learned from: comments, functions, and their compiled forms.

    python3 recipes/structural/mine.py recipes/structural/sources.csv OUT [--mirror FOLDER]

OUT gets a file for each repository: a JSON list of objects with `name`, `comment`, `source`, `assembly` and `wasm`; what
there is not is null. A repository is fetched at the commit that sources.csv names; with --mirror it is read from
FOLDER/OWNER+NAME/repo, a bare clone. Each file of C is compiled once (unless `flags` is `-`), as a whole, without
optimization (gcc; clang with WASI for WebAssembly), and cut by symbol; so is each file of C++ where `c++` is `yes`, but
for functions whose name another one of the file has. What does not compile has no assembly; nothing is configured, built
or run, and `stand-in` has what a build would make. The compilers are not confined: mine only what you
trust to be compiled. Needs git, gcc, binutils, clang, wasi-libc and wabt.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inl")
OTHERS = ("third_party", "thirdparty", "3rdparty", "vendor/", "external/", "deps/")
TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|[{};]", re.S | re.M
)
HEAD = re.compile(r"[A-Za-z_~][^=]*\)\s*(?:const|noexcept|override|\s)*$", re.S)
NAME = re.compile(r"([A-Za-z_~]\w*)\s*\(")
NOT_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "defined", "do", "else", "__attribute__", "__declspec"}
OPEN = re.compile(r"(extern\s*\"C\"|namespace\b[^;{}()]*)\s*$")


def functions(text):
    """Yields (comment before it or None, head and body, name) for each function with a body outside of others."""
    comment, start, at, depth, opened = None, 0, 0, 0, 0
    head = None
    while token := TOKEN.search(text, at):
        at, kind = token.end(), token.group()[0]
        word = token.group()
        if kind == "{":
            if depth == 0:
                before = text[start : token.start()]
                if OPEN.search(before) or before.strip().startswith(("extern", "namespace")) and "(" not in before:
                    opened += 1
                    start, comment = at, None
                    continue
                head = (start, comment, before) if HEAD.match(before.strip()) else None
            depth += 1
        elif kind == "}":
            if depth == 0:
                opened = max(0, opened - 1)
                start, comment = at, None
                continue
            depth -= 1
            if depth == 0:
                if head:
                    begin, said, before = head
                    names = [it for it in NAME.findall(before) if it not in NOT_NAMES]
                    if names:
                        yield said, text[begin:at].strip(), names[0]
                start, comment, head = at, None, None
        elif depth == 0:
            if word.startswith(("/*", "//")):
                if text[start : token.start()].strip():
                    continue
                line_comment = word.startswith("//") and comment and comment.startswith("//")
                comment = f"{comment}\n{word}" if line_comment else word
                start = at
            elif kind == ";":
                start, comment = at, None
            elif word.lstrip().startswith("#"):
                start = at
                if not text[: token.start()].rstrip().endswith(("*/", "\n")):
                    comment = None


def prose(comment):
    """What a comment says, as sentences; None for what says nothing of a function."""
    if not comment:
        return None
    lines = [re.sub(r"^[\s/*!<]+|[\s*/]+$", "", line) for line in comment.split("\n")]
    text = "\n".join(lines)
    if re.search("copyright|license", text, re.I):
        return None
    text = re.sub(r"[@\\](brief|details?|short|note|see|sa|ref|c|p|a|em)\b", "", text)
    text = re.sub(r"[@\\](returns?|retval)\b", ". Returns", text)
    text = re.sub(r"[@\\]t?param(\[.*?\])?\s+\S+", ". Takes", text)
    text = " ".join(re.sub(r"[@\\]\w+", "", text).split())
    words = re.findall(r"[A-Za-z]{2,}", text)
    return text if len(words) >= 4 and len(text) <= 1500 and not re.search(r"[;{}]\s", text) else None


def run(command, seconds=60):
    try:
        return subprocess.run(command, capture_output=True, timeout=seconds, check=True).stdout.decode("utf-8", "replace")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None


def assembly(path):
    """The listing of each function of an object file, without addresses and names."""
    found, current = {}, None
    for line in (run(["objdump", "-d", "--no-show-raw-insn", "-M", "att", path]) or "").split("\n"):
        if label := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            current = found.setdefault(label.group(1), [])
        elif current is not None and "\t" in line:
            code = re.sub(r"\s*<[^>]*>", "", line.split("\t", 1)[1].rstrip())
            code = re.sub(r"^((?:j\w+|call)\s+)([0-9a-f]+)$", r"\g<1>0x\2", code)
            current.append(re.sub(r"#\s*([0-9a-f]+)$", r"# 0x\1", code))
    return {name: "\n".join(lines) for name, lines in found.items()}


def wasm(path):
    """The text of each function of a WebAssembly object, without names."""
    found = {}
    text = run(["wasm2wat", "--generate-names", "--inline-exports", path]) or ""
    for function in re.finditer(r"^  \(func \$(\S+) .*?(?=^  \(|^\)|\Z)", text, re.M | re.S):
        body = "\n".join(line.strip() for line in function.group().strip().split("\n"))
        numbers = {name: str(at) for at, name in enumerate(re.findall(r"\((?:param|local) \$(\S+) \w+\)", body))}
        body = re.sub(r"\(func \$\S+", "(func (;1;)", body, count=1)
        body = re.sub(r"\((param|local) \$\S+ (\w+)\)", r"(\1 \2)", body)
        body = re.sub(r"(local\.\w+) \$(\S+)", lambda it: f"{it[1]} {numbers.get(it[2], '0')}", body)
        body = re.sub(r"call \$\S+", "call 3", body)
        found[function.group(1)] = re.sub(r"(global\.\w+) \$\S+", r"\1 0", body)
    return found


def by_last_name(found):
    """What has names of C++, by their last parts, where only one has it."""
    told = run(["c++filt", *found]) if found else ""
    same = {}
    for name, full in zip(found, (told or "").split("\n")):
        if not full.startswith(("std::", "__")):
            full = re.sub(r"\[abi:\w+\]|\(anonymous namespace\)::", "", full)
            before = re.sub(r"<[^<>]*>", "", full).split("(")[0]
            same.setdefault(before.split("::")[-1].split(" ")[-1], []).append(found[name])
    return {name: texts[0] for name, texts in same.items() if len(texts) == 1}


def compiled(path, folders):
    """What gcc and clang make of the functions of a file of C or C++, by name."""
    is_c = path.suffix == ".c"
    gcc, clang, standard = ("gcc", "clang", "-std=gnu11") if is_c else ("g++", "clang++", "-std=gnu++17")
    named = dict if is_c else by_last_name
    flags = [standard, "-O0", "-w", "-ffunction-sections", "-c", str(path), "-I", str(path.parent), *folders]
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.o"
        if run([gcc, "-fno-stack-protector", "-fcf-protection", *flags, "-o", out]) is None:
            return {}, {}
        listing = named(assembly(out))
        wasi = ["--target=wasm32-wasi", "-fno-exceptions", "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_MMAN"]
        made = run([clang, *wasi, *flags, "-o", out])
        return listing, named(wasm(out)) if made is not None else {}


def mined(git, flags, is_cplusplus, jobs):
    """The rows of a repository whose files lie in the bare clone `git`, at its checked-out index."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        environment = {**os.environ, "GIT_DIR": str(git[0]), "GIT_INDEX_FILE": f"{folder}/.index", "GIT_WORK_TREE": folder}
        subprocess.run(["git", "read-tree", git[1]], env=environment, check=True)
        listed = subprocess.run(["git", "ls-files", "-z"], env=environment, check=True, capture_output=True).stdout.split(b"\0")
        wanted = [it for it in listed if it.lower().endswith(tuple(end.encode() for end in (*ENDINGS, ".def", ".inc", ".tcc")))]
        subprocess.run(
            ["git", "checkout-index", "-q", "-f", "-z", "--stdin"], env=environment, input=b"\0".join(wanted) + b"\0", stderr=subprocess.DEVNULL
        )
        holding = {folder for it in root.rglob("*.h") for folder in (it.parent, it.parent.parent)} - {root, root.parent}
        near = sorted(holding, key=lambda it: (it.name.lower() not in ("include", "src", "lib", "inc"), len(it.parts), it))
        stand_in = Path(__file__).parent / "stand-in"
        folders = [*flags, *(flag for it in [root, *near[:200], stand_in] for flag in ("-I", str(it)))]
        paths = sorted(it for it in root.rglob("*") if it.suffix.lower() in ENDINGS and it.is_file() and not it.is_symlink())
        paths = [it for it in paths if not any(other in str(it.relative_to(root)).lower() for other in OTHERS)]
        paths = [it for it in paths if it.stat().st_size < 600_000]
        with ThreadPoolExecutor(jobs) as pool:
            compiles = (".c", ".cc", ".cpp", ".cxx") if is_cplusplus else (".c",)
            of_file = pool.map(lambda it: compiled(it, folders) if it.suffix in compiles else ({}, {}), paths)
            rows = []
            for path, (listing, text) in zip(paths, of_file):
                found = list(functions(path.read_text("utf-8", "replace")))
                names = [name for _, _, name in found]
                for comment, source, name in found:
                    if path.suffix != ".c" and names.count(name) > 1:
                        listing.pop(name, None)
                        text.pop(name, None)
                    said, code, web = prose(comment), listing.get(name), text.get(name)
                    if source.count("\n") <= 150 and (said or code or web):
                        rows.append({"name": name, "comment": said, "source": source, "assembly": code, "wasm": web})
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--mirror", type=Path, help="a folder of bare clones: OWNER+NAME/repo")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for source in csv.DictReader(arguments.sources.open()):
        repository, commit = source["repository"], source["commit"]
        out = arguments.out / f"{repository.replace('/', '+')}.json"
        if out.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            git = arguments.mirror / repository.replace("/", "+") / "repo" if arguments.mirror else Path(folder)
            if not arguments.mirror:
                subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
                address = f"https://github.com/{repository}"
                subprocess.run(["git", "-C", folder, "fetch", "-q", "--depth", "1", address, commit], check=True)
            rows = mined((git, commit), source["flags"].split(), source["c++"] == "yes", arguments.jobs)
        part = out.with_suffix(".part")
        part.write_text(json.dumps(rows))
        part.rename(out)
        has = {key: sum(row[key] is not None for row in rows) for key in ("comment", "assembly", "wasm")}
        print(f"{repository}: {len(rows)} functions, {has}", flush=True)


if __name__ == "__main__":
    main()
