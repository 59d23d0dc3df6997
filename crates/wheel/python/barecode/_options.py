"""The options of the functions that are commands, by name; written from the command line's own description."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict

#: A file or a folder.
Path = str | os.PathLike[str]


class AuditOptions(TypedDict, total=False):
    """The options of ``barecode audit``."""

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: The columns of a table: query=docstring,document=function; also negative, query-id, document-id and
    #: grade
    columns: str

    #: The folder of the files of a suite of test sets
    data: Path

    #: Show three examples of each finding
    examples: bool

    #: Print the page of a rule (check, method, remedy) by its code or name; `all` for every rule
    explain: str

    #: Exit with code 3 if there is a finding of this severity or worse
    fail_on: Literal["note", "warning", "defect"]

    #: The format of the dataset, if it cannot be recognized
    format: str

    #: Write a page
    html: Path

    #: Leave these rules out
    ignore: str | Sequence[str]

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: The folder for results. By default the recipe's run folder, `runs/try-NAME` for `try`, and
    #: `eval/DATASET` for `eval`. For `study` and `review`, the file to write
    out: Path

    #: A run folder
    run: Path

    #: The seed of samples and permutations
    seed: int

    #: Apply only these rules: codes, prefixes of codes (`BA5`) or names
    select: str | Sequence[str]

    #: Show findings of this severity and worse only
    severity: Literal["note", "warning", "defect"]

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool


class BuildOptions(TypedDict, total=False):
    """The options of ``barecode build``."""

    #: Stop before the estimated cost of this command exceeds DOLLARS. The bill can be slightly higher,
    #: because costs are estimates. Paid answers are cached. Without it, the `budget` of the recipe applies,
    #: if any
    budget: float

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: Record answers of servers in this file, and replay those that are in it
    cassette: Path

    #: Estimate texts, tokens and dollars of all models; call none
    dry_run: bool

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: Use answers of the cassette only, without network and key
    replay: bool

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool


class CompareOptions(TypedDict, total=False):
    """The options of ``barecode compare``."""

    #: Compare runs without any judged document, which are refused by default
    allow_unjudged: bool

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: Confidence of the intervals; the level of the tests is 1 minus this
    confidence: float

    #: The documents of result files, for the pages: a JSONL file with `_id` or `id`, `title` and `text`
    corpus: Path

    #: Replace the pages in an existing folder of --page
    force: bool

    #: The correction for multiple comparisons that decides which systems differ
    judge: Literal["holm", "tukey", "blocked", "hsd"]

    #: The method for intervals
    method: Literal["student", "percentile", "bca"]

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: The folder for results. By default the recipe's run folder, `runs/try-NAME` for `try`, and
    #: `eval/DATASET` for `eval`. For `study` and `review`, the file to write
    out: Path

    #: Also write pages to this folder: each pair of systems, and every query with its ranks
    page: Path

    #: The queries of result files, for the pages: a JSONL file with `_id` or `id`, and `text`
    queries: Path

    #: Permutations of the tests, and resamples of the intervals that need some
    resamples: int

    #: The seed of all draws
    seed: int

    #: A system to compare, by its name in the table; may be given several times [default: all]
    system: str | Sequence[str]

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: The rule for ties: expected, docno, input, pessimistic or optimistic
    ties: str

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool

    #: Leave the code out of the pages. Queries, names, paths and ranks stay
    without_code: bool


class ConvertOptions(TypedDict, total=False):
    """The options of ``barecode convert``."""

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: Replace an existing folder
    force: bool

    #: The format to read, if it cannot be recognized
    from_: str

    #: Treat missing texts of judgments as the format's own loader does, instead of refusing
    lenient: bool

    #: Convert even if the format cannot represent everything
    lossy: bool

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: The folder for results. By default the recipe's run folder, `runs/try-NAME` for `try`, and
    #: `eval/DATASET` for `eval`. For `study` and `review`, the file to write
    out: Path

    #: Only this subset; may be given several times
    subset: str | Sequence[str]

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool


class EvalOptions(TypedDict, total=False):
    """The options of ``barecode eval``."""

    #: Evaluate although the dataset has none of the judged documents, which is refused by default
    allow_unjudged: bool

    #: A chat model that decides whether pairs match, with `GenCodeSearchNet`'s prompts: `openai:MODEL`,
    #: `openai+URL#MODEL`, `anthropic:MODEL`, `process:COMMAND`, or a name from --models; may be given
    #: several times
    ask: str | Sequence[str]

    #: The most tokens of an answer
    ask_tokens: int

    #: Also evaluate each embedding model with the mean vector of N random renamings of each document
    average: int

    #: Stop before the estimated cost of this command exceeds DOLLARS. The bill can be slightly higher,
    #: because costs are estimates. Paid answers are cached. Without it, the `budget` of the recipe applies,
    #: if any
    budget: float

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: Also evaluate each embedding model on documents with canonical names: `name_0`, `name_1`, …
    canonical: bool

    #: Record answers of servers in this file, and replay those that are in it
    cassette: Path

    #: Also evaluate each embedding model on documents in chunks of BYTES, which overlap by OVERLAP bytes or
    #: a fifth; the score of a document is that of its best chunk
    chunk: str

    #: The columns of a table: query=docstring,document=function; also negative, query-id, document-id and
    #: grade
    columns: str

    #: The folder of the files; by default the recipe's
    data: Path

    #: Number of documents that are retrieved per query; a list is never cut between equal scores
    depth: int

    #: Also evaluate each embedding model on descriptions of the documents in plain words, without names:
    #: input and output, called functions, constructs (mined languages, x86-64 assembly, WebAssembly)
    described: bool

    #: Draw a random pool N times, with seeds from --seed upward, and average each query's score [default:
    #: 1, or the recipe's]
    draws: int

    #: Estimate texts, tokens and dollars; call no model
    dry_run: bool

    #: Print each term's contribution to the scores of this query, by its id, for the first documents of its
    #: list and for its answers. `structural` only; skips the evaluation
    explain: str

    #: The format of the dataset, if it cannot be recognized
    format: str

    #: Also evaluate the fusion of all models' lists: rrf, rrf:K, z-score, or convex, with weights in the
    #: order of the models (convex:0.3,0.7); with --described, embedding models take part with described
    #: documents; may be given several times
    fuse: str | Sequence[str]

    #: A classifier's scores of the pairs, where a score above 0.5 means yes: a run file, or a folder with
    #: NAME-pairs.test.trec for each member. NAME=PATH gives it a name in tables; may be given several times
    labels: str | Sequence[str]

    #: A measure in the notation of `ir_measures` (default: nDCG@10, RR@10 and R@1)
    measure: str | Sequence[str]

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: Draws of the pairs, seeded from --seed up
    pair_draws: int

    #: Write the pairs of each member to this folder, for a classifier elsewhere
    pairs: Path

    #: The documents that a query is ranked against: everyone, uniform:N (its answers and N others), or
    #: nearest:N (its answers and the N that the first model ranks highest), or gecs:N (as
    #: GenCodeSearchNet's script draws them) [default: everyone, or the recipe's]
    pool: str

    #: Draw and count as published: `gecs` is --pool gecs:99 --draws 1 --ties pessimistic, without the rows
    #: that the released script skips, from the authors' own files if present
    profile: Literal["gecs"]

    #: Use answers of the cassette only, without network and key
    replay: bool

    #: Also evaluate the lists reranked by a model: `structural`, `local:FOLDER`, `hf:ORG/NAME`, `tei:URL`,
    #: `cohere:MODEL`, `voyage:MODEL`, `jina:MODEL`, or a chat model `openai:MODEL` or `openai+URL`; reranks
    #: the fused lists, or without --fuse each model's
    rerank: str | Sequence[str]

    #: Documents of a list that are reranked
    rerank_depth: int

    #: Permutations of the tests
    resamples: int

    #: The seed of all draws
    seed: int

    #: Only this subset; may be given several times
    subset: str | Sequence[str]

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: The rule for ties: expected, docno, input, pessimistic or optimistic [default: expected, or the
    #: recipe's]
    ties: str

    #: Judge pairs by similarity too, with a threshold that is fitted on the training set of the recipe, or
    #: on this one
    train: Path

    #: Texts of the training set that thresholds are fitted on, drawn from --seed
    train_pairs: int

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool


class StatsOptions(TypedDict, total=False):
    """The options of ``barecode stats``."""

    #: Show the rows of each language, repository, or year of the first commit
    by: Literal["language", "repository", "year"]

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: The folder of the files of a suite of test sets
    data: Path

    #: The language of the code in a `.json` file; guessed by default. For `other` only tokens and lines are
    #: counted
    language: Literal["c", "cpp", "lowered", "other"]

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: The folder for results. By default the recipe's run folder, `runs/try-NAME` for `try`, and
    #: `eval/DATASET` for `eval`. For `study` and `review`, the file to write
    out: Path

    #: The run folder itself
    run: Path

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: Count tokens with this `tokenizer.json`
    tokenizer: Path

    #: The training set that distances are measured to; by default the recipe's
    train: Path

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool


class TryOptions(TypedDict, total=False):
    """The options of ``barecode try``."""

    #: Stop before the estimated cost of this command exceeds DOLLARS. The bill can be slightly higher,
    #: because costs are estimates. Paid answers are cached. Without it, the `budget` of the recipe applies,
    #: if any
    budget: float

    #: The folder of caches that all commands share: compiler verdicts, embeddings, mirrors of repositories,
    #: days of first commits [default: barecode in the user's cache folder]
    cache: Path

    #: Record answers of servers in this file, and replay those that are in it
    cassette: Path

    #: Estimate texts, tokens and dollars of all models; call none
    dry_run: bool

    #: No files that match; may be given several times
    exclude: str | Sequence[str]

    #: At most this many functions are drawn, those with a doc comment first
    functions: int

    #: Also score each dependency group alone: functions that need nothing of their project, its types or
    #: variables, or its functions
    groups: bool

    #: Only files that match, as a glob pattern relative to the source: `src/**`; may be given several times
    include: str | Sequence[str]

    #: Only functions of this language: `c`, `cpp`, `python`, …; may be given several times
    language: str | Sequence[str]

    #: Use no caches: compute verdicts and embeddings again, and store none
    no_cache: bool

    #: A file of your own queries: CSV, TSV or JSONL with `text` and `function` (an id, `src/list.c:120`,
    #: `list_add`, or `src/list.c::list_add`); may be given several times
    queries: str | Sequence[str]

    #: Use answers of the cassette only, without network and key
    replay: bool

    #: Number of worker threads [default: all cores]. Results do not depend on it
    threads: int

    #: Run programs under test even where the kernel cannot confine them: only for programs that you trust
    unsafe_no_sandbox: bool

    #: A model that writes a query for each function, by its short form: `openai:gpt-4o`,
    #: `anthropic:claude-sonnet-4-5`, `openai+URL#MODEL`; may be given several times. The table uses these
    #: queries, unless you also give --queries
    write: str | Sequence[str]
