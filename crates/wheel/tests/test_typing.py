"""The types of the package: strict for it, for a stranger's project, for the compiled part, and for every answer."""

import os
import subprocess
import sys
import typing

import pytest
import typing_extensions

import barecode
from barecode import answers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.environ["BARECODE_PACKAGE"]

STRANGER = """
import pyarrow
import barecode
from barecode import answers

scores = barecode.score({"q": {"a": 1}}, "list.run", ["nDCG@10"], by_query=True)
best: float = scores["nDCG@10"]
audited: answers.Audited = barecode.audit("data", select=["BA1"], fail_on="warning", progress=barecode.bars())
codes: list[str] = [finding["code"] for finding in audited["findings"]]
units = barecode.check(barecode.extract("path:lib", threads=2).kept).kept
rows: list[dict[str, object]] = units.to_pylist()
run = barecode.Model("bm25").retrieve({"a": "text"}, {"q": "text"}, depth=10)
low: float | None = barecode.evaluate("data", "bm25", depth=10)["scores"][0]["models"][0]["low"]
"""

WRONG = {
    'barecode.audit("data", fail_on="warnings")': "arg-type",
    'barecode.audit("data", sellect=["BA1"])': "call-arg",
    'barecode.extract("path:lib", thread=2)': "call-arg",
    'barecode.check(3)': "arg-type",
    'barecode.audit("data")["finding"]': "typeddict-item",
}


def mypy(*words, folder):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), *words]
    environment = {**os.environ, "MYPYPATH": PACKAGE}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_the_package_is_strict(tmp_path):
    settings = os.path.join(ROOT, "pyproject.toml")
    for version in ("3.10", "3.14"):
        printed = mypy("--config-file", settings, "--python-version", version, "-p", "barecode", folder=tmp_path)
        assert printed.startswith("Success"), printed


def test_a_stranger_needs_no_ignore(tmp_path):
    (tmp_path / "stranger.py").write_text(STRANGER)
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-pyarrow.*]\nignore_missing_imports = True\n")
    printed = mypy("--strict", "stranger.py", folder=tmp_path)
    assert printed.startswith("Success"), printed


@pytest.mark.parametrize(("line", "code"), WRONG.items())
def test_what_is_wrong_is_seen_before_it_runs(line, code, tmp_path):
    (tmp_path / "wrong.py").write_text(f"import barecode\n{line}\n")
    assert f"[{code}]" in mypy("--strict", "wrong.py", folder=tmp_path)


def test_the_stub_is_what_was_compiled(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "barecode._barecode", "--ignore-disjoint-bases"]
    environment = {**os.environ, "MYPYPATH": PACKAGE}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def fits(value, kind, place):
    """Fails if a value is not of a type, or has a key that the type does not name."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return
    if origin in (typing.Required, typing.NotRequired, typing_extensions.NotRequired):
        return fits(value, arguments[0], place)
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        assert isinstance(value, dict), place
        assert set(value) <= set(hints), f"{place} has {set(value) - set(hints)}, which {kind.__name__} lacks"
        for name, hint in hints.items():
            if name in value:
                fits(value[name], hint, f"{place}.{name}")
            else:
                assert typing.get_origin(hint) is typing_extensions.NotRequired, f"{place} lacks {name}"
    elif origin is list:
        assert isinstance(value, list), place
        for one in value:
            fits(one, arguments[0], f"{place}[]")
    elif origin is dict:
        assert isinstance(value, dict), place
        for one in value.values():
            fits(one, arguments[1], f"{place}{{}}")
    elif arguments:
        wrong = []
        for one in arguments:
            try:
                return fits(value, one, place)
            except AssertionError as error:
                wrong.append(str(error))
        raise AssertionError("; ".join(wrong))
    elif kind is float:
        assert isinstance(value, int | float) and not isinstance(value, bool), f"{place}: {value!r}"
    else:
        assert isinstance(value, kind), f"{place}: {value!r} is no {kind}"


def test_answers_are_what_their_types_say(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "NotRequired", typing_extensions.NotRequired, raising=False)
    shelf = os.path.join(ROOT, "../../testdata/repos/shelf")
    monkeypatch.chdir(tmp_path)
    tried = barecode.try_(shelf, "structural", out="try", threads=2)
    fits(tried, answers.Tried, "try")
    fits(barecode.try_(shelf, dry_run=True, out="dry"), answers.Tried | dict[str, typing.Any], "try")
    built = barecode.build("try.toml", out="try")
    fits(built, answers.Built, "build")
    dataset = os.path.join("try", "05-dataset")
    fits(barecode.audit(dataset, examples=True, fail_on="note"), answers.Audited, "audit")
    fits(barecode.evaluate(dataset, ["bm25", "random"]), answers.Evaluated, "eval")
    fits(barecode.stats("try.toml"), answers.Described, "stats")
    fits(barecode.stats(dataset), answers.Described, "stats")
    fits(barecode.convert(dataset, "beir", "beir", lossy=True), answers.Converted, "convert")
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    one = {f"q{i}": {"a": 1.0, "b": 0.5} for i in range(20)}
    other = {f"q{i}": {"a": 0.5, "b": i / 10} for i in range(20)}
    for runs in ({"one": one, "other": other}, {"one": one, "other": other, "third": one}):
        for judge in ("holm", "tukey"):
            fits(barecode.compare(qrels, runs, judge=judge), answers.Compared, "compare")
    scores = barecode.score(qrels, other, by_query=True)
    fits(scores.scores, list[answers.Scored], "score")
    fits(scores.queries, answers.ScoredQueries, "score")
