"""Whether a renaming brings errors of the compiler: each unit of a run as written and under a setting, by the language's own tools.

    benches/diagnostics.py RUN LANGUAGE [--setting neutralized] [--units 300] [--show 5]

RUN is the folder of a run whose recipe has `standard`, the setting and `scope = "bound"`. A unit is a part of a file, so most have
errors as they are written: of what is not there. What counts is an error on a line that had none like it before, with new names in
messages turned back into the old ones. Go: `go/types`. Java: `javac`. TypeScript: `tsc` (the folder of the package in TYPESCRIPT).
Rust: `rustc`. JavaScript, PHP and Ruby: the syntax alone. Ends with 1 if an error is new.
"""

import argparse
import base64
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pyarrow.parquet as parquet

HERE = pathlib.Path(__file__).parent / "diagnostics"
WORD = re.compile(r"[^\W\d]\w*")
# What a compiler guesses from names that are alike, and which of several it names: the first by the alphabet.
GUESS = re.compile(r", but does have [^)]*| Did you mean.*| \(missing method \w+\)")


def piped(command):
    """Errors by id, of a program that reads all texts."""

    def errors(texts):
        lines = "".join(f"{id}\t{base64.b64encode(text.encode()).decode()}\n" for id, text in texts)
        said = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
        for line in said.splitlines():
            id, number, message = line.split("\t")
            yield id, int(number), base64.b64decode(message).decode()

    return errors


def rust(texts):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "unit.rs")
        for id, text in texts:
            file.write_text(text)
            command = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--error-format=json", "--cap-lints=allow"]
            said = subprocess.run([*command, "--out-dir", folder, file], capture_output=True, text=True).stderr
            for line in filter(None, said.splitlines()):
                one = json.loads(line)
                places = [span["line_start"] for span in one["spans"] if span["is_primary"]]
                if one["level"] == "error" and places:
                    yield id, places[0], one["message"]


def syntax(command, suffix):
    """The first error of each text, of a program that takes a file."""

    def errors(texts):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "unit" + suffix)
            for id, text in texts:
                file.write_text(text)
                ended = subprocess.run([*command, file], capture_output=True, text=True)
                if ended.returncode:
                    yield id, 0, (ended.stdout + ended.stderr).replace(str(file), "unit")

    return errors


TOOLS = {
    "go": piped(["go", "run", str(HERE / "go.go")]),
    "java": piped(["java", str(HERE / "Java.java")]),
    "typescript": piped(["node", str(HERE / "typescript.mjs"), os.environ.get("TYPESCRIPT", "typescript")]),
    "rust": rust,
    "javascript": syntax(["node", "--check"], ".mjs"),
    "php": syntax(["php", "-l"], ".php"),
    "ruby": syntax(["ruby", "-c"], ".rb"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("language", choices=TOOLS)
    parser.add_argument("--setting", default="neutralized")
    parser.add_argument("--units", type=int, default=300)
    parser.add_argument("--show", type=int, default=5)
    given = parser.parse_args()
    names = {}
    for file in sorted(given.run.glob("02-units/part-*.parquet")):
        for row in parquet.read_table(file, columns=["id", "qualified_name", "language"]).to_pylist():
            if row["language"] == given.language:
                names[row["id"]] = row["qualified_name"]
    written, renamed = {}, {}
    for file in sorted(given.run.glob("03-variants/part-*.parquet")):
        for row in parquet.read_table(file).to_pylist():
            if row["unit_id"] in names:
                if row["setting"] == "standard":
                    written[row["unit_id"]] = row
                elif row["setting"] == given.setting:
                    renamed.setdefault(row["unit_id"], row)
    ids = sorted(written.keys() & renamed.keys())[: given.units]
    tool = TOOLS[given.language]
    before = collections.defaultdict(collections.Counter)
    for id, line, message in tool([(id, written[id]["compiled_text"]) for id in ids]):
        before[id][line, GUESS.sub("", message)] += 1
    after = collections.defaultdict(collections.Counter)
    for id, line, message in tool([(id, renamed[id]["compiled_text"]) for id in ids]):
        old = {one["to"]: one["from"] for one in renamed[id]["renamed"]}
        message = WORD.sub(lambda word: old.get(word[0], word[0]), GUESS.sub("", message))
        after[id][line, message] += 1
    new = {id: after[id] - before[id] for id in ids if after[id] - before[id]}
    clean = sum(1 for id in ids if not before[id])
    print(f"{given.language}: {len(ids)} units under {given.setting}, {clean} without an error as written, "
          f"{len(new)} with a new error")
    for id in list(new)[: given.show]:
        for (line, message), _ in new[id].most_common(2):
            print(f"  {names[id]}, line {line}: {' '.join(message.split())[:200]}")
            lines = renamed[id]["compiled_text"].splitlines()
            if 0 < line <= len(lines):
                print(f"    {written[id]['compiled_text'].splitlines()[line - 1].strip()[:150]}\n    {lines[line - 1].strip()[:150]}")
    sys.exit(bool(new))


if __name__ == "__main__":
    main()
