"""Answers of the site: safe headers, and problems as HTML or JSON."""

from __future__ import annotations

import secrets

from flask import Response, g, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException, ServiceUnavailable
from werkzeug.wrappers import Response as AnyResponse

MAX_BYTES = 2_000_000
"""The size that a request can have."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    # Without any referrer a browser sends the origin of its forms as "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


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
    response.headers.update(_HEADERS | {"Content-Security-Policy": policy})
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def failed(error: HTTPException) -> Response | HTTPException:
    """The answer to a request that is refused: as JSON for programs that ask for it, else as a page.

    The first line of the error's description is the reason, others are single problems.
    """
    if error.code is None or error.code < 400:
        return error
    reason, *problems = (error.description or error.name).split("\n")
    if error.code == 413:
        reason = f"This is too large: a submission can have {MAX_BYTES:,} bytes."
    if wants_json():
        response = jsonify(error=reason, problems=problems)
    else:
        page = render_template("problem.html.jinja", status=error.code, reason=reason, problems=problems)
        response = make_response(page)
    response.status_code = error.code
    # Such as Retry-After.
    for name, value in error.get_headers():
        response.headers.setdefault(name, value)
    return response


def not_stored(_: Exception) -> Response | HTTPException:
    """The answer where a submission could not be stored."""
    return failed(ServiceUnavailable("This could not be stored now. Send it again."))
