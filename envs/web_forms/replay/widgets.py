"""Widgets: the state of each control, and its look."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...core.boxes import Rect, intersection
from ...core.painting import Image, Patch
from .capture import Box, Control, ControlPlace, ListOption, Pictures
from .fonts import snapped
from .lines import Even, draw_line


def inside(box: Box, x: float, y: float) -> bool:
    """Whether a point of the page is in a box."""
    return box[0] <= x < box[2] and box[1] <= y < box[3]


@dataclass(slots=True, eq=False)
class Widget:
    """A control in an episode.

    Attributes:
        control: its definition.
        pictures: of its capture.
        layout: the number of the layout in the capture.
        place: its place in the layout; ``None`` if it is hidden.
        hovered: whether the pointer is over it.
        focused: whether it has the focus.
        by_key: whether it got the focus otherwise than by the mouse.
        held: the attributes that are its value, by class.
    """

    held: ClassVar[tuple[str, ...]] = ()
    control: Control
    pictures: Pictures
    layout: int = -1
    place: ControlPlace | None = None
    hovered: bool = False
    focused: bool = False
    by_key: bool = False

    @property
    def spot(self) -> ControlPlace:
        """The place of a visible control."""
        assert self.place is not None
        return self.place

    def holds(self, x: float, y: float) -> bool:
        """Whether a point of the page is on it, without its round corners."""
        left, top, right, bottom = self.spot.box
        if not inside(self.spot.box, x, y):
            return False
        radius = min(self.spot.radius, (right - left) / 2, (bottom - top) / 2)
        # Chromium checks whether any part of the pixel is on it.
        dx = max(left + radius - x - 1, x - right + radius, 0)
        dy = max(top + radius - y - 1, y - bottom + radius, 0)
        return dx * dx + dy * dy <= radius * radius

    def reset(self) -> None:
        """Restore the first value."""

    def copy_from(self, other: Widget) -> None:
        """Copy the value of another widget of the same control."""
        for name in self.held:
            setattr(self, name, copy.copy(getattr(other, name)))

    def dump(self) -> Any:
        """Its value as JSON."""

    def flags(self) -> str:
        """The state that determines its look, in the order of ``Control.looks``."""
        return self._state() + ("h" if self.hovered else "") + self._focus()

    def layers(self, page: Image) -> Iterator[Patch | TextLayer]:
        """The layers over the page's picture: a look that differs from it, and text."""
        look = self._look()
        if look is not None:
            yield look
        ink = self._ink_rect()
        if ink is not None:
            yield TextLayer(self, ink, self._even_part(page, look))

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text; ``even``: where there is only one colour."""

    def _look(self) -> Patch | None:
        known, key = self.pictures.patches, (self.layout, self.control.id, self.flags())
        if key not in known:
            look = self.pictures.capture.looks[self.spot.looks].get(key[2])
            left, top = math.floor(self.spot.box[0]), math.floor(self.spot.box[1])
            known[key] = look and Patch(self.pictures.small[look[0]], left + look[1], top + look[2])
        return known[key]

    def _state(self) -> str:
        return ""

    def _focus(self) -> str:
        return ("F" if self.by_key else "f") if self.focused else ""

    def _ink_rect(self) -> Rect | None:
        """The area in which text may be drawn; ``None`` if there is none."""
        return None

    def _even_part(self, page: Image, look: Patch | None) -> Even | None:
        """The area of text if it has only one colour."""
        known, key = self.pictures.even, (self.layout, self.control.id, self.flags())
        if key not in known:
            known[key] = None
            room = whole_pixels(self.spot.content, self.spot.padding)
            if part := intersection(room, (0, 0, page.shape[1], page.shape[0])):
                ground = page[part[1] : part[3], part[0] : part[2]].copy()
                if look is not None:
                    look.draw(ground, part)
                if (ground == ground[0, 0]).all():
                    red, green, blue = ground[0, 0].tolist()
                    known[key] = part, (red, green, blue)
        return known[key]


@dataclass(slots=True, eq=False)
class TextLayer:
    """The text of a control as a layer.

    Attributes:
        widget: the control.
        rect: where text may be.
        even: where it is on only one colour, in pixels of the page.
        scroll: how many pixels of the page are above the origin of ``rect``.
    """

    widget: Widget
    rect: Rect
    even: Even | None
    scroll: int = 0

    def moved(self, scroll: int) -> TextLayer:
        """The same layer on the scrolled page."""
        left, top, right, bottom = self.rect
        return TextLayer(self.widget, (left, top - scroll, right, bottom - scroll), self.even, scroll)

    @property
    def opaque_rect(self) -> None:
        """None: the background is visible between letters."""

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw what lies inside ``clip`` on ``target``, the pixels of ``clip``."""
        if part := intersection(self.rect, clip):
            left, top, right, bottom = part
            origin = clip[0], clip[1] + self.scroll
            self.widget.draw_ink(target, origin, (left, top + self.scroll, right, bottom + self.scroll), self.even)


@dataclass(slots=True, eq=False)
class Button(Widget):
    """A button."""


@dataclass(slots=True, eq=False)
class Tick(Widget):
    """A checkbox or a radio button. ``checked``: whether it is ticked."""

    held: ClassVar[tuple[str, ...]] = ("checked",)
    checked: bool = False

    def reset(self) -> None:
        """Restore the first value."""
        self.checked = False

    def dump(self) -> Any:
        """Its value as JSON."""
        return self.checked

    def _state(self) -> str:
        return "c" if self.checked else ""


@dataclass(slots=True, eq=False)
class ListBox(Widget):
    """A box that opens a list.

    Attributes:
        options: what there is to choose.
        chosen: which of them are chosen.
    """

    held: ClassVar[tuple[str, ...]] = ("options", "chosen")
    options: tuple[ListOption, ...] = ()
    chosen: list[bool] = field(default_factory=list)

    def offer(self, options: tuple[ListOption, ...]) -> None:
        """Offer other options, and choose those that are chosen at first."""
        self.options = options
        self.chosen = [option.selected for option in options]

    def reset(self) -> None:
        """Restore the first value."""
        self.offer(self.control.options)

    def dump(self) -> Any:
        """Its value as JSON."""
        return self.values

    @property
    def values(self) -> list[str]:
        """The values of the chosen options."""
        return [option.value for option, chosen in zip(self.options, self.chosen, strict=True) if chosen]

    @property
    def text(self) -> str:
        """Its visible text."""
        chosen_text = ", ".join(option.text for option, chosen in zip(self.options, self.chosen, strict=True) if chosen)
        return chosen_text or (self.control.empty_text if self.control.file or self.control.several else "")

    def _ink_rect(self) -> Rect | None:
        return whole_pixels(self.spot.content, self.spot.padding) if self.text else None

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text."""
        face = self.pictures.face(self.control.face or 0)
        y = math.floor(self.spot.box[1]) + self.spot.baseline
        draw_line(target, origin, face.line(self.text, self.spot.content[0]), y, self.control.ink, clip, even)


def whole_pixels(box: Box, rows: Box | None = None) -> Rect:
    """The whole pixels of a box; ``rows``: another one that gives top and bottom."""
    return snapped(box[0]), snapped((rows or box)[1]), snapped(box[2]), snapped((rows or box)[3])
