"""A form as an HTML document in a theme, with the shared script and style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import jinja2
from markupsafe import Markup

from ..forms.form import WebForm
from .field_views import page_views
from .themes import FontUrl, box_rules, font_rules, theme

_HERE = Path(__file__).parent
_PARTS = ("core", "popups", "boxes", "calendar", "flow", "input")


@lru_cache(maxsize=1)
def runtime_script() -> str:
    """The JavaScript to run at the end of the body, in its own scope."""
    parts = "\n".join((_HERE / "runtime" / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS)
    return "{\n" + parts + "}\n"


@lru_cache(maxsize=1)
def runtime_style() -> str:
    """The CSS of the script's parts in a form of ours, to be put before a theme's."""
    return _style("variables", "page", "pickers")


@lru_cache(maxsize=1)
def own_style() -> str:
    """The CSS of the script's parts in a foreign page, whose controls keep their look."""
    return _style("variables", "own", "pickers")


def _style(*names: str) -> str:
    return "".join((_HERE / "style" / f"{name}.css").read_text(encoding="utf-8") for name in names)


Mode = Literal["env", "site"]
"""Whether a page stays as it is when it is submitted, for environments, or is sent to a site."""


def form_html(
    form: WebForm,
    theme_name: str,
    *,
    files: Sequence[str] = (),
    mode: Mode = "env",
    action: str = "",
    target: str | None = None,
    hidden: Mapping[str, str] | None = None,
    font_url: FontUrl = Path.as_uri,
    nonce: str | None = None,
    runtime: bool = True,
) -> str:
    """The page of a form, which contains styles and script but not the fonts.

    Args:
        form: the form.
        theme_name: one of ``themes()``.
        files: the names of the files that its pickers offer.
        mode: what submission does.
        action: the URL to which the form is submitted.
        target: the window for the answer.
        hidden: names and values that are submitted too.
        font_url: the URL of a font file; by default, the page must be opened from the file system.
        runtime: whether the runtime's script is in it; a capture brings its own.
        nonce: allows the script and the styles under a content security policy.

    Raises:
        ValueError: if there is no such theme.
    """
    look = theme(theme_name)
    fonts = [font_rules(look, font_url)]
    if runtime and mode == "env":
        fonts.append(box_rules(look, font_url))
    styles = "\n".join((*fonts, runtime_style(), _shared_style(), look.style))
    return _template().render(
        form=form,
        pages=page_views(form),
        theme=look.name,
        files=list(files),
        mode=mode,
        action=action,
        target=target,
        hidden=hidden or {},
        nonce=nonce,
        styles=Markup(styles),
        script=Markup(runtime_script() if runtime else ""),
    )


@lru_cache(maxsize=1)
def _shared_style() -> str:
    return (_HERE / "form.css").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    return environment.get_template("form.html.jinja")
