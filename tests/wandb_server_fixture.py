"""A server on loopback that takes what ``wandb sync`` sends: the parts of W&B's protocol that a run needs."""

import gzip
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self._reply({})

    def do_PUT(self):
        self._body()
        self._reply({})

    def do_POST(self):
        body = self._body()
        if self.path == "/graphql":
            request = json.loads(body)
            operation = re.search(r"(?:query|mutation)\s+(\w+)", request["query"])[1]
            self.server.asked.append((operation, request.get("variables", {})))
            self._reply({"data": self._answer(operation, request.get("variables", {}))})
            return
        if self.path.endswith("/file_stream"):
            for name, file in json.loads(body).get("files", {}).items():
                self.server.streamed.setdefault(name, []).extend(map(json.loads, file["content"]))
        self._reply({})

    def _answer(self, operation, variables):
        project = {"id": "p", "name": "formgym", "entity": {"id": "e", "name": "tester"}}
        run = {"id": "r", "name": variables.get("name"), "config": "{}", "historyLineCount": 0, "project": project}
        artifact = {"id": "a", "state": "COMMITTED", "artifactSequence": {"id": "s", "latestArtifact": None}}
        urls = [{"name": n, "uploadUrl": f"{self.server.url}/{n}"} for n in variables.get("files", [])]
        answers = {
            "RunResumeStatus": {"model": {"id": "m", "name": "formgym", "entity": project["entity"], "bucket": None}},
            "UpsertBucket": {"upsertBucket": {"bucket": run, "inserted": True}},
            "ServerFeaturesQuery": {"serverInfo": {"features": []}},
            "CreateArtifact": {"createArtifact": {"artifact": artifact}},
            "CreateRunFiles": {"createRunFiles": {"runID": "r", "uploadHeaders": [], "files": urls}},
        }
        return answers.get(operation, {})

    def _body(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _reply(self, data):
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def wandb_server():
    """Serve: ``url``, operations with their variables in ``asked``, and JSON lines by file in ``streamed``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.url, server.streamed, server.asked = f"http://127.0.0.1:{server.server_port}", {}, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
