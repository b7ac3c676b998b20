"""A form as an HTML document in a theme, with the shared script and style."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import jinja2
from markupsafe import Markup

from ..forms.form import WebForm
from ..forms.form_fields import Field, Value
from .themes import FontUrl, font_rules, text_rules, theme

_HERE = Path(__file__).parent
_PARTS = ("popups", "boxes", "calendar", "flow", "input")
_GROUPS = ("radio", "checkbox_group")
_Attributes = dict[str, str | int | bool | None]
"""Attributes of an element; ``None`` and ``False`` are left out, ``True`` is written as the name."""


@lru_cache(maxsize=2)
def runtime_script(records: bool = False) -> str:
    """The JavaScript to run at the end of the body, in its own scope; it may record what a person does."""
    names = ("core", *["record"] * records, *_PARTS)
    parts = "\n".join((_HERE / "runtime" / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return "{\n" + parts + "}\n"


@lru_cache(maxsize=1)
def runtime_style() -> str:
    """The CSS of the script's parts, to be put before a theme's."""
    names = ("variables", "page", "pickers")
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
    texts = text_rules(look, font_url) if runtime and mode == "env" else ""
    styles = "\n".join((font_rules(look, font_url), runtime_style(), _shared_style(), look.style, texts))
    return _template().render(
        form=form,
        views=field_views(form),
        theme=look.name,
        files=list(files),
        mode=mode,
        action=action,
        target=target,
        hidden=hidden or {},
        nonce=nonce,
        styles=Markup(styles),
        script=Markup(runtime_script(records=mode == "site") if runtime else ""),
    )


@lru_cache(maxsize=1)
def _shared_style() -> str:
    return (_HERE / "form.css").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["json"] = _json
    return environment.get_template("form.html.jinja")


@dataclass(frozen=True)
class FieldView:
    """A field on its page.

    Attributes:
        field: what it is.
        hidden: whether its condition does not hold at first.
        options: what can be chosen at first.
    """

    field: Field
    hidden: bool
    options: tuple[str, ...]

    @cached_property
    def attributes(self) -> dict[str, str | int]:
        """Attributes of the control; of a group, those of the element around its options."""
        made = _group_attributes(self.field) if self.field.control in _GROUPS else _attributes(self.field)
        given = {name: value for name, value in made.items() if value is not None and value is not False}
        return {name: name if value is True else value for name, value in given.items()}


def field_views(form: WebForm) -> dict[tuple[int, int, int], list[FieldView]]:
    """The fields in their first state, by page, block and row."""
    initial: dict[str, Value] = {field.name: field.initial_value for field in form.fields}
    visible = {field.name for field in form.visible_fields(initial)}
    views: dict[tuple[int, int, int], list[FieldView]] = {}
    for field in form.fields:
        options = field.options_for(initial[field.options_by.field] if field.options_by else None)
        view = FieldView(field, field.when is not None and field.name not in visible, options)
        views.setdefault((field.page, field.block, field.row), []).append(view)
    return views


def _group_attributes(field: Field) -> _Attributes:
    is_radio = field.control == "radio"
    return {
        "role": "radiogroup" if is_radio else "group",
        "aria-labelledby": f"{field.name}-label",
        "data-required": "" if field.required and not is_radio else None,
    }


def _attributes(field: Field) -> _Attributes:
    """Attributes of a control; what its kind cannot have is not set in its field."""
    kind, by = field.control, field.options_by
    is_input = kind not in ("checkbox", "select", "multi_select", "textarea")
    is_text = kind == "textarea" or (is_input and kind not in ("date", "file"))
    return {
        "type": kind if is_input else None,
        "id": field.name,
        "name": field.name,
        "required": field.required,
        "checked": kind == "checkbox" and field.initial == "yes",
        "value": field.initial if is_input else None,
        "accept": ",".join(field.accept) or None,
        "multiple": field.several or kind == "multi_select",
        "data-depends": by.field if by else None,
        "data-options": _json(by.options) if by else None,
        "placeholder": field.placeholder or None,
        "minlength": field.min_length,
        "maxlength": field.max_length,
        "pattern": field.pattern,
        "title": field.pattern_hint or None,
        "autocomplete": "off" if is_text else None,
        "spellcheck": "false" if is_text else None,
        "min": None if field.least is None else str(field.least),
        "max": None if field.most is None else str(field.most),
        "step": str(field.step) if kind == "number" else None,
        "rows": field.rows if kind == "textarea" else None,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
