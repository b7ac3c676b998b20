"""Blocks that are drawn: rules, shapes, charts, logos, signatures, pictures.

To add one, add a function and its row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from ..scene.elements import Run, Shape
from .document_words import Writer
from .fitting import plain, set_text, shape_part
from .placed_parts import Draw, Part, PlacedParts, Theme, at, beside, grouped, line_at, shape_at
from .schema import Node, content

_RULES = ("whole", "whole", "short", "double", "diamond", "thick")
"""Kinds of rules, the usual one twice."""
_SHAPES: tuple[Shape, ...] = ("triangle", "diamond", "star", "ellipse", "hexagon", "chevron", "arrow")
_SHAPE_NAMES = TypeAdapter(tuple[Shape, ...])
_BADGES: tuple[Shape, ...] = ("star", "ellipse", "hexagon", "ellipse")
_MIN_PICTURE = 10
"""The largest height that a picture requires, in units; it grows where there is room."""


def _divider(node: Node, writer: Writer) -> Draw:
    """A rule, whole, short, double, or with a diamond in its middle."""
    kind = writer.one(node.looks or _RULES)
    role = writer.one(("accent", "main", "second"))

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        thickness = {"thick": 4, "short": 3, "double": 1}.get(kind, 2)
        wide = min(width, theme.px(6)) if kind == "short" else width
        box = (int(theme.indent(width - wide)), 2 + thickness // 2, wide, 1)
        line = line_at("{} divider", box, theme.fill(role), thickness)
        if kind == "double":
            return PlacedParts((line, line.at(0, 5)), 9)
        if kind == "diamond":
            side = theme.px(0.8)
            box = ((width - side) // 2, 0, side, side)
            gem = shape_at("diamond on the {} divider", box, "diamond", fill=theme.fill(role))
            return PlacedParts((line.at(0, side // 2 - 3), gem), side)
        return PlacedParts((line,), thickness + 4)

    return draw


def _shapes(node: Node, writer: Writer) -> Draw:
    """A row of small shapes of one kind in several colours, each turned a little."""
    shape = writer.one(_SHAPE_NAMES.validate_python(node.looks) or _SHAPES)
    angle = 180 if shape == "triangle" else int(writer.rng.choice((0, 0, 12, 20)))
    opacity = float(writer.rng.choice((1, 1, 0.6)))
    count = writer.count(node)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        side = min(theme.px(1.5), width // (2 * count))
        step = min((width - side) / max(count - 1, 1), side * 2.6)
        left = theme.indent(width - side - step * (count - 1))
        fills = [theme.fill(role) for role in ("accent", "second", "main")]
        parts = (
            shape_at(
                f"{{}} small {shape}", (round(left + i * step), 0, side, side), shape, angle, opacity, fill=fills[i % 3]
            )
            for i in range(count)
        )
        return PlacedParts(grouped(parts, f"row of small {shape}s", theme), side)

    return draw


def _bars(node: Node, writer: Writer) -> Draw:
    """A bar chart: labels, bars and values."""
    shares = [int(share) for share in writer.rng.integers(25, 100, size=writer.count(node))]
    labels = [item.name for item in writer.words.items(len(shares))]
    count = len(labels)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        theme = replace(theme, align="left")
        step = min(theme.px(3), max(theme.px(2), room // count))
        left, value, high, gap = round(width * 0.34), theme.px(3.4), theme.px(1.1), theme.px(0.3)
        parts: list[Part] = []
        for i, (label, share) in enumerate(zip(labels, shares, strict=False)):
            text = set_text("label of the {} bar", label, "caption", theme, left - theme.px(0.5), 1, colour=theme.ink)
            wide = max(4, round((width - left - value) * (share / 100)))
            bar = shape_at("{} bar", (left, 0, wide, high), fill=theme.fill("main" if i % 2 else "accent"))
            number = set_text(
                "value of the {} bar", f"{share}%", "caption", theme, value - gap, 1, bold=True, colour=theme.ink
            )
            row = (
                text.at(0, (high - text.box[3]) // 2),
                bar,
                number.at(left + wide + gap, (high - number.box[3]) // 2),
            )
            parts += at(row, 0, i * step + theme.px(0.2))
        return PlacedParts(grouped(parts, "bar chart", theme), step * count)

    return draw


def _barcode(node: Node, writer: Writer) -> Draw:
    """Bars of several widths above a number."""
    code, widths = writer.words.code(), [int(width) for width in writer.rng.integers(1, 4, size=6)]

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        total = min(width, theme.px(9))
        step, high = total / (2 * sum(widths)), theme.px(2.4)
        left = float(int(theme.indent(width - total)))
        parts: list[Part] = []
        for bar in widths:
            box = (round(left), 0, max(2, round(bar * step)), high)
            parts.append(shape_at("{} bar of the code", box, fill=theme.ink))
            left += 2 * bar * step
        number = set_text("number under the bars", code, "small", theme, width, 1)
        return PlacedParts((*grouped(parts, "bar code", theme), number.at(0, high + 2)), high + number.box[3] + 2)

    return draw


def _logo(node: Node, writer: Writer) -> Draw:
    """Initials in a shape beside a name."""
    host = writer.words.host
    initials = "".join(word[0] for word in host.split() if word[0].isupper())[:2] or host[:1].upper()
    shapes: tuple[Shape, ...] = ("ellipse", "hexagon", "rectangle", "diamond")
    shape = writer.one(shapes)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        side, gap = theme.px(3), theme.px(0.7)
        mark = shape_part(
            "logo", shape, (side, side), theme.fill("accent"), theme, plain(initials), radius=theme.radius
        )
        name = set_text("name beside the logo", host, "heading", theme, width - side - gap, 2, align="left")
        placed = beside(mark, PlacedParts((name,), name.box[3]), gap)
        return PlacedParts(grouped(placed.parts, "logo with its name", theme), placed.height)

    return draw


def _signature(node: Node, writer: Writer) -> Draw:
    """A signature on a rule, above the name and the role of a person."""
    person = writer.words.person()

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        wide = min(width, theme.px(15))
        signed = set_text("signature", person.name, "script", theme, wide, 1, face="Dancing Script", colour=theme.ink)
        below = signed.box[3]
        rule = line_at("rule under the signature", (0, below, wide, 1), theme.rule)
        caption = set_text("text under the signature", person.with_role, "caption", theme, wide, 1).at(0, below + 4)
        parts = at((signed, rule, caption), int(theme.indent(width - wide)), 0)
        return PlacedParts(parts, below + 4 + caption.box[3])

    return draw


def _perforation(node: Node, writer: Writer) -> Draw:
    """A thin line between two notches, as on a coupon; upright where it is narrow."""

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        side, is_upright = theme.px(1.1), width < theme.px(4)
        long = max(room, theme.px(6)) if is_upright else width
        middle = (width - side) // 2 if is_upright else 0
        ends = ((middle, 0), (middle, long - side)) if is_upright else ((0, 0), (long - side, 0))
        thin = max(1, long - 2 * side)
        box = (middle + side // 2, side, 1, thin) if is_upright else (side, side // 2, thin, 1)
        notch: dict[str, Any] = {"fill": theme.fill("soft"), "stroke": theme.rule, "stroke_width": 1}
        notches = (shape_at("{} notch", (x, y, side, side), "ellipse", **notch) for x, y in ends)
        return PlacedParts((line_at("tear line", box, theme.rule, 2), *notches), long if is_upright else side)

    return draw


@dataclass(frozen=True, slots=True)
class _Badge:
    """A turned shape with a word or two on it."""

    text: str
    small: str
    shape: Shape
    angle: int
    role: str

    def part(self, side: int, theme: Theme) -> Part:
        """The badge at a size in pixels."""
        size = max(8, round(side * 0.24))
        runs: tuple[Run, ...] = plain(self.text)
        if self.small:
            runs = (Run(text=self.text + "\n"), Run(text=self.small, size=max(8, round(size * 0.6)), bold=False))
        fill = theme.fill(self.role)
        part = shape_part("badge", self.shape, (side, side), fill, theme, runs, size=size, line_height=1.1)
        return replace(part, angle=self.angle)


def _badge(writer: Writer) -> _Badge:
    words = writer.words
    text, small = (words.phrase("badge"), "") if writer.chance(0.6) else (words.price(), words.phrase("badge small"))
    angle = int(writer.rng.choice((8, 12, 15, 345, 350, 352)))
    return _Badge(text, small, writer.one(_BADGES), angle, writer.one(("accent", "second", "accent")))


def _stamp(node: Node, writer: Writer) -> Draw:
    """A badge alone."""
    badge = _badge(writer)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        side = min(width, theme.px(6.5))
        return PlacedParts((badge.part(side, theme).at(int(theme.indent(width - side)), 0),), side)

    return draw


def _picture(node: Node, writer: Writer) -> Draw:
    """A picture, higher where there is room, perhaps with caption, badge and frame."""
    name, asset = _named_picture(node.what, writer)
    caption = writer.words.phrase("caption") if "caption" in node.looks else ""
    badge = _badge(writer) if writer.chance(0.4 if "badge" in node.looks else 0.0) else None
    low, high = content().picture_ratios[node.name]
    is_framed = writer.chance(0.12)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        gap = theme.px(0.25)
        under: tuple[Part, ...] = ()
        if caption:
            under = (set_text(f"caption of the {name}", caption, "caption", theme, width, 2, italic=True),)
        below = sum(part.box[3] + gap for part in under)
        natural = min(width * low, theme.px(_MIN_PICTURE))
        tall = max(theme.px(4), round(min(max(natural, room - below), width * high)))
        edge = theme.px(0.3) if is_framed else 0
        parts: list[Part] = []
        if is_framed:
            parts.append(shape_at(f"frame of the {name}", (0, 0, width, tall), fill=theme.fill("main")))
        parts.append(Part("image", name, (edge, edge, width - 2 * edge, tall - 2 * edge), asset=asset))
        if badge:
            side, off = min(theme.px(6), round(tall * 0.6), round(width * 0.35)), theme.px(0.6)
            parts.append(badge.part(side, theme).at(width - side - off, tall - side - off))
        return PlacedParts((*parts, *at(under, 0, tall + gap)), tall + below)

    return draw


def _named_picture(what: str, writer: Writer) -> tuple[str, str]:
    """The name and asset of a picture; ``what``: a scene, ``"icon"``, or "" for any."""
    words = writer.words
    if what == "icon":
        icon = words.items(1)[0].icon
        return f"large icon of the {icon}", f"icon/{icon}"
    scene = writer.one((what,) if what else content().scenes[words.subject.sort])
    return writer.one(content().scene_names[scene]), words.scene(scene)


DRAWINGS: dict[str, tuple[Callable[[Node, Writer], Draw], float]] = {
    "divider": (_divider, 0),
    "shapes": (_shapes, 0),
    "bars": (_bars, 0.8),
    "barcode": (_barcode, 0),
    "logo": (_logo, 0),
    "signature": (_signature, 0),
    "perforation": (_perforation, 0.1),
    "stamp": (_stamp, 0),
    "picture": (_picture, 3.0),
}
"""The drawing of each block, and its share of spare height."""
