"""Dense scores of bm25s in each of its forms for given tokens, as JSON on stdout.

In:  {"document_tokens": [[token]], "query_tokens": [[token]], "k1": k1, "b": b, "delta": delta}
Out: {form: [[score per document] per query]}
"""
import json
import sys

import bm25s

given = json.load(sys.stdin)
answer = {}
for form in ["lucene", "robertson", "atire", "bm25l", "bm25+"]:
    retriever = bm25s.BM25(
        method=form, k1=given["k1"], b=given["b"], delta=given["delta"], dtype="float64"
    )
    retriever.index(given["document_tokens"], show_progress=False)
    rows = []
    for query in given["query_tokens"]:
        known = [token for token in query if token in retriever.vocab_dict]
        rows.append(
            retriever.get_scores(known).tolist() if known else [0.0] * len(given["document_tokens"])
        )
    answer[form] = rows
json.dump(answer, sys.stdout)
