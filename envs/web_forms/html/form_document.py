"""A form as an HTML document in a theme, with the shared script and style."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import jinja2
from markupsafe import Markup

from ..forms.form import BlockDefinition, PageDefinition, Repeat, WebForm
from ..forms.form_fields import Field, Value
from .themes import FontUrl, font_rules, text_rules, theme

_HERE = Path(__file__).parent
_PARTS = ("popups", "boxes", "calendar", "flow", "input")


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
        pages=page_views(form),
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
    return environment.get_template("form.html.jinja")


Attributes = dict[str, str | int | bool | None]
"""Attributes of an element; ``None`` and ``False`` are left out, ``True`` is written without a value."""


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

    @property
    def hint(self) -> str:
        """The small print; by default, the hint of its pattern."""
        return self.field.hint or self.field.pattern_hint[:1].upper() + self.field.pattern_hint[1:]

    @property
    def cell(self) -> dict[str, str]:
        """Attributes of the element around label, control and hint."""
        when = self.field.when
        condition = {"data-when": when.field, "data-is": _json(when.values)} if when else {}
        place = {"class": f"field {self.field.width}", "data-field": self.field.name}
        return place | {"data-control": self.field.control} | condition

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Attributes of the control; of a group, those of the element around its options."""
        return {
            name: name if value is True else str(value)
            for name, value in self._attributes().items()
            if value is not None and value is not False
        }

    def _attributes(self) -> Attributes:
        field = self.field
        if field.control in ("radio", "checkbox_group"):
            return _group(field)
        own: Attributes = {"id": field.name, "name": field.name, "required": field.required}
        if field.control == "checkbox":
            return own | {"checked": field.initial == "yes"}
        if field.control in ("select", "multi_select"):
            return own | _select(field)
        if field.control == "textarea":
            return own | _text(field) | {"rows": field.rows}
        own = {"type": field.control} | own
        if field.control == "file":
            accept = ",".join(field.accept) or None
            return own | {"value": field.initial, "accept": accept, "multiple": field.several}
        if field.control == "date":
            return own | {"value": field.initial} | _bounds(field)
        return own | _text(field) | (_bounds(field) if field.control == "number" else {})


@dataclass(frozen=True)
class BlockView:
    """A block on its page.

    Attributes:
        title: its heading; may be empty.
        name: its name on the buttons of a repeated block.
        repeat: how it is repeated; ``None`` if it is not.
        rows: the fields of each of its rows.
    """

    title: str
    name: str
    repeat: Repeat | None
    rows: tuple[tuple[FieldView, ...], ...]

    @property
    def attributes(self) -> dict[str, str | int]:
        """Attributes of the element around it."""
        if self.repeat is None:
            return {"class": "block"}
        return {"class": "block repeat", "data-repeat": self.name, "data-most": self.repeat.most}


@dataclass(frozen=True)
class PageView:
    """A page: its title and blocks."""

    title: str
    blocks: tuple[BlockView, ...]


def page_views(form: WebForm) -> tuple[PageView, ...]:
    """The pages of a form in their first state."""
    initial: dict[str, Value] = {field.name: field.initial_value for field in form.fields}
    visible = {field.name for field in form.visible_fields(initial)}
    views = {
        field.name: FieldView(
            field=field,
            hidden=field.when is not None and field.name not in visible,
            options=field.options_for(initial[field.options_by.field] if field.options_by else None),
        )
        for field in form.fields
    }
    return tuple(_page_view(form, page, i, views) for i, page in enumerate(form.pages))


def _page_view(form: WebForm, page: PageDefinition, number: int, views: Mapping[str, FieldView]) -> PageView:
    def rows(index: int, block: BlockDefinition) -> Iterator[tuple[FieldView, ...]]:
        for row in block.rows:
            place = (number, index, row)
            yield tuple(views[f.name] for f in form.fields if (f.page, f.block, f.row) == place)

    blocks = tuple(
        BlockView(block.title, f"block_{number + 1}_{i + 1}", block.repeat, tuple(rows(i, block)))
        for i, block in enumerate(page.blocks)
    )
    return PageView(page.title, blocks)


def _group(field: Field) -> Attributes:
    role = "radiogroup" if field.control == "radio" else "group"
    required = field.required and field.control == "checkbox_group"
    return {"role": role, "aria-labelledby": f"{field.name}-label", "data-required": "" if required else None}


def _text(field: Field) -> Attributes:
    """The attributes that constrain texts."""
    return {
        "value": field.initial if field.control != "textarea" else None,
        "placeholder": field.placeholder or None,
        "minlength": field.min_length,
        "maxlength": field.max_length,
        "pattern": field.pattern,
        "title": field.pattern_hint or None,
        "autocomplete": "off",
        "spellcheck": "false",
    }


def _bounds(field: Field) -> Attributes:
    least, most = (None if bound is None else str(bound) for bound in (field.least, field.most))
    return {"min": least, "max": most, "step": str(field.step) if field.control == "number" else None}


def _select(field: Field) -> Attributes:
    by = field.options_by
    return {
        "multiple": field.control == "multi_select",
        "data-depends": by.field if by else None,
        "data-options": _json(by.options) if by else None,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
