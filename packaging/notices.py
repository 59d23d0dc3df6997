#!/usr/bin/env python3
"""The licenses of all packages inside the program and the Python package, as one text.

usage: notices.py FILE

The packages are those that Cargo would build for Linux, without what only tests and builds need. A package that ships no
license file is named with its expression; a text that several share is there once.
"""

import collections
import json
import pathlib
import subprocess
import sys

SHIPPED = ("barecode", "barecode-wheel")
NAMES = ("licen", "copying", "notice", "unlicense", "copyright")
LINE = "=" * 80


def packages():
    """The packages inside, but ours, by name."""
    words = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    known = {package["id"]: package for package in metadata["packages"]}
    needs = {
        node["id"]: [need["pkg"] for need in node["deps"] if any(kind["kind"] is None for kind in need["dep_kinds"])]
        for node in metadata["resolve"]["nodes"]
    }
    found, left = set(), [key for key, package in known.items() if package["name"] in SHIPPED]
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += needs[key]
    foreign = [known[key] for key in found if known[key]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The license files of a package, without blanks at the ends of lines."""
    folder = pathlib.Path(package["manifest_path"]).parent
    stated = [folder / package["license_file"]] if package["license_file"] else []
    named = [path for path in sorted(folder.iterdir()) if path.name.lower().startswith(NAMES)]
    files = [path for path in dict.fromkeys(stated + named) if path.is_file()]
    for folder in (path for path in named if path.is_dir()):
        files += sorted(path for path in folder.iterdir() if path.is_file())
    read = (path.read_text(encoding="utf-8", errors="replace") for path in files)
    return ["\n".join(line.rstrip() for line in text.splitlines()).strip("\n") for text in read]


def main():
    of_text, bare = collections.defaultdict(list), []
    inside = packages()
    for package in inside:
        name = f"{package['name']} {package['version']}  {package['license'] or 'see its file'}"
        found = texts(package)
        for text in found:
            of_text[text].append(name)
        if not found:
            bare.append(f"{name}  {package['repository'] or ''}".rstrip())
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(f"barecode contains {len(inside)} packages of others. Their licenses, as their authors wrote them:\n")
        for text, names in sorted(of_text.items(), key=lambda pair: pair[1]):
            out.write("\n".join(["", LINE, *names, LINE, "", text, ""]))
        if bare:
            out.write("\n".join(["", LINE, "Without a license file of their own:", "", *bare, ""]))
    print(f"{len(inside)} packages, {len(of_text)} texts, {len(bare)} without a license file", file=sys.stderr)


main()
