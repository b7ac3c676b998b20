"""Widgets: the state of each control, and its look."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...core.boxes import Rect, intersection
from ...core.painting import Image, Layer, Patch
from .capture import Box, Control, ControlPlace, ListOption, Pictures
from .fonts import snapped
from .lines import Even, ink_layers


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
    _inked: tuple[Hashable, tuple[Layer, ...]] = None, ()

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

    def layers(self, page: Image) -> Sequence[Layer]:
        """The layers over the page's picture: a look that differs from it, and text."""
        key, text = (self.layout, self.control.id, self.flags()), self._text()
        look = self._look(key)
        even = self._even_part(page, look, key) if text else None
        if (inked := (self.layout, text, even)) != self._inked[0]:
            self._inked = inked, tuple(self.text_layers(even)) if text else ()
        return self._inked[1] if look is None else (look, *self._inked[1])

    def text_layers(self, even: Even | None) -> Iterator[Layer]:
        """The layers of its text; ``even``: where there is only one colour under it."""
        return iter(())

    def _text(self) -> Hashable:
        """What its text and the place of it follow from; what is false where it has none."""
        return None

    def _look(self, key: tuple[int, int, str]) -> Patch | None:
        known = self.pictures.patches
        if key not in known:
            look = self.pictures.capture.looks[self.spot.looks].get(key[2])
            left, top = math.floor(self.spot.box[0]), math.floor(self.spot.box[1])
            known[key] = look and Patch(self.pictures.small[look[0]], left + look[1], top + look[2])
        return known[key]

    def _state(self) -> str:
        return ""

    def _focus(self) -> str:
        return ("F" if self.by_key else "f") if self.focused else ""

    def _even_part(self, page: Image, look: Patch | None, key: tuple[int, int, str]) -> Even | None:
        """The area of text if it has only one colour."""
        known = self.pictures.even
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

    def _text(self) -> Hashable:
        return self.text

    def text_layers(self, even: Even | None) -> Iterator[Layer]:
        """The layers of its text."""
        face, text = self.pictures.face, self.text
        y = math.floor(self.spot.box[1]) + self.spot.baseline
        clip = whole_pixels(self.spot.content, self.spot.padding)
        yield from ink_layers(face.line(text, self.spot.content[0]), y, self.pictures.capture.parts.ink, clip, even)


def whole_pixels(box: Box, rows: Box | None = None) -> Rect:
    """The whole pixels of a box; ``rows``: another one that gives top and bottom."""
    return snapped(box[0]), snapped((rows or box)[1]), snapped(box[2]), snapped((rows or box)[3])
