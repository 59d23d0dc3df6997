"""A proxy with faults before a server that speaks as OpenAI does: `proxy.py http://127.0.0.1:PORT`.

What goes wrong is set as `faults.py` has it. A fault that needs no answer is made here; for the others the server is
asked, and its answer is spoiled on the way: such texts were computed, and were never served.
"""

import http.client
import json
import sys
import urllib.parse

import faults

UPSTREAM = urllib.parse.urlsplit(sys.argv[1]).netloc


def ask(method, path, body, headers):
    """Status, headers and body of the server's answer."""
    connection = http.client.HTTPConnection(UPSTREAM)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def spoiled(data, kind):
    """The answer with vectors that cannot be right."""
    answer = json.loads(data)
    items = answer["data"]
    if kind == "count":
        items.pop()
    elif kind == "nan":
        items[-1]["embedding"][3] = float("nan")
    elif kind == "dimensions":
        for item in items:
            item["embedding"].pop()
    elif kind == "index":
        items[0]["index"] = items[-1]["index"]
    else:
        return data
    return json.dumps(answer).encode()


class Handler(faults.Handler):
    def do_GET(self):
        if self.path == "/control":
            return self.tell()
        return self.reply(*ask("GET", self.path, None, {}))

    def do_POST(self):
        body = self.body()
        if self.path == "/control":
            return self.control(body)
        fault = self.next_fault(body)
        if self.fails_before(fault):
            return None
        headers = {"content-type": "application/json"}
        status, data = ask("POST", self.path, json.dumps(body).encode(), headers)
        if status != 200:
            return self.reply(status, data)
        return self.deliver(spoiled(data, fault.get("kind")), (), fault, body["input"])


if __name__ == "__main__":
    faults.serve(Handler)
