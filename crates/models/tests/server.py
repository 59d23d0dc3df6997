"""A server of embeddings, scores and models over loopback, and of faults.

It speaks as OpenAI, Voyage, Cohere, Jina, Gemini, TEI and the Hugging Face hub do. A vector is drawn by numpy from a
generator seeded with SHA-256 of the model, the side and the text: the same text has the same vector, any other text
another one; `POST /expected` tells it, whatever faults there are.

What goes wrong with requests is in `faults.py`; `limits` beside `faults` is what the server takes at once.
"""

import base64
import hashlib
import json

import numpy

import faults
from faults import lock, state

DIMENSIONS = 24
KEY = "sk-the-right-key"


def vector(model, side, text, dimensions=DIMENSIONS):
    seed = hashlib.sha256(f"{model}\0{side}\0{text}".encode()).digest()
    numbers = numpy.random.default_rng(list(seed)).standard_normal(dimensions)
    return (numbers / numpy.linalg.norm(numbers)).astype("<f4")


def tokens(text):
    """Four bytes a token, so that the client's estimate is wrong on both sides."""
    return max(1, (len(text.encode()) + 3) // 4)


class Refusal(Exception):
    def __init__(self, status, body, headers=()):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers


def check_limits(texts, cuts):
    limits = state["limits"]
    if len(texts) > limits.get("texts", 10**9):
        raise Refusal(400, {"error": {"message": f"batch size {len(texts)} > maximum allowed batch size"}})
    total = sum(tokens(text) for text in texts)
    if total > limits.get("tokens", 10**9) and len(texts) > 1:
        raise Refusal(400, {"error": {"message": f"Requested {total} tokens, too many tokens per request"}})
    longest = limits.get("length", 10**9)
    if not cuts and any(tokens(text) > longest for text in texts):
        raise Refusal(400, {"error": {"message": f"This model's maximum context length is {longest} tokens"}})
    most = limits.get("characters", 10**9)
    if any(len(text) > most for text in texts):
        raise Refusal(413, {"error": f"Input validation error: `inputs` must have less than {most} characters"})
    if any(not text for text in texts):
        raise Refusal(400, {"error": {"message": "input cannot be an empty string"}})
    return [text.encode()[: longest * 4].decode(errors="ignore") for text in texts]


class Handler(faults.Handler):
    def key(self):
        given = self.headers.get("authorization") or self.headers.get("x-goog-api-key") or ""
        return given.removeprefix("Bearer ")

    def do_HEAD(self):
        self.hub()

    def do_GET(self):
        if self.path == "/control":
            self.tell()
        elif self.path.endswith("/models") and "/api/" not in self.path:
            self.reply(200, {"data": [{"id": "the-only-one"}]})
        else:
            self.hub()

    def do_POST(self):
        body = self.body()
        if self.path == "/control":
            return self.control(body)
        if self.path == "/expected":
            found = [vector(body["model"], body["side"], text, body.get("dimensions") or DIMENSIONS)
                     for text in body["texts"]]
            return self.reply(200, [[float(x) for x in v] for v in found])
        fault = self.next_fault(body)
        if self.key() and self.key() != KEY:
            return self.reply(401, {"error": {"message": f"Incorrect API key provided: {self.key()}"}})
        if self.fails_before(fault):
            return None
        try:
            answer, headers, texts = self.compute(body, fault)
        except Refusal as refusal:
            return self.reply(refusal.status, refusal.body, list(refusal.headers))
        return self.deliver(json.dumps(answer).encode(), headers, fault, texts)

    def compute(self, body, fault):
        """The answer, its headers, and the texts that it answers."""
        kind = fault.get("kind")
        path = self.path

        def vectors(texts, side, model, dimensions, cuts):
            found = [vector(model, side, text, dimensions or DIMENSIONS) for text in check_limits(texts, cuts)]
            if kind == "count":
                found.pop()
            if kind == "nan":
                found[-1] = found[-1].copy()
                found[-1][3] = numpy.nan
            if kind == "dimensions":
                found = [numbers[:-1] for numbers in found]
            return found

        def openai(found, as_base64, texts):
            data = [
                {
                    "object": "embedding",
                    "index": i,
                    "embedding": base64.b64encode(numbers.tobytes()).decode() if as_base64
                    else [float(number) for number in numbers],
                }
                for i, numbers in enumerate(found)
            ]
            # Any order is right, as long as the index is.
            data.reverse()
            if kind == "index":
                data[0]["index"] = data[-1]["index"]
            total = fault.get("tokens", sum(tokens(text) for text in texts))
            return {"data": data, "usage": {"prompt_tokens": total, "total_tokens": total}}

        if path == "/openai/embeddings":
            texts = body["input"]
            found = vectors(texts, "", body["model"], body.get("dimensions"), False)
            return openai(found, body.get("encoding_format") == "base64", texts), (), texts
        if path == "/voyage/embeddings":
            texts = body["input"]
            found = vectors(texts, body["input_type"], body["model"], body.get("output_dimension"), body["truncation"])
            return openai(found, True, texts), (), texts
        if path == "/jina/embeddings":
            texts = body["input"]
            found = vectors(texts, body.get("task", ""), body["model"], body.get("dimensions"), body["truncate"])
            return openai(found, True, texts), (), texts
        if path == "/cohere/embed":
            texts = body["texts"]
            found = vectors(texts, body["input_type"], body["model"], body.get("output_dimension"),
                            body["truncate"] == "END")
            units = {"billed_units": {"input_tokens": sum(tokens(text) for text in texts)}}
            return {"embeddings": {"float": [[float(x) for x in v] for v in found]}, "meta": units}, (), texts
        if path.startswith("/gemini/models/") and path.endswith(":batchEmbedContents"):
            requests = body["requests"]
            texts = [request["content"]["parts"][0]["text"] for request in requests]
            model = path.removeprefix("/gemini/models/").removesuffix(":batchEmbedContents")
            found = vectors(texts, requests[0]["taskType"], model, requests[0].get("outputDimensionality"), True)
            return {"embeddings": [{"values": [float(x) for x in v]} for v in found]}, (), texts
        if path == "/tei/embed":
            texts = body["inputs"]
            found = vectors(texts, "", "tei", None, body["truncate"])
            count = str(sum(tokens(text) for text in texts))
            return [[float(x) for x in v] for v in found], [("x-compute-tokens", count)], texts
        if path in ("/cohere/rerank", "/jina/rerank", "/voyage/rerank", "/tei/rerank"):
            texts = body.get("documents") or body["texts"]
            check_limits(texts, body.get("truncation", body.get("truncate", True)))
            scores = [float(vector("rerank", body["query"], text)[0]) for text in texts]
            name = "score" if path == "/tei/rerank" else "relevance_score"
            items = sorted(({"index": i, name: s} for i, s in enumerate(scores)), key=lambda item: -item[name])
            if kind == "count":
                items.pop()
            if path == "/tei/rerank":
                return items, [("x-compute-tokens", "7")], texts
            if path == "/voyage/rerank":
                return {"data": items, "usage": {"total_tokens": 7}}, (), texts
            return {"results": items, "usage": {"total_tokens": 7}}, (), texts
        if path == "/openai/chat/completions":
            # Orders the pieces by the number that stands in each: `value 17`.
            prompt = body["messages"][-1]["content"]
            pieces = prompt.split("\n[")[1:]
            values = [(int(p.split("value ")[1].split()[0]), int(p.split("]")[0])) for p in pieces]
            order = " > ".join(f"[{i}]" for _, i in sorted(values, reverse=True))
            message = {"choices": [{"message": {"content": order}}], "usage": {"total_tokens": 11}}
            return message, (), [prompt]
        raise Refusal(404, {"error": {"message": f"no such path {path}"}})

    def hub(self):
        """`/api/models/ORG/NAME/revision/REV` and `/ORG/NAME/resolve/SHA/FILE`, and the same of a dataset, from `state["files"]`."""
        commit = hashlib.sha1(b"the commit").hexdigest()
        with lock:
            files = state["files"]
            state["requests"] += 1
            state["log"].append([f"{self.command} {self.path}", None, self.headers.get("range")])
            fault = None
            if self.command == "GET":
                fault = state["faults"].pop(0) if state["faults"] else None
        if self.path.startswith(("/api/models/org/name/revision/", "/api/datasets/org/name/revision/")):
            siblings = [{"rfilename": name} for name in files]
            return self.reply(200, {"sha": commit, "siblings": siblings})
        name = self.path.removeprefix("/datasets").removeprefix(f"/org/name/resolve/{commit}/")
        if name not in files:
            return self.reply(404, {"error": "Repository or entry not found"})
        data = base64.b64decode(files[name])
        is_large = name.endswith(".safetensors")
        if is_large:
            etag = hashlib.sha256(data).hexdigest()
        else:
            etag = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        etag = state.get("etag") or etag
        common = [("x-repo-commit", commit), ("etag", f'"{etag}"'), ("accept-ranges", "bytes")]
        if is_large and self.command == "HEAD":
            headers = [*common, ("x-linked-etag", f'"{etag}"'), ("x-linked-size", str(len(data))),
                       ("location", f"http://localhost:1/{name}"), ("content-length", "0")]
            return self.reply(302, b"", headers)
        if self.command == "HEAD":
            return self.reply(200, b"", [*common, ("content-length", str(len(data)))])
        start = 0
        if (span := self.headers.get("range")) is not None:
            start = int(span.removeprefix("bytes=").removesuffix("-"))
        rest = data[start:]
        if fault and fault["kind"] == "corrupt":
            rest = bytes(byte ^ 1 for byte in rest)
        if fault and fault["kind"] == "longer":
            rest += bytes(100_000)
        self.send_response(206 if start else 200)
        for header, value in common:
            self.send_header(header, value)
        self.send_header("content-length", str(len(rest)))
        self.end_headers()
        if fault and fault["kind"] == "cut":
            self.wfile.write(rest[: len(rest) // 2])
            self.close_connection = True
        else:
            self.wfile.write(rest)
        return None


if __name__ == "__main__":
    faults.serve(Handler)
