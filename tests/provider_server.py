"""A provider on loopback: OpenAI's chat completions and Anthropic's messages, with faults and a bill.

As a script it serves until it is ended, and prints its URL: ``python tests/provider_server.py --port 8080 --fault-rate
0.3 --seed 1 --latency 0.05``; ``GET /bill`` is what it has answered and what that costs.
"""

import argparse
import hashlib
import json
import random
import socket
import struct
import sys
import threading
import time
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from provider_answers import Answer, calls_of_tools, events, parsed, response

PRICES = {"input": 2.0, "output": 8.0}
"""US dollars per million tokens."""
STATUS = {"429": 429, "429-date": 429, "500": 500, "529": 529}
"""Faults that are answered at once, and not billed."""
FAULTS = (*STATUS, "slow", "drip", "cut", "reset", "invalid_json", "html", "empty", "huge")
"""All faults; the reply of those not in ``STATUS`` is billed, and lost on its way."""
BODIES = {
    "invalid_json": b'{"id": "chatcmpl-1", "choices": [{"mess',
    "html": b"<html>Please log in</html>",
    "empty": b"",
}
HUGE = 50 * 2**20


class ProviderServer(ThreadingHTTPServer):
    """A provider; a request with an Idempotency-Key that was answered is answered the same, and not billed again.

    Args:
        answer: of a request; an ``Answer`` or its text.
        fault: of a request's number and its ``Request``: one of ``FAULTS``, a status, ``None``, or an object:
            ``status``, ``body`` and ``headers`` of a response in which ``${key}`` and ``${auth}`` are the client's own,
            or ``how`` its reply is lost, or a ``patch`` of it; ``billed`` has tokens read and written, perhaps dollars.
        is_idempotent: whether a request with an Idempotency-Key is answered and billed once.
        latency: seconds that a reply takes.
        slow: seconds that the fault "slow" takes.
        port: to listen on; 0: a free one.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self,
        answer=calls_of_tools,
        fault=lambda number, request: None,
        latency=0.0,
        slow=2.0,
        port=0,
        is_idempotent=True,
    ):
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answer, self.fault, self.latency, self.slow = answer, fault, latency, slow
        self.is_idempotent = is_idempotent
        self.requests, self.seen_faults, self.headers = [], [], []
        self.bill = {"requests": 0, "answers": 0, "input_tokens": 0, "output_tokens": 0, "dollars": 0.0}
        self.most_at_once, self._at_once = 0, 0
        self._answers, self._lock = {}, threading.Lock()

    def begin(self, request, headers):
        """Count a request; its fault."""
        with self._lock:
            self.requests.append(request)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.bill["requests"] += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = self.fault(len(self.requests) - 1, request)
            self.seen_faults.append(fault)
        return fault

    def end(self):
        """A request has its response."""
        with self._lock:
            self._at_once -= 1

    def answered(self, request, billed=None):
        """The response to a request, billed once for a key."""
        with self._lock:
            if self.is_idempotent and request.key in self._answers:
                return self._answers[request.key]
            answer = self.answer(request)
            answer = Answer(answer) if isinstance(answer, str) else answer
            made = response(request, answer)
            if request.key:
                self._answers[request.key] = made
            self.bill_for(*(billed or answer.usage(request)))
            return made

    def bill_for(self, read, written, dollars=None):
        """Enter an answer in the bill."""
        self.bill["answers"] += 1
        self.bill["input_tokens"] += read
        self.bill["output_tokens"] += written
        self.bill["dollars"] += (
            (read * PRICES["input"] + written * PRICES["output"]) / 1e6 if dollars is None else dollars
        )

    def handle_error(self, request, client_address):
        """Clients that hang up are no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self._send(self.server.bill | {"most_at_once": self.server.most_at_once})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            key = self.headers.get("Idempotency-Key") or ""
            request = parsed(self.path, json.loads(body), key)
        except (ValueError, KeyError, TypeError) as error:
            self._send({"error": {"type": "invalid_request_error", "message": repr(error)}}, 400)
            return
        fault = self.server.begin(request, self.headers)
        try:
            if self.server.latency:
                time.sleep(self.server.latency)
            self._respond(request, fault)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._send({"error": {"type": "invalid_request_error", "message": f"no answer: {error!r}"}}, 400)
        finally:
            self.server.end()

    def _respond(self, request, fault):
        if isinstance(fault, str) and fault in STATUS:
            after = formatdate(time.time() + 1, usegmt=True) if fault == "429-date" else "0.02"
            headers = {"Retry-After": after} if fault.startswith("429") else {}
            kind = {429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[STATUS[fault]]
            error = {"type": "error", "error": {"type": kind, "message": f"a fault: {fault}"}}
            self._send(error, STATUS[fault], headers)
            return
        if isinstance(fault, int):
            self._send({"error": {"message": f"status {fault}", "param": "tools"}}, fault)
            return
        patch, billed = {}, None
        if isinstance(fault, dict):
            patch, billed = fault.get("patch", {}), fault.get("billed")
            if "status" in fault:
                self._tell(fault)
                return
            fault = fault.get("how")
        made = patched(self.server.answered(request, billed), self._keys(patch))
        if fault == "slow":
            time.sleep(self.server.slow)
        if fault == "reset":
            # The connection ends without a word, by a TCP reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif fault == "huge":
            self._huge()
        elif request.body.get("stream"):
            self._write(events(made), "text/event-stream", fault)
        elif fault in BODIES:
            self._write(BODIES[fault], "application/json", None)
        else:
            self._write(json.dumps(made).encode(), "application/json", fault)

    def _tell(self, fault):
        """A response as a table has it."""
        if "billed" in fault:
            self.server.bill_for(*fault["billed"])
        self._send(self._keys(fault["body"]), fault["status"], self._keys(fault.get("headers", {})))

    def _keys(self, data):
        """Data with the keys of this request in it."""
        auth = self.headers.get("Authorization") or self.headers.get("x-api-key") or ""
        text = json.dumps(data).replace("${auth}", auth).replace("${key}", auth.removeprefix("Bearer "))
        return json.loads(text)

    def _send(self, data, status=200, headers=None):
        self._write(json.dumps(data).encode(), "application/json", None, status, headers)

    def _write(self, body, kind, fault, status=200, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if fault == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        if fault == "drip":
            for byte in body:
                time.sleep(self.server.slow / 20)
                self.wfile.write(bytes([byte]))
            return
        self.wfile.write(body)

    def _huge(self):
        """JSON of ``HUGE`` bytes, in chunks and without its length beforehand."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b'{"choices": [{"message": {"role": "assistant", "content": "')
        for _ in range(HUGE // 2**16):
            self.wfile.write(b"x" * 2**16)
        self.wfile.write(b'"}}]}')


def patched(value, patch):
    """JSON with parts of it replaced; items of lists are patched one by one."""
    if isinstance(value, dict) and isinstance(patch, dict):
        return value | {key: patched(value.get(key), inner) for key, inner in patch.items()}
    if isinstance(value, list) and isinstance(patch, list) and patch and isinstance(patch[0], dict):
        return [patched(one, inner) for one, inner in zip(value, patch, strict=False)] or patch
    return patch


def faults_of(mode):
    """The faults of a mode of ``data/provider_faults.json``, one after the other; later requests have none."""
    where = [fault for fault in mode["faults"] if "if" in fault]
    left = [fault for fault in mode["faults"] if "if" not in fault]

    def fault(number, request):
        found = next((one for one in where if one["if"] in request.body), None)
        if found or not left:
            return found
        return left[0] if left[0].get("always") else left.pop(0)

    return fault


def faults_in_turn(*faults):
    """The first requests have these faults, later ones none."""
    return lambda number, request: faults[number] if number < len(faults) else None


def random_faults(rate, seed, kinds=("429", "500", "529", "cut", "reset", "invalid_json")):
    """A share of the first and second tries of each request has a fault, by its key: the same in any order."""
    tries = {}

    def fault(number, request):
        content = request.key or json.dumps(request.body, sort_keys=True)
        tries[content] = tries.get(content, -1) + 1
        rng = random.Random(hashlib.sha256(f"{seed}/{tries[content]}/{content}".encode()).hexdigest())
        return rng.choice(kinds) if tries[content] < 2 and rng.random() < rate else None

    return fault


@contextmanager
def provider_server(**arguments):
    """Serve in a thread; see ``ProviderServer``."""
    server = ProviderServer(**arguments)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    fault = random_faults(options.fault_rate, options.seed)
    server = ProviderServer(fault=fault, latency=options.latency, port=options.port)
    print(server.url, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
