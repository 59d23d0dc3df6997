"""The types of what the functions return, for type checkers: what ``barecode … --json`` prints.

A key that only some calls bring is ``NotRequired``. ``schema_version`` grows when a key changes its meaning or goes; new keys
leave it as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Answer(TypedDict):
    """What each answer has."""

    #: The version of the keys.
    schema_version: int
    #: The exit code, if it is not 0: that of ``fail_on`` and the like.
    exit: NotRequired[int]


class Interval(TypedDict):
    """The value of a measure, with its 95 % interval; ``None`` where there is none."""

    value: float
    low: float | None
    high: float | None


class Counted(Interval):
    """A value, and the queries behind it."""

    queries: int
    #: True if there are too few queries for an interval that holds.
    too_few: bool


class Scored(Counted):
    """A measure of a run. ``ceiling`` and ``floor`` are there if the corpus was given."""

    measure: str
    ceiling: float | None
    floor: float | None


class ScoredQueries(TypedDict):
    """How many queries count, how many of them the run lacks, and for how many no retrieved document is judged."""

    scored: int
    not_in_run: int
    without_judged_document: int


class Groups(TypedDict):
    """Systems that a test does not separate."""

    #: Systems by their number, those in one group not separated.
    groups: list[list[int]]
    #: The letters of each system's groups.
    letters: list[str]
    #: The systems by their value, the best first.
    order: list[int]
    separated_from_next: list[bool]


class System(Interval):
    """A run by its name."""

    name: str


class Permutation(TypedDict):
    """A paired permutation test."""

    p: float
    exact: bool
    permutations: int


class T(TypedDict):
    """A paired t-test."""

    t: float
    df: float
    p: float


class Wilcoxon(TypedDict):
    """A signed-rank test."""

    w: float
    n: int
    p: float
    exact: bool


class Pair(TypedDict):
    """Two runs on the same queries."""

    first_name: str
    second_name: str
    first: float
    second: float
    difference: Interval
    #: The difference that a test with as many queries finds four times of five.
    detectable: float | None
    n: int
    wins: int
    losses: int
    ties: int
    permutation: Permutation
    #: ``None`` if all differences are 0.
    t: T | None
    wilcoxon: Wilcoxon | None
    #: p-values corrected for the number of comparisons.
    holm: float
    hsd: float | None
    tukey: float
    blocked: float | None


class Comparison(TypedDict):
    """The runs by a measure."""

    measure: str
    #: The test that ``groups`` rests on.
    judge: str
    queries: int
    too_few: bool
    systems: list[System]
    pairs: list[Pair]
    groups: Groups


class Compared(Answer):
    """What :func:`barecode.compare` returns."""

    comparisons: list[Comparison]
    #: The methods of tests and intervals, and their settings.
    plan: dict[str, Any]
    #: The pages, if they were asked for.
    page: NotRequired[str]


class Example(TypedDict):
    """An example of a finding."""

    ids: list[str]
    excerpt: str


class Finding(TypedDict):
    """A finding of a rule in a subset."""

    code: str
    name: str
    severity: str
    subset: str
    message: str
    #: How many of how many of what.
    count: int
    of: int
    what: str
    numbers: list[list[Any]]
    examples: list[Example]


class AuditedSubset(TypedDict):
    """A subset that was looked at."""

    subset: str
    original: str | None
    split: str | None
    kind: str
    documents: int
    queries: int
    judgments: int


class Audited(Answer):
    """What :func:`barecode.audit` returns."""

    dataset: str
    format: str
    columns: list[Any]
    findings: list[Finding]
    leaks: list[Any]
    subsets: list[AuditedSubset]


class EvaluatedModel(Interval):
    """A model's value, and the letters of its groups."""

    model: str
    group: str
    #: The share that it lost, where names were taken away.
    lost: NotRequired[Interval | None]
    #: The bounds with whole repositories drawn, and the means of the draws of a pool.
    repositories: NotRequired[dict[str, Any]]
    draws: NotRequired[dict[str, Any]]


class EvaluatedSubset(TypedDict):
    """A measure on a subset."""

    subset: str
    split: str
    measure: str
    queries: int
    documents: int
    draws: int
    too_few: bool
    ceiling: float | None
    floor: float | None
    models: list[EvaluatedModel]
    #: Systems that can read none of the documents.
    not_for_this_language: NotRequired[list[str]]


class Evaluated(Answer):
    """What :func:`barecode.evaluate` returns."""

    dataset: str
    scores: list[EvaluatedSubset]
    #: Sentences about the best model.
    verdict: list[str]
    #: Requests, tokens and dollars of each model.
    ledger: dict[str, Any]
    #: The models' settings, by name.
    options: dict[str, str]
    #: Texts that models cut.
    cut: list[dict[str, Any]]
    columns: list[Any]
    depth: int
    pool: str
    ties: str


class Counts(TypedDict):
    """Things of a kind: how many entered, were kept, and were set aside for which reason."""

    entered: int
    kept: int
    set_aside: dict[str, int]


class BuiltStage(TypedDict):
    """A stage: its things by kind, and whether anything had to be made."""

    counts: dict[str, Counts]
    shards: int
    worked: bool


class Score(Interval):
    """A row of the scores of a run."""

    group: str
    setting: str
    slice: str
    subset: str
    language: str | None
    retriever: str
    measure: str
    queries: int
    documents: int
    draws: int
    draw_error: float | None
    repositories: int
    repository_low: float | None
    repository_high: float | None
    too_few: bool
    ceiling: float | None
    floor: float | None


class Built(Answer):
    """What :func:`barecode.build` returns."""

    run: str
    #: The page.
    report: str | None
    worked: bool
    stages: dict[str, BuiltStage]
    scores: list[Score]
    probe: list[dict[str, Any]]
    cut: list[dict[str, Any]]
    lacking_headers: list[Any]
    own_queries: dict[str, Any] | None
    writing: dict[str, Any]


class TriedValue(Counted):
    """A value; systems that share a letter do not differ significantly."""

    letters: NotRequired[str]


class TriedSystem(TypedDict):
    """A model on one's own code; its value under each setting, ``None`` where it was not asked."""

    system: str
    standard: NotRequired[TriedValue | None]
    neutralized: NotRequired[TriedValue | None]
    randomized: NotRequired[TriedValue | None]
    #: Answers whose names stay, in a corpus without names.
    kept: NotRequired[TriedValue | None]
    #: Code that asks for code.
    code: NotRequired[TriedValue | None]
    functions: int
    functions_not_read: int
    not_for_this_language: bool


class Tried(Answer):
    """What :func:`barecode.try_` returns."""

    source: str
    run: str
    recipe: str
    report: str
    #: Sentences about what to use.
    verdict: list[str]
    systems: list[TriedSystem]
    by_language: list[dict[str, Any]]
    names_left: dict[str, Any]
    #: What was seen before anything was asked.
    ahead: dict[str, Any]
    options: str
    cut: list[dict[str, Any]]
    lacking_headers: list[Any]
    own_queries: dict[str, Any] | None


class Statistic(TypedDict):
    """Averages of the pairs of a subset."""

    subset: str
    split: str
    group: str
    setting: str
    slice: str
    pairs: int
    draws: int
    query_tokens: float
    code_tokens: float | None
    lines: float | None
    complexity: float | None
    instructions: float | None
    keywords: float | None
    repositories: int | None
    effective_repositories: float | None
    largest_repository: str | None
    largest_share: float | None
    tokenizer: str


class Described(Answer):
    """What :func:`barecode.stats` returns: of a dataset or a run its statistics, of a file of functions their averages."""

    statistics: NotRequired[list[Statistic]]
    run: NotRequired[str]
    dataset: NotRequired[str]
    file: NotRequired[str]
    pairs: NotRequired[int]
    query_tokens: NotRequired[float | None]
    code_tokens: NotRequired[float | None]
    lines: NotRequired[float | None]
    complexity: NotRequired[float | None]
    keywords: NotRequired[float | None]
    instructions: NotRequired[float | None]
    tokenizer: NotRequired[str]
    #: Of a dataset: its test sets beside each other, and its training pairs.
    test_sets: NotRequired[list[dict[str, Any]]]
    training: NotRequired[Any]


class ConvertedSubset(TypedDict):
    """A subset that was written."""

    subset: str
    split: str
    documents: int
    queries: int
    judgments: int


#: What :func:`barecode.convert` returns: the formats and places, and what the new format cannot represent.
Converted = TypedDict(
    "Converted",
    {
        "schema_version": int,
        "exit": "NotRequired[int]",
        "from": dict[str, Any],
        "to": dict[str, Any],
        "lost": list[str],
        "subsets": list[ConvertedSubset],
    },
)
