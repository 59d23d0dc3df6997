"""A picture of what each setting costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from barecode import answers
from barecode._errors import library, wrong

#: The settings from the code as written to the code with nothing left; those of a level follow in its order.
_SETTINGS = ("standard", "neutralized", "randomized", "assembly", "wasm")

#: Colors that people with any color vision tell apart (Okabe and Ito), and markers for prints without color.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"

#: How far apart models are drawn in a setting, and settings of different groups beyond 1.
_STEP, _GAP = 0.09, 0.6


class _Point(NamedTuple):
    """A model's value in a setting of a group."""

    group: str
    setting: str
    model: str
    value: float
    low: float | None
    high: float | None
    too_few: bool
    queries: int
    ceiling: float | None
    floor: float | None


def plot(
    answer: answers.Built | answers.Evaluated | answers.Tried,
    measure: str | None = None,
    *,
    slice: str = "all",
    ax: Any = None,
) -> Any:
    """Draws what each setting costs: the score of each model, with its 95 % interval, between ceiling and floor.

    ``answer`` is what :func:`build`, :func:`evaluate` or :func:`try_` returned. ``measure`` is one of its measures, the
    first if none is given. ``slice`` chooses queries of a run, such as ``"leak=none"``. Settings of a group are connected; a hollow
    point has too few queries for an interval that holds. Draws on the axes ``ax`` of matplotlib, or on new ones, and
    returns them: ``barecode.plot(answer).figure.savefig("settings.pdf")``. Needs ``pip install 'barecode[plot]'``.

    >>> import barecode
    >>> dataset = {"corpus": {"a": "adds two", "b": "sorts a list"}, "queries": {"q": "sort"}, "qrels": {"q": {"b": 1}}}
    >>> axes = barecode.plot(barecode.evaluate(dataset, ["bm25", "jaccard"]))
    >>> axes.get_ylabel()
    'nDCG@10'
    """
    points, measure = _chosen(answer, measure, slice)
    if ax is None:
        _, ax = library("matplotlib.pyplot").subplots(layout="constrained")
    places = _places(points)
    models = list(dict.fromkeys(point.model for point in points))
    for number, model in enumerate(models):
        shift = (number - (len(models) - 1) / 2) * min(_STEP, 0.7 / len(models))
        color, marker = _COLORS[number % len(_COLORS)], _MARKERS[number % len(_MARKERS)]
        of_model = [point for point in points if point.model == model]
        for group in dict.fromkeys(point.group for point in of_model):
            line = sorted((places[point[:2]] + shift, point.value) for point in of_model if point.group == group)
            ax.plot(*zip(*line), color=color, linewidth=1, alpha=0.5)
        for point in of_model:
            at = places[point[:2]] + shift
            if point.low is not None and point.high is not None:
                ax.plot([at, at], [point.low, point.high], color=color, linewidth=2, alpha=0.7)
            ax.plot(at, point.value, marker, color=color, markerfacecolor="white" if point.too_few else color)
        ax.plot([], [], marker + "-", color=color, label=model)
    if any(point.too_few for point in points):
        ax.plot([], [], "o", color="0.5", markerfacecolor="white", label="too few queries")
    _bounds(ax, points, places)
    _labels(ax, points, places)
    ax.set_ylabel(measure)
    ax.set_ylim(-0.02, max(1.02, *(point.value for point in points)))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def _chosen(answer: Any, measure: str | None, slice: str) -> tuple[list[_Point], str]:
    """The points of a measure, and its name."""
    if not isinstance(answer, Mapping) or not ("systems" in answer or "scores" in answer):
        raise wrong("this answer has no scores by setting", "`build`, `evaluate` and `try_` return such, without `dry_run`")
    by_measure: dict[str, list[_Point]] = {}
    for name, point in _tried(answer) if "systems" in answer else _scored(answer, slice):
        by_measure.setdefault(name, []).append(point)
    if measure is None:
        measure = next(iter(by_measure), None)
    if measure is None:
        raise wrong(f"no scores of `{slice}` in this answer")
    if measure not in by_measure:
        raise wrong(f"no measure `{measure}` in this answer: there are {', '.join(by_measure)}")
    return by_measure[measure], measure


def _tried(answer: Mapping[str, Any]) -> Iterator[tuple[str, _Point]]:
    """Of `try`, whose measure is nDCG@10. What else it asks is no setting: code by code, one bare function among others."""
    for system in answer["systems"]:
        for setting in _SETTINGS:
            value = cast("answers.TriedValue | None", system.get(setting))
            if value is not None:
                bounds = value["value"], value["low"], value["high"], value["too_few"], value["queries"]
                yield "nDCG@10", _Point("", setting, system["system"], *bounds, None, None)


def _scored(answer: Mapping[str, Any], slice: str) -> Iterator[tuple[str, _Point]]:
    """Of a run, a row for each model; of an evaluation, a row for each subset with its models."""
    splits = {row.get("split") for row in answer["scores"]}
    for row in answer["scores"]:
        if "models" not in row:
            if row["slice"] == slice:
                yield row["measure"], _point(row["group"], row["setting"], row["retriever"], row, row)
            continue
        # `all-standard` is the setting `standard` of the group `all`, and any other name is a group of its own.
        setting = next((at for at in _SETTINGS if f"-{at}" in row["subset"]), None)
        group, _, level = row["subset"].partition(f"-{setting}") if setting else (row["subset"], "", "")
        if len(splits) > 1:
            group = f"{group}/{row['split']}"
        for model in row["models"]:
            yield row["measure"], _point(group, (setting or "") + level, model["model"], row, model)


def _point(group: str, setting: str, model: str, row: Mapping[str, Any], value: Mapping[str, Any]) -> _Point:
    bounds = value["value"], value["low"], value["high"], row["too_few"], row["queries"]
    return _Point(group, setting, model, *bounds, row["ceiling"], row["floor"])


def _places(points: list[_Point]) -> dict[tuple[str, str], float]:
    """Where each setting of each group is drawn."""

    def rank(setting: str) -> int:
        return next((at for at, name in enumerate(_SETTINGS) if setting.startswith(name)), len(_SETTINGS))

    places: dict[tuple[str, str], float] = {}
    at = 0.0
    for group in dict.fromkeys(point.group for point in points):
        # Sorting keeps the order of those that have one rank.
        for setting in sorted(dict.fromkeys(point.setting for point in points if point.group == group), key=rank):
            places[group, setting] = at
            at += 1
        at += _GAP
    return places


def _bounds(ax: Any, points: list[_Point], places: dict[tuple[str, str], float]) -> None:
    """Ceiling and floor of each setting, below everything else."""
    for name, style, bound in [
        ("ceiling", "--", {point[:2]: point.ceiling for point in points}),
        ("floor: random order", ":", {point[:2]: point.floor for point in points}),
    ]:
        drawn = [(places[place], value) for place, value in bound.items() if value is not None]
        if drawn:
            middles, values = zip(*drawn)
            left, right = ([middle + side for middle in middles] for side in (-0.42, 0.42))
            ax.hlines(values, left, right, colors="0.5", linestyles=style, linewidth=1, zorder=0, label=name)


def _labels(ax: Any, points: list[_Point], places: dict[tuple[str, str], float]) -> None:
    """Below each setting its name, the group if there are several, and the queries if they differ."""
    queries = {point[:2]: point.queries for point in points}
    several = len({group for group, _ in places}) > 1
    same = len(set(queries.values())) == 1

    def label(place: tuple[str, str]) -> str:
        group, setting = place
        lines = [setting or group, group if several and setting else "", "" if same else f"{queries[place]:,} queries"]
        return "\n".join(line for line in lines if line)

    crowded = sum(len(setting or group) for group, setting in places) > 60
    ax.set_xticks(list(places.values()), [label(place) for place in places])
    ax.set_xlim(-0.5, max(places.values()) + 0.5)
    if crowded:
        ax.tick_params("x", labelrotation=30)
        for text in ax.get_xticklabels():
            text.set_horizontalalignment("right")
    ax.set_xlabel(f"{next(iter(queries.values())):,} queries" if same else "")
