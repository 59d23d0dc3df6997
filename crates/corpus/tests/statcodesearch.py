"""The extraction rules of GenCodeSearchNet's StatCodeSearch, read for themselves: texts in, pairs out.

stdin has {"texts": [a script, each byte of it as a letter, …]}; stdout a list of [comment, code] for each.
"""

import json
import re
import sys


def lines_of(text):
    """Lines as Python's text mode ends them, stripped, without empty ones."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.strip() for line in lines if line.strip()]


def words(comment):
    return re.findall(r"\b[a-zA-Z]+\b", comment)


def pairs_of(text):
    lines = lines_of(text)
    if any("library(" in line for line in lines):
        first = next((at for at, line in enumerate(lines) if line.startswith("library(")), len(lines))
        lines = lines[first:]
    comment, is_closed, pairs = "", False, {}
    for line in lines:
        if line.startswith("library("):
            continue
        if line.startswith("#"):
            if is_closed:
                comment, is_closed = "", False
            comment += line + " "
        else:
            is_closed = True
            cleaned = re.sub("[#=-]", "", comment)
            if len(words(cleaned)) > 1:
                pairs[cleaned] = pairs.get(cleaned, "") + line + " "
    return list(pairs.items())


json.dump([pairs_of(text) for text in json.load(sys.stdin)["texts"]], sys.stdout)
