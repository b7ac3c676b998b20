"""Answers of the site: safe headers, and problems as HTML or JSON."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from flask import Response, g, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse


class Refused(Exception):
    """A request that is refused.

    Attributes:
        status: the HTTP status, of the 400s.
        reason: the problem, in a sentence.
        problems: each single problem.
        retry_after: the seconds after which it may be sent again.
    """

    def __init__(self, status: int, reason: str, problems: Sequence[str] = (), retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.problems = tuple(problems)
        self.retry_after = retry_after


MAX_BYTES = 2_000_000
"""The size that a request can have."""


def nonce() -> str:
    """The token that allows this answer's own scripts and styles, and no others."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(16)
    return str(g.nonce)


def wants_json() -> bool:
    """Whether the request accepts JSON rather than a page."""
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    return request.path.endswith(".json") or best == "application/json"


def secured(response: AnyResponse) -> AnyResponse:
    """The answer with headers that keep others' scripts and frames out."""
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce()}'; style-src 'self' 'nonce-{nonce()}'; img-src 'self' data:; "
        "font-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
    )
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    # Without any referrer a browser sends the origin of its forms as "null".
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def refused(refusal: Refused) -> Response:
    """The answer to a refused request."""
    response = _problem(refusal.status, refusal.reason, refusal.problems)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def not_stored(_: Exception) -> Response:
    """The answer where a submission could not be stored."""
    return _problem(503, "This could not be stored now. Send it again.")


def failed(error: HTTPException) -> Response | HTTPException:
    """The answer to a request that Flask refuses."""
    if error.code is None or error.code < 400:
        return error
    if error.code == 413:
        return _problem(413, f"This is too large: a submission can have {MAX_BYTES:,} bytes.")
    return _problem(error.code, error.description or error.name)


def _problem(status: int, reason: str, problems: tuple[str, ...] = ()) -> Response:
    """A problem, as JSON for programs that ask for it, else as a page."""
    if wants_json():
        return make_response(jsonify(error=reason, problems=list(problems)), status)
    page = render_template("problem.html.jinja", status=status, reason=reason, problems=problems)
    return make_response(page, status)
