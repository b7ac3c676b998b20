"""Verbs for forms and documents of one's own."""

from __future__ import annotations

import errno
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..terminal import console


def capture(
    pages: Annotated[list[str], typer.Argument(help="one web page: a URL or an .html file; or folders of a form.html")],
    out: Annotated[Path | None, typer.Option(help="of a web page: the folder for its capture")] = None,
    gold: Annotated[
        Path | None, typer.Option(help="of a web page: its tasks; default: gold.json in the folder, or a template")
    ] = None,
    episodes: Annotated[int, typer.Option(min=0, help="of a web page: random ones compared with Chromium")] = 3,
) -> None:
    """Capture a web or paper form of your own, to play it anywhere."""
    web = [page for page in pages if page.startswith(("http://", "https://")) or page.endswith((".html", ".htm"))]
    if web or out or gold:
        from ..authoring.web.check_custom_form import capture_page

        if out is None or len(web) != 1 or len(pages) != 1:
            raise ValueError(
                "a web page is captured alone, and to a folder: formgym capture PAGE --out DIR; "
                "of a paper form name the folder that holds form.html"
            )
        capture_page(web[0], out, gold, episodes)
    else:
        from ..authoring.paper_capture import capture_paper_forms

        capture_paper_forms([Path(page) for page in pages], console.print)


def serve(
    host: Annotated[str, typer.Option(help="the address to listen at")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8765,
    results: Annotated[Path, typer.Option(help="where submissions are stored")] = Path("runs/site"),
    runs: Annotated[Path, typer.Option(help="where they are recorded as episodes, as agents' are")] = Path(
        "runs/human"
    ),
    reveal: Annotated[bool, typer.Option(help="show the right answers after submission")] = True,
    allow_public: Annotated[bool, typer.Option("--public", help="let other machines reach it")] = False,
) -> None:
    """Serve web forms as a site, for people and browser agents."""
    try:
        from ...envs.web_forms.site.app import serve as serve_site
    except ImportError as error:
        raise RuntimeError(f"the site needs Flask: pip install 'formgym[web]' ({error})") from None
    from ..running.human_runs import record_submission

    record = partial(record_submission, runs)
    try:
        serve_site(host, port, results, reveal=reveal, allow_public=allow_public, stored=record, ready=_print_url)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise RuntimeError(f"port {port} is taken: --port names another, 0 takes any that is free") from None


def _print_url(url: str) -> None:
    console.print(f"Serving at {url} (Control+C ends it)")


def edit(
    path: Annotated[Path, typer.Argument(help="a .pptx or .json document")],
    program: Annotated[str, typer.Option("--program", "-p", help="a file that defines main(document); -: from stdin")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help=".pptx, .json or .png; default: NAME-edited")] = None,
) -> None:
    """Run an edit program on a document of your own.

    Exit status 1 if the program fails; then nothing is written.
    """
    from ..authoring.edit_document import edit_document

    raise typer.Exit(0 if edit_document(path, program, out) else 1)
