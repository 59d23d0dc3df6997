"""Tokens and dense scores of bm25s (method lucene) for the texts on stdin, as JSON on stdout.

In:  {"documents": [text], "queries": [text], "stop_words": bool, "document_tokens": null or [[token]],
      "query_tokens": null or [[token]], "k1": k1, "b": b}
Out: {"document_tokens": [[token]], "scores": [[score per document] per query]}

Given tokens are scored as they are; without them bm25s makes its own.
"""
import json
import sys

import bm25s

given = json.load(sys.stdin)


def tokens(name):
    if given[f"{name}_tokens"] is not None:
        return given[f"{name}_tokens"]
    stop_words = "english" if given["stop_words"] else None
    texts = given["documents" if name == "document" else "queries"]
    return bm25s.tokenize(texts, stopwords=stop_words, return_ids=False, show_progress=False)


documents, queries = tokens("document"), tokens("query")
retriever = bm25s.BM25(method="lucene", k1=given["k1"], b=given["b"], dtype="float64")
retriever.index(documents, show_progress=False)
scores = []
for query in queries:
    known = [token for token in query if token in retriever.vocab_dict]
    scores.append(retriever.get_scores(known).tolist() if known else [0.0] * len(documents))
json.dump({"document_tokens": documents, "scores": scores}, sys.stdout)
