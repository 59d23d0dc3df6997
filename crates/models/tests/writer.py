"""A server of chat models over loopback: it writes queries as OpenAI's and Anthropic's models do, well and badly.

What it writes depends on the function in the prompt, so the same function has the same query. `bad` in `/control` says
how many functions of a hundred are answered badly at first: with a name of the code, cut off, refused, with nothing, in
German, with code, or with the function's name at every try; `always` chooses one of these. What goes wrong on the way is in `faults.py`.

Comments are put in classes by a word in them.

`{"hold": N}` lets N answers through; what comes after waits until it is set anew: a client that is killed then has no
answer under way. `GET /control` tells how often each request was answered whole, and what was billed for it.
"""

import hashlib
import json
import re
import socket
import time

import faults
from faults import lock, state

KEY = "sk-the-right-key"
state.update({"bad": 0, "always": None, "hold": None, "delivered": 0, "input": 0, "output": 0, "lost": 0})

WORDS = """adds removes copies compares counts checks reads writes sorts merges splits opens closes finds moves resets the a
number list string table block of bytes pages rows words entries and returns whether how many where what is left after
it from its first last next caller given range error code if nothing remains""".split()


def digest(text):
    return hashlib.sha256(text.encode()).digest()


def sentence(function):
    seed = digest(function)
    words = [WORDS[byte % len(WORDS)] for byte in seed[:18]]
    return "It " + " ".join(words) + f", in the way number {int.from_bytes(seed[:4], 'big')}."


def function_of(prompt):
    """The function as the prompts `default` and `clarc` show it."""
    for start, end in (("The function:\n\n```\n", "\n```"), ("Function to Summarize:\n\n", "\n```"),
                       ("for reference:\n\n```\n", "\n```"), ("Here is the function:\n\n", "\n\nPlease read"),
                       ("Here is the function:\n\n", "\n\nInstructions:"), ("for description:\n\n```\n", "\n```")):
        if start in prompt and end in prompt.split(start, 1)[1]:
            return prompt.split(start, 1)[1].split(end, 1)[0]
    return prompt


CLASSES = (("plot", "[Visualization]"), ("test", "Statistical Test"), ("fit", "Category: [Statistical Modeling]."),
           ("read", "'Data Variable'"), ("several", "[Visualization] or [Data Variable]"), ("refuse", None))


def class_of(comment):
    """What is answered to the prompt of GenCodeSearchNet's appendix A.3.1, by a word of the comment."""
    for word, answer in CLASSES:
        if word in comment:
            return ("", "refused") if answer is None else (answer, "whole")
    return "No Relevant Class", "whole"


def judged(prompt):
    """Whether the two texts of a pair have the same number; of every tenth text nobody can tell."""
    text, code = prompt.split('"code". ', 1)[1].split(" [CODESPLIT] ", 1)
    number = re.search(r"\d+", text).group()
    if number.endswith("3"):
        return "That depends on what is meant."
    return f"{re.search(r'[0-9]+', code).group() == number}."


def written(prompt, nth):
    """The text, and how it ends."""
    if prompt.startswith("Task: Classify the code comment "):
        return class_of(prompt.split("comment ", 1)[1].split(" based on", 1)[0])
    if prompt.startswith("Given a ") and "[CODESPLIT]" in prompt:
        return judged(prompt), "whole"
    function = function_of(prompt)
    good = f"I read it step by step.\n\nSUMMARY:\n{sentence(function)}"
    seed = digest(function)
    if seed[20] * 100 // 256 >= state["bad"]:
        return good, "whole"
    name = re.search(r"([A-Za-z_]\w*)\s*\(", function).group(1)
    sent_back = "Your last answer" in prompt
    kind = seed[21] % 7 if state["always"] is None else state["always"]
    if kind == 0:
        return f"SUMMARY: It is {name}. {sentence(function)} So does {name}.", "whole"
    if sent_back or nth > 0:
        return good, "whole"
    if kind == 1:
        return f"SUMMARY: It calls {name} with what it is given, and nothing else.", "whole"
    if kind == 2:
        return good[: len(good) // 2], "cut"
    if kind == 3:
        return "", "refused"
    if kind == 4:
        return "", "whole"
    if kind == 5:
        return "SUMMARY: Diese Funktion prüft alle Einträge der Liste und gibt die Anzahl der gültigen zurück.", "whole"
    return f"SUMMARY:\n```c\n{function}\n```", "whole"


class Handler(faults.Handler):
    def tell(self):
        with lock:
            self.reply(200, {k: state[k] for k in ("served", "requests", "faults", "delivered", "input", "output", "lost")})

    def control(self, body):
        with lock:
            keep = body.pop("keep", False)
            state.update(body)
            if not keep:
                state.update({"always": body.get("always"), "served": {}, "requests": 0, "log": [], "delivered": 0, "input": 0, "output": 0, "lost": 0})
        self.reply(200, {})

    def do_GET(self):
        self.tell()

    def do_POST(self):
        body = self.body()
        if self.path == "/control":
            return self.control(body)
        fault = self.next_fault({})
        key = (self.headers.get("authorization") or self.headers.get("x-api-key") or "").removeprefix("Bearer ")
        if key != KEY:
            return self.reply(401, {"error": {"message": "invalid x-api-key"}})
        if self.fails_before(fault):
            return None
        prompt = body["messages"][-1]["content"]
        request = hashlib.sha256((self.path + json.dumps(body, sort_keys=True)).encode()).hexdigest()
        with lock:
            nth = state["served"].get(request, 0)
        if "seed" in body:
            nth += body["seed"] - 1
        text, end = written(prompt, nth)
        tokens = (len(prompt) + 3) // 4, max(1, len(text.split()))
        answer = self.shaped(body, text, end, tokens)
        while state["hold"] is not None and state["delivered"] >= state["hold"]:
            time.sleep(0.01)
        if self.is_gone():
            with lock:
                state["lost"] += sum(tokens)
            self.close_connection = True
            return None
        data = json.dumps(answer).encode()
        with lock:
            whole = fault.get("kind") in (None, "none", "slow")
            state["input"] += tokens[0] if whole else 0
            state["output"] += tokens[1] if whole else 0
            state["lost"] += 0 if whole else sum(tokens)
            state["delivered"] += 1 if whole else 0
        return self.deliver(data, (), fault, [request])

    def is_gone(self):
        """Whether the client has ended; its request was worked on all the same."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def shaped(self, body, text, end, tokens):
        if self.path == "/anthropic/messages":
            assert self.headers["anthropic-version"], "a version is required"
            assert body["max_tokens"] > 0, "a limit is required"
            reason = {"whole": "end_turn", "cut": "max_tokens", "refused": "refusal"}[end]
            return {"type": "message", "model": body["model"] + "-20250929", "stop_reason": reason,
                    "content": [{"type": "text", "text": text}] if text else [],
                    "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]}}
        assert self.path in ("/openai/chat/completions", "/v1/chat/completions"), self.path
        # OpenAI's own models refuse the name that other servers have.
        assert ("max_completion_tokens" in body) == (self.path == "/openai/chat/completions"), body.keys()
        reason = {"whole": "stop", "cut": "length", "refused": "content_filter"}[end]
        message = {"role": "assistant", "content": text or None}
        return {"model": body["model"] + "-2025", "choices": [{"message": message, "finish_reason": reason}],
                "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}}


if __name__ == "__main__":
    faults.serve(Handler)
