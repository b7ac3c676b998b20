"""A page in the browser on which boxes of a form are drawn, named and deleted."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Lock, Thread

from flask import Flask, Response, jsonify, render_template, request
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import HTTPException, NotFound

from ....envs.core.matchers import MATCHERS
from ....envs.core.pages import png_bytes
from ....envs.paper_forms.paper_form import PaperForm
from ....envs.web_forms.site.access import Access
from ....envs.web_forms.site.app import Server
from ....envs.web_forms.site.http_responses import nonce, secured
from ...running.runner import handling
from ...terminal.console import say
from .box_files import DrawnField
from .flat_form import FlatForm, as_drawn

_HOST = "127.0.0.1"
_MAX_BYTES = 5_000_000


class _Drawn(BaseModel):
    fields: list[DrawnField]


class BoxEditor:
    """The page, and what was saved on it.

    Args:
        flat: the form, with the boxes to begin with.
        port: to listen at; 0: any that is free.
    """

    def __init__(self, flat: FlatForm, port: int = 0) -> None:
        self._flat, self._lock = flat, Lock()
        self._pictures = [png_bytes(picture) for picture in flat.pictures]
        self.saved: PaperForm | None = None
        self.app = self._app()
        self._server = Server(self.app, _HOST, port)
        self.url = self._server.url

    def serve(self) -> PaperForm | None:
        """Serve the page until its user is done or Control+C; the form as it was saved last, ``None`` if it was not."""
        with handling(lambda *_: self.stop(), signal.SIGINT, signal.SIGTERM):
            say(f"Draw and name its fields at {self.url} (Done there ends it, or Control+C here)")
            self._server.serve_forever()
        return self.saved

    def stop(self) -> None:
        """End ``serve``."""
        Thread(target=self._server.shutdown).start()

    def _app(self) -> Flask:
        here = Path(__file__).parent
        app = Flask(__name__, static_folder=str(here / "static"), template_folder=str(here / "static"))
        app.config.update(MAX_CONTENT_LENGTH=_MAX_BYTES)
        app.add_url_rule("/", "index", self._index)
        app.add_url_rule("/page/<int:number>.png", "picture", self._picture)
        app.add_url_rule("/save", "save", self._save, methods=["POST"])
        app.add_url_rule("/done", "done", self._done, methods=["POST"])
        app.register_error_handler(HTTPException, _failed)
        app.before_request(Access(public=False).check)
        app.after_request(_secured)
        return app

    def _index(self) -> str:
        fields = [
            as_drawn(field).model_copy(update={"original": i}).model_dump() for i, field in enumerate(self._flat.fields)
        ]
        return render_template(
            "editor.html.jinja",
            title=self._flat.about["title"],
            sizes=self._flat.sizes,
            fields=fields,
            kinds=["text", "checkbox", *(kind for kind in MATCHERS if kind not in ("text", "checkbox"))],
            nonce=nonce(),
        )

    def _picture(self, number: int) -> Response:
        if not 1 <= number <= len(self._pictures):
            raise NotFound
        return Response(self._pictures[number - 1], mimetype="image/png")

    def _save(self) -> tuple[Response, int]:
        try:
            drawn = _Drawn.model_validate(request.get_json(silent=True)).fields
            if any(one.original is not None and one.original >= len(self._flat.fields) for one in drawn):
                raise ValueError("a field refers to one that there was not")
            with self._lock:
                self.saved = self._flat.saved(drawn)
        except (ValidationError, ValueError) as error:
            return jsonify(problem=_problems(error)), 400
        except OSError as error:
            return jsonify(problem=f"It cannot be saved: {error}"), 500
        return jsonify(saved=len(self.saved.fields), folder=str(self._flat.folder)), 200

    def _done(self) -> tuple[Response, int]:
        self.stop()
        return jsonify(done=True), 200


def _problems(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
    return str(error)


def _failed(error: HTTPException) -> tuple[Response, int]:
    return jsonify(problem=error.description), error.code or 500


def _secured(response: Response) -> Response:
    """Safe headers; the page also asks this server from its script."""
    secured(response)
    policy = response.headers["Content-Security-Policy"]
    response.headers["Content-Security-Policy"] = f"{policy}; connect-src 'self'"
    return response
