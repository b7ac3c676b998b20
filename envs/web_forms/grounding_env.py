"""The environment of grounding on web forms: point at the control of a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import model_validator

from ...assets import ROOT
from ..core.asset_cache import cached, derived
from ..core.files import Data, load_once
from ..core.grounding import GroundingEnv, GroundingPage, GroundingTarget, PackedPage
from ..core.pages import mapped_array, packed_page, unpacked
from ..core.painting import Image
from ..core.tasks import check_task, chosen_names
from .env import CAPTURES
from .forms.form import web_form, web_forms
from .forms.form_fields import Field
from .html.themes import themes
from .replay.capture import load_pictures
from .replay.captured_page import CapturedPage
from .replay.widgets import Button, Widget

CANVAS = (1800, 1024)
"""Height and width in pixels of the picture of a whole page; below a shorter page it is plain."""


class _Split(Data):
    """The forms and the themes of a split."""

    forms: tuple[str, ...]
    themes: tuple[str, ...]

    @model_validator(mode="after")
    def _all_exist(self) -> _Split:
        for names, known in ((self.forms, web_forms()), (self.themes, themes())):
            if unknown := set(names) - set(known):
                raise ValueError(f"there is no {sorted(unknown)[0]!r}")
        return self


class _Splits(Data):
    splits: Mapping[str, _Split]


class WebGroundingEnv(GroundingEnv):
    """Point at the controls of a web form's page, whole and empty, by their labels.

    Tasks are ``form/theme/page``. No form of a split is in another one, and the test split's themes are in no other.
    A target is the label of a field, an option before its field's label: ``"Yes | Do you smoke?"``. Its box is the
    control's: clicks on labels, which a browser takes, miss.

    Args:
        split: ``"train"``, ``"dev"`` or ``"test"``.
        forms: names of forms in the split; ``None``: all of them.
        themes: names of themes in the split; ``None``: all of them.
        **kwargs: see ``GroundingEnv``.

    Raises:
        ValueError: if there is no such split, or a form or theme is not in it.
    """

    def __init__(
        self,
        split: str = "test",
        forms: str | Sequence[str] | None = None,
        themes: str | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        splits = _splits().splits
        if split not in splits:
            raise ValueError(f"split must be one of {', '.join(splits)}, not {split!r}")
        chosen, where = splits[split], f" in the {split} split"
        self.task_ids = tuple(
            f"{form}/{theme}/{page}"
            for form in chosen_names(forms, chosen.forms, "form", where)
            for theme in chosen_names(themes, chosen.themes, "theme", where)
            for page in range(len(web_form(form).pages))
        )
        super().__init__(CANVAS, **kwargs)

    def open_page(self, task_id: str) -> GroundingPage:
        """The page of a form with its controls.

        Raises:
            ValueError: if there is no such task.
        """
        check_task(task_id, self.task_ids, self.task_ids[0])
        form, theme, page = task_id.split("/")
        return GroundingPage(_picture(form, theme, int(page)), _page(form, theme, int(page)).targets)


_splits = load_once(_Splits, ROOT / "grounding" / "web_forms.json")


def whole_page(form: str, theme: str, page: int) -> CapturedPage:
    """A page of an empty form, in a window that holds all of it."""
    opened = CapturedPage(load_pictures(CAPTURES / form / theme))
    opened.canvas.resize(CANVAS[0])
    opened.show_page(page)
    return opened


@derived
def _picture(form: str, theme: str, page: int) -> Image:
    return unpacked(_page(form, theme, page).pixels)


@cached
def _page(form: str, theme: str, page: int) -> PackedPage:
    opened, fields = whole_page(form, theme, page), {field.name: field for field in web_form(form).fields}
    controls = [(widget, fields[widget.control.name]) for widget in _controls(opened)]
    targets = tuple(GroundingTarget(_name_of(one, field), one.spot.box, field.control) for one, field in controls)
    canvas = mapped_array((*CANVAS, 3))
    background = opened.background[: CANVAS[0]]
    canvas[:] = _background_colour(background)
    canvas[: len(background)] = background
    opened.take_dirty()
    return PackedPage(packed_page(canvas, opened.layers), targets)


def _background_colour(page: Image) -> Image:
    """The most frequent colour of a page."""
    colours, counts = np.unique(page[::8, ::8].reshape(-1, 3), axis=0, return_counts=True)
    most_frequent: Image = colours[counts.argmax()]
    return most_frequent


def _controls(page: CapturedPage) -> Iterator[Widget]:
    return (widget for widget in page.values.widgets if widget.place is not None and not isinstance(widget, Button))


def _name_of(widget: Widget, field: Field) -> str:
    """The label of a control; of one of several options its text and the label."""
    if field.control == "checkbox":
        return field.statement or field.label
    if field.control in ("radio", "checkbox_group"):
        return f"{widget.control.value} | {field.label}"
    return field.label
