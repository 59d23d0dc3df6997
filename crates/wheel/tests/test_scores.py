"""Scores of files, dictionaries and tables: the same numbers, which are those of pytrec_eval."""

import random

import duckdb
import pandas
import polars
import pyarrow
import pytest
import pytrec_eval

import barecode

MEASURES = ["nDCG@10", "AP", "RR", "R@5"]
THEIRS = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "R@5": "recall_5"}


def made(queries=50, documents=40, seed=1):
    draw = random.Random(seed)
    qrels, run = {}, {}
    for query in range(queries):
        found = draw.sample(range(1000), documents)
        # Distinct scores: what ties are worth is another matter.
        run[f"q{query}"] = {f"d{one}": 1000.0 - place - draw.random() / 2 for place, one in enumerate(found)}
        judged = draw.sample(found, 5) + [2000]
        qrels[f"q{query}"] = {f"d{one}": draw.randrange(0, 3) for one in judged} | {f"d{judged[0]}": 1}
    return qrels, run


def rows(numbers, names=("q_id", "doc_id", "score")):
    flat = [(query, document, number) for query, of in numbers.items() for document, number in of.items()]
    return {name: [row[at] for row in flat] for at, name in enumerate(names)}


def test_dictionaries_have_the_numbers_of_pytrec_eval():
    qrels, run = made()
    ours = barecode.score(qrels, run, MEASURES, by_query=True)
    names = {"ndcg_cut.10", "map", "recip_rank", "recall.5"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    assert set(ours.by_query) == set(theirs)
    for query, values in ours.by_query.items():
        for measure, value in values.items():
            assert value == pytest.approx(theirs[query][THEIRS[measure]], abs=1e-12)
    for measure in MEASURES:
        mean = sum(of[THEIRS[measure]] for of in theirs.values()) / len(theirs)
        assert ours[measure] == pytest.approx(mean, abs=1e-12)


def test_every_library_of_tables_gives_the_same():
    qrels, run = made()
    expected = dict(barecode.score(qrels, run, MEASURES))
    run_rows, qrels_rows = rows(run), rows(qrels, ("query_id", "corpus_id", "relevance"))
    tables = {
        "pyarrow": (pyarrow.table(qrels_rows), pyarrow.table(run_rows)),
        "polars": (polars.DataFrame(qrels_rows), polars.DataFrame(run_rows)),
        "pandas": (pandas.DataFrame(qrels_rows), pandas.DataFrame(run_rows)),
        "large": (
            pyarrow.table(qrels_rows).cast(
                pyarrow.schema([("query_id", "large_string"), ("corpus_id", "large_string"), ("relevance", "int8")])
            ),
            pyarrow.table(run_rows).cast(
                pyarrow.schema([("q_id", "string_view"), ("doc_id", "string_view"), ("score", "float64")])
            ),
        ),
    }
    judged, ranked = tables["pyarrow"]
    tables["duckdb"] = (duckdb.from_arrow(judged), duckdb.from_arrow(ranked))
    dictionary = pyarrow.table(run_rows)
    for name in ("q_id", "doc_id"):
        at = dictionary.column_names.index(name)
        dictionary = dictionary.set_column(at, name, dictionary[name].dictionary_encode())
    tables["dictionaries"] = (qrels, dictionary)
    for name, (judgments, ranked) in tables.items():
        assert dict(barecode.score(judgments, ranked, MEASURES)) == expected, name


def test_rows_of_a_query_need_not_stand_together_nor_in_one_chunk():
    qrels, run = made(queries=20)
    expected = dict(barecode.score(qrels, run, MEASURES))
    table = pyarrow.table(rows(run))
    order = list(range(table.num_rows))
    random.Random(3).shuffle(order)
    shuffled = table.take(order)
    chunks = [shuffled.slice(start, 7) for start in range(0, shuffled.num_rows, 7)]
    # Sums over queries in another order differ in the last digit.
    scores = dict(barecode.score(qrels, pyarrow.concat_tables(chunks), MEASURES))
    assert scores == pytest.approx(expected, abs=1e-12)


def test_files_and_dictionaries_mix(tmp_path):
    qrels, run = made(queries=5)
    file = tmp_path / "run.trec"
    with open(file, "w") as out:
        for query, documents in run.items():
            for rank, (document, score) in enumerate(documents.items(), 1):
                out.write(f"{query} Q0 {document} {rank} {score!r} x\n")
    assert dict(barecode.score(qrels, file, MEASURES)) == dict(barecode.score(qrels, run, MEASURES))
    compared = barecode.compare(qrels, {"of a file": file, "in memory": run})["comparisons"][0]
    assert [system["name"] for system in compared["systems"]] == ["of a file", "in memory"]
    assert compared["systems"][0]["value"] == compared["systems"][1]["value"]


def test_what_the_run_lacks_counts_as_nothing_and_is_said():
    qrels, run = made(queries=10)
    del run["q3"]
    scores = barecode.score(qrels, run, "nDCG@10")
    assert scores.queries["not_in_run"] == 1
    assert "1 of 10 judged queries are not in the run" in repr(scores)


def test_comparisons_take_the_same():
    qrels, one = made(seed=1)
    other = {query: {doc: -score for doc, score in documents.items()} for query, documents in one.items()}
    answer = barecode.compare(qrels, {"one": one, "other": pyarrow.table(rows(other))}, ["nDCG@10", "RR"])
    assert [field["measure"] for field in answer["comparisons"]] == ["nDCG@10", "RR"]
    means = {system["name"]: system["value"] for system in answer["comparisons"][0]["systems"]}
    assert means["one"] == pytest.approx(barecode.score(qrels, one)["nDCG@10"], abs=1e-12)
    assert means["other"] == pytest.approx(barecode.score(qrels, other)["nDCG@10"], abs=1e-12)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q_id": ["q"], "doc_id": ["d"]}, "column `score` not found; found q_id, doc_id"),
        ({"q_id": ["q"], "doc_id": [1], "score": [1.0]}, "`doc_id` is of type Int64 here, expected text"),
        (
            {"q_id": ["q", "q"], "doc_id": ["a", None], "score": [1.0, 2.0]},
            "run:2: `doc_id` is empty here, expected text",
        ),
        (
            {"q_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, None]},
            "run:2: `score` is empty here, expected a finite number",
        ),
        ({"q_id": ["q"], "doc_id": ["a"], "score": ["x"]}, "`score` is of type Utf8 here, expected a finite number"),
        ({"q_id": ["q"], "doc_id": ["a"], "score": [float("nan")]}, "run:1: `score` is NaN here"),
        (
            {"q_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1.0, 2.0]},
            "the document `a` occurs twice for the query `q`",
        ),
        ({"q_id": [], "doc_id": [], "score": []}, "no scored document"),
    ],
)
def test_tables_that_are_not_runs(run, message):
    types = [("q_id", "string"), ("doc_id", "string"), ("score", "float64")]
    table = pyarrow.table(run) if run["q_id"] else pyarrow.table(run, schema=pyarrow.schema(types))
    with pytest.raises(barecode.InputError) as error:
        barecode.score({"q": {"a": 1}}, table)
    assert message in str(error.value)
    assert error.value.code == 4


def test_dictionaries_that_are_not_runs():
    with pytest.raises(TypeError, match="a query of `run` is .*int.*, expected text"):
        barecode.score({"q": {"a": 1}}, {1: {"a": 1.0}})
    with pytest.raises(TypeError, match="expected a number"):
        barecode.score({"q": {"a": 1}}, {"q": {"a": "high"}})
    with pytest.raises(TypeError, match="expected a dictionary"):
        barecode.score({"q": {"a": 1}}, {"q": ["a"]})
    with pytest.raises(TypeError, match="expected a table"):
        barecode.score({"q": {"a": 1}}, 7)
    with pytest.raises(barecode.InputError, match="the grade 1.5 of `a` for the query `q` is not a whole number"):
        barecode.score({"q": {"a": 1.5}}, {"q": {"a": 1.0}})
    with pytest.raises(barecode.InputError, match="is inf"):
        barecode.score({"q": {"a": 1}}, {"q": {"a": float("inf")}})


def test_a_measure_that_is_none_names_those_that_are():
    with pytest.raises(barecode.UsageError) as error:
        barecode.score({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDGC@10")
    assert "nDGC" in str(error.value)


def test_judgments_with_two_columns_of_grades_are_refused():
    both = pyarrow.table({"qid": ["q"], "docno": ["a"], "score": [0.5], "relevance": [1]})
    with pytest.raises(barecode.InputError, match="grades may be in `score` or in `relevance`") as error:
        barecode.score(both, {"q": {"a": 1.0}})
    assert "leave one" in error.value.hint
    # A run has one column of scores, whatever stands beside it.
    assert barecode.score({"q": {"a": 1}}, both, "RR")["RR"] == 1.0
