"""The picture of what each setting costs: what is drawn are the numbers of the answer."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot  # noqa: E402
import pytest  # noqa: E402

import barecode  # noqa: E402


@pytest.fixture(autouse=True)
def _closed():
    yield
    matplotlib.pyplot.close("all")


def subset(words):
    corpus = {f"d{at}": text for at, text in enumerate(words)}
    queries = {f"q{at}": f"number {at}" for at in range(len(words))}
    return {"corpus": corpus, "queries": queries, "qrels": {f"q{at}": {f"d{at}": 1} for at in range(len(words))}}


def evaluated():
    named = [f"the number {at} of all" for at in range(12)]
    bare = [f"x{at * 7 % 5}" for at in range(12)]
    subsets = {"one-neutralized": subset(bare), "one-standard": subset(named), "two-standard": subset(named[:6])}
    return barecode.evaluate(subsets, ["bm25", "jaccard"], measure=["nDCG@10", "RR"])


def shown(axes):
    """The height of each marker, by the color of its model, from left to right."""
    drawn = {}
    for line in axes.lines:
        if line.get_marker() not in ("None", "") and len(line.get_xdata()) == 1:
            drawn.setdefault(line.get_color(), []).append((line.get_xdata()[0], line.get_ydata()[0]))
    return [[value for _, value in sorted(points)] for points in drawn.values()]


def test_an_evaluation_is_drawn_by_setting_with_its_intervals():
    answer = evaluated()
    axes = barecode.plot(answer, "RR")
    rows = {row["subset"]: row for row in answer["scores"] if row["measure"] == "RR"}
    order = ["one-standard", "one-neutralized", "two-standard"]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    values = [[next(m["value"] for m in rows[row]["models"] if m["model"] == name) for row in order] for name in names[:2]]
    assert sorted(names[:2]) == ["bm25", "jaccard"]
    assert shown(axes) == values
    bars = [tuple(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 2]
    bounds = {(m["low"], m["high"]) for row in rows.values() for m in row["models"] if m["low"] is not None}
    assert set(bars) == bounds
    assert axes.get_ylabel() == "RR"
    ticks = [text.get_text().split("\n") for text in axes.get_xticklabels()]
    assert [tick[:2] for tick in ticks] == [["standard", "one"], ["neutralized", "one"], ["standard", "two"]]
    # Six queries are too few, and are drawn hollow.
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white" and len(line.get_xdata()) == 1]
    assert len(hollow) == sum(len(row["models"]) for row in rows.values() if row["too_few"]) > 0
    levels = {segment[0][1] for lines in axes.collections for segment in lines.get_segments()}
    assert levels == {row[bound] for row in rows.values() for bound in ("ceiling", "floor")}


def test_a_run_and_a_trial_are_drawn(tmp_path):
    tried = barecode.try_("testdata/repos/shelf", "jaccard", out=tmp_path / "try", threads=2)
    axes = barecode.plot(tried)
    settings = ["standard", "neutralized", "randomized"]
    assert shown(axes) == [[system[one]["value"] for one in settings] for system in tried["systems"]]

    built = barecode.build(tried["recipe"], out=tmp_path / "try")
    _, given = matplotlib.pyplot.subplots()
    axes = barecode.plot(built, "R@1", slice="leak=none", ax=given)
    assert axes is given
    rows = [row for row in built["scores"] if (row["measure"], row["slice"]) == ("R@1", "leak=none")]
    assert sorted(value for model in shown(axes) for value in model) == sorted(row["value"] for row in rows)
    axes.figure.savefig(tmp_path / "settings.svg")
    assert "standard" in (tmp_path / "settings.svg").read_text()


def test_what_cannot_be_drawn_is_named(monkeypatch):
    answer = evaluated()
    with pytest.raises(barecode.InputError, match=r"no measure `AP` in this answer: there are nDCG@10, RR"):
        barecode.plot(answer, "AP")
    with pytest.raises(barecode.InputError, match="no scores by setting"):
        barecode.plot(barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0}}))
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(barecode.ToolMissingError, match=r"matplotlib\.pyplot") as raised:
        barecode.plot(answer)
    assert raised.value.hint == "pip install 'barecode[plot]'"
