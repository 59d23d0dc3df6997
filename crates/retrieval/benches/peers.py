"""The other side of the benches: a peer that waits for its turn.

    peers.py bm25s|tantivy|faiss FOLDER

Each line on stdin is one of `index`, `search` and `quit`; each line on stdout answers with JSON: the seconds that the
step took, and of a search those of all processors and the scores or ids. FOLDER has `texts.jsonl` and `queries.jsonl` (a JSON string a
line), or `documents.npy` and `queries.npy`. Reading them, and what compiles on first use, is not timed.
"""
import json
import sys
import time

peer, folder, threads, depth = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def lines(name):
    with open(f"{folder}/{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Bm25s:
    def __init__(self):
        import bm25s

        self.bm25s = bm25s
        self.queries = lines("queries")
        small = bm25s.BM25(method="lucene", backend="numba")
        small.index(bm25s.tokenize(["aa bb cc"] * 300, show_progress=False, stopwords=None), show_progress=False)
        tokens = bm25s.tokenize(["aa bb"] * 3, show_progress=False, stopwords=None)
        small.retrieve(tokens, k=100, n_threads=threads, show_progress=False)
        self.texts = lines("texts")

    def index(self):
        tokens = self.bm25s.tokenize(self.texts, show_progress=False, stopwords=None)
        self.retriever = self.bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba")
        self.retriever.index(tokens, show_progress=False)

    def prepare(self):
        self.texts = None
        self.tokens = self.bm25s.tokenize(
            self.queries, show_progress=False, stopwords=None, return_ids=False
        )
        self.search()

    def search(self):
        found = self.retriever.retrieve(
            self.tokens, k=depth, n_threads=threads, show_progress=False, sorted=True
        )
        return found.scores.tolist()


class Tantivy:
    def __init__(self):
        import tantivy

        self.tantivy = tantivy
        self.texts = lines("texts")
        self.queries = [
            " ".join(word for word in query.split() if word not in {"and", "or", "not", "in", "to"})
            for query in lines("queries")
        ]

    def index(self):
        builder = self.tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False)
        self.found = self.tantivy.Index(builder.build())
        writer = self.found.writer(heap_size=500_000_000, num_threads=threads)
        for text in self.texts:
            writer.add_document(self.tantivy.Document(body=text))
        writer.commit()
        writer.wait_merging_threads()
        self.found.reload()

    def prepare(self):
        self.texts = None
        self.search()

    def search(self):
        from concurrent.futures import ThreadPoolExecutor

        searcher = self.found.searcher()

        def one(query):
            hits = searcher.search(self.found.parse_query(query, ["body"]), limit=depth, count=False).hits
            return [score for score, _ in hits]

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, self.queries))


class Faiss:
    def __init__(self):
        import faiss
        import numpy

        self.faiss = faiss
        faiss.omp_set_num_threads(threads)
        self.documents = numpy.load(f"{folder}/documents.npy")
        self.queries = numpy.load(f"{folder}/queries.npy")

    def index(self):
        pass

    def prepare(self):
        self.faiss.knn(self.queries[:1], self.documents[:5000], depth, metric=self.faiss.METRIC_INNER_PRODUCT)

    def search(self):
        _, ids = self.faiss.knn(
            self.queries, self.documents, depth, metric=self.faiss.METRIC_INNER_PRODUCT
        )
        return ids.tolist()


side = {"bm25s": Bm25s, "tantivy": Tantivy, "faiss": Faiss}[peer]()


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = peak()
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    step = line.strip()
    start, start_cpu = time.perf_counter(), time.process_time()
    if step == "index":
        side.index()
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "kilobytes": peak() - before}), flush=True)
        side.prepare()
    elif step == "search":
        result = side.search()
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        print(json.dumps({"seconds": seconds, "cpu": cpu, "result": result}), flush=True)
    else:
        break
