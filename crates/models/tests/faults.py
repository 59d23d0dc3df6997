"""What goes wrong between a client and a server, for `server.py` and `proxy.py`.

A test posts `{"faults": [...]}` to `/control`: one fault for each request that follows, in their order. `GET /control`
tells how often each text was answered whole, how many requests came, and which faults are left.

    {"kind": "status", "status": 429, "headers": {...}, "body": ...}   a refusal
    {"kind": "reset"}                                                  the connection is reset
    {"kind": "slow", "seconds": 0.2}                                   the right answer, after a while
    {"kind": "late", "seconds": 9}                                     an answer that nobody waits for
    {"kind": "html"}                                                   a page for people
    {"kind": "cut"}, {"kind": "cut-without-length"}                    half of the answer
    {"kind": "count"}, {"kind": "nan"}, {"kind": "dimensions"}, {"kind": "index"}   vectors that cannot be right
    {"kind": "none", "tokens": 9}                                      the right answer, with a count of its own
"""

import json
import os
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
state = {"faults": [], "limits": {}, "served": {}, "requests": 0, "log": [], "files": {}}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection, with faults."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["content-length"])))

    def reply(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        names = {name.lower() for name, _ in headers}
        for name, value in headers:
            self.send_header(name, value)
        if "content-length" not in names:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def reset(self):
        """Ends the connection with a reset instead of an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        # Both files hold the socket open.
        self.rfile.close()
        self.wfile.close()
        self.connection.close()

    def tell(self):
        with lock:
            self.reply(200, {k: state[k] for k in ("served", "requests", "log", "faults")})

    def control(self, body):
        with lock:
            state.update(body)
            state["served"], state["requests"], state["log"] = {}, 0, []
        self.reply(200, {})

    def next_fault(self, body):
        """Notes a request, and says what goes wrong with it."""
        with lock:
            state["requests"] += 1
            state["log"].append([self.path, body, self.headers.get("x-test")])
            return (state["faults"].pop(0) if state["faults"] else None) or {}

    def fails_before(self, fault):
        """Does what goes wrong before there is an answer; says whether that was all."""
        kind = fault.get("kind")
        if kind == "status":
            self.reply(fault["status"], fault.get("body", {"error": {"message": "injected"}}),
                       list(fault.get("headers", {}).items()))
        elif kind == "reset":
            self.reset()
        elif kind == "html":
            self.reply(200, b"<html><body>Bad gateway</body></html>")
        else:
            if kind in ("slow", "late"):
                time.sleep(fault["seconds"])
            return False
        return True

    def deliver(self, data, headers, fault, texts):
        """Sends an answer, or half of it, and counts the texts that it answers."""
        kind = fault.get("kind")
        if kind in ("cut", "cut-without-length"):
            self.send_response(200)
            if kind == "cut":
                self.send_header("content-length", str(len(data)))
            else:
                self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return
        # Under one lock: whoever has the answer and asks what was served finds it counted.
        with lock:
            self.reply(200, data, headers)
            if kind in (None, "none", "slow"):
                for text in texts:
                    state["served"][text] = state["served"].get(text, 0) + 1


def serve(handler):
    """Serves until the test ends; the first line on stdout is the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    # Clients that go away in the middle are what is tested.
    server.handle_error = lambda *_: None
    print(server.server_address[1], flush=True)
    # The test that started it holds the other end of stdin; when the test ends, so does the server.
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
