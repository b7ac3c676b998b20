"""Constraints of pages: their number and order, backgrounds and notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import pydantic

from ..painting.pictures import is_picture
from ..scene.document import Page
from .base_constraint import BaseConstraint, Number, Values
from .comparison import Comparison, is_value
from .text_rule import TextRule


class Pages(BaseConstraint):
    """The number of pages, or their order: their numbers before the edit, ``"new"`` for a new one."""

    check: Literal["pages", "page_order"]
    number: Number | None = pydantic.Field(None, alias="is")
    pages: tuple[Number | Literal["new"], ...] | None = None

    @pydantic.model_validator(mode="after")
    def _consistent(self) -> Pages:
        if (self.number is None) == (self.pages is None):
            raise ValueError('it needs "is", the number of pages, or "pages", their order')
        return self

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        pages = self.actual(edit)
        return self.number in (None, len(pages)) and (self.pages is None or pages == list(self.pages))

    def actual(self, edit: Comparison) -> Any:
        """The pages that there are, by their numbers before."""
        return ["new" if page is None else page + 1 for page in edit.pages]

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ("pages",)


class _OfPage(BaseConstraint):
    """What a page must have; its number is that after the edit."""

    page: Number

    @property
    def about(self) -> str:
        """The page that it is about."""
        return f"page {self.page}"

    def _page(self, edit: Comparison) -> Page | None:
        return edit.after.pages[self.page - 1] if self.page <= len(edit.after.pages) else None


class Background(_OfPage):
    """The colour of a page, or the picture that fills it."""

    check: Literal["background"]
    any_of: Values

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        page = self._page(edit)
        if page is None or page.backdrop is not None:
            return page is not None and page.backdrop in self.any_of
        return any(is_value("fill", page.background, one) for one in self.any_of if not is_picture(str(one)))

    def actual(self, edit: Comparison) -> Any:
        """The colour or picture that there is."""
        page = self._page(edit)
        return page and (page.backdrop or page.background)

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ("background", "backdrop")


class Notes(TextRule, _OfPage):
    """The speaker's notes of a page."""

    check: Literal["notes"]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        was = edit.pages[self.page - 1] if self._page(edit) else None
        return self.accepts(self.actual(edit), None if was is None else edit.before.pages[was].notes)

    def actual(self, edit: Comparison) -> Any:
        """The notes that there are; ``None`` without the page."""
        page = self._page(edit)
        return None if page is None else page.notes

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ("notes",)
