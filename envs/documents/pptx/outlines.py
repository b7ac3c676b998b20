"""Read the geometry of shapes: presets with their adjustments, and paths of their own.

See ECMA-376-1, 20.1.9.
"""

from __future__ import annotations

import math

from ..painting.geometry import Outline, Pen, Point, path_of, preset_outline, presets
from .transforms import mirrored
from .xml import WHOLE, Node, children, find, kind_of, number, tag

PLAIN = {"rect": "rectangle", "roundRect": "rectangle", "ellipse": "ellipse", "diamond": "diamond"}
"""Our names of the presets that we draw without a path."""
_NEAREST = (
    ("star", ("star", "irregular", "sun")),
    ("chevron", ("chevron", "homePlate")),
    ("arrow", ("Arrow", "arrow")),
    ("triangle", ("riangle", "Extract", "Merge")),
    ("hexagon", ("agon", "Preparation")),
    ("diamond", ("Decision",)),
    ("ellipse", ("llipse", "cloud", "donut", "pie", "chord", "smiley", "blockArc", "noSmoking", "flowChartConnector")),
)
"""Our shapes by parts of the names of the presets that are most like them; others are rectangles."""
_HEAD = {"sm": 2, "med": 3, "lg": 5}
"""The sizes of arrowheads, in widths of their line."""
_MIN_HEAD = 4
_COMMANDS = {"moveTo": "M", "lnTo": "L", "cubicBezTo": "C", "quadBezTo": "Q", "close": "Z"}
_N_POINTS = {"moveTo": 1, "lnTo": 1, "cubicBezTo": 3, "quadBezTo": 2, "close": 0}
_MAX_PARTS, _MAX_POINTS = 200, 2_000
"""The most parts of a path, and points of a part, that are read."""
_TURN = 60_000
"""Parts of a degree that angles are written in."""
LINES = ("line", "straightConnector1", "bentConnector", "curvedConnector")
"""How the names of presets begin that are lines."""


def preset_name(shape: Node) -> str:
    """The name of the preset geometry of a shape; ``""``: it has a path of its own."""
    geometry = find(shape, "p:spPr/a:prstGeom")
    if geometry is not None:
        return str(geometry.get("prst", "rect"))
    return "rect" if find(shape, "p:spPr/a:custGeom") is None else ""


def shape_of(name: str) -> str:
    """The most similar of our shapes to a preset."""
    known = PLAIN.get(name)
    return known or next((shape for shape, words in _NEAREST if any(word in name for word in words)), "rectangle")


def outline_path(shape: Node, transform: Node, size: tuple[float, float]) -> str:
    """The path of the outline of a shape in a box of a size in pixels; ``""``: it is a rectangle, or unknown."""
    name = preset_name(shape)
    if name == "rect" or (name and name not in presets()):
        return ""
    outline = preset_outline(name, *size, _adjusted(shape)) if name else _own_outline(shape, size)
    return path_of(_mirrored(outline, transform, size), *size)


def line_path(shape: Node, transform: Node, size: tuple[float, float], thick: float) -> str:
    """The path of a line with bends or arrowheads in a box of a size in pixels; ``""``: it is straight and has none.

    Args:
        shape: a connector, or another line.
        transform: its ``xfrm``.
        size: of its box.
        thick: its width in pixels.
    """
    name = preset_name(shape)
    bent = name if name in presets() else ""
    outline: Outline = preset_outline(bent, *size, _adjusted(shape)) if bent else [([(0.0, 0.0), size], False)]
    outline = _mirrored(outline, transform, size)
    points = outline[0][0]
    heads = [
        _head(end, points[at], points[near], thick)
        for end, at, near in (
            (find(shape, "p:spPr/a:ln/a:headEnd"), 0, 1),
            (find(shape, "p:spPr/a:ln/a:tailEnd"), -1, -2),
        )
        if end is not None and end.get("type", "none") != "none" and len(points) > 1
    ]
    return path_of([*outline, *((head, True) for head in heads)], *size) if bent or heads else ""


def _head(end: Node, at: Point, near: Point, thick: float) -> list[Point]:
    """The triangle of an arrowhead that points from ``near`` to ``at``."""
    long, wide = (max(_HEAD.get(end.get(key, "med"), 3) * thick, _MIN_HEAD) for key in ("len", "w"))
    turn = math.atan2(at[1] - near[1], at[0] - near[0])
    x, y = at[0] - long * math.cos(turn), at[1] - long * math.sin(turn)
    right, down = -math.sin(turn) * wide / 2, math.cos(turn) * wide / 2
    return [at, (x + right, y + down), (x - right, y - down)]


def _adjusted(shape: Node) -> tuple[tuple[str, float], ...]:
    """The adjustments of a preset by letters, in the order of their numbers."""
    guides = [] if (known := find(shape, "p:spPr/a:prstGeom/a:avLst")) is None else children(known)
    found = []
    for guide in guides:
        words, at = guide.get("fmla", "").split(), guide.get("name", "").removeprefix("adj")
        if len(words) == 2 and (at == "" or at.isdecimal()):
            found.append(("abcdefgh"[min(int(at or 1), 8) - 1], number({"v": words[1]}, "v") / WHOLE))
    return tuple(found)


def _mirrored(outline: Outline, transform: Node, size: tuple[float, float]) -> Outline:
    across, upright = mirrored(transform)
    if not across and not upright:
        return outline
    return [
        ([(size[0] - x if across else x, size[1] - y if upright else y) for x, y in points], is_closed)
        for points, is_closed in outline
    ]


def _own_outline(shape: Node, size: tuple[float, float]) -> Outline:
    """The outline of a ``custGeom``; parts with a fill are closed."""
    geometry = find(shape, "p:spPr/a:custGeom")
    outline: Outline = []
    for path in geometry.iter(tag("a:path")):
        wide, high = number(path, "w"), number(path, "h")
        pen, stretch = Pen(), (size[0] / wide if wide else 1.0, size[1] / high if high else 1.0)
        for node in children(path):
            _draw(pen, node)
        is_filled = path.get("fill", "norm") != "none"
        for points, is_closed in pen.outline[:_MAX_PARTS]:
            stretched = [(x * stretch[0], y * stretch[1]) for x, y in points[:_MAX_POINTS]]
            outline.append((stretched, is_closed or is_filled))
    return outline


def _draw(pen: Pen, node: Node) -> None:
    """Carry out a command of a path; guides in it, which programs hardly write, count as 0."""
    kind = kind_of(node)
    if kind == "arcTo":
        across, down, start, sweep = (number(node, key) for key in ("wR", "hR", "stAng", "swAng"))
        pen.run("A", (across, down, start / _TURN, sweep / _TURN))
    elif kind in _COMMANDS:
        points = [(number(point, "x"), number(point, "y")) for point in children(node)]
        if len(points) == _N_POINTS[kind]:
            pen.run(_COMMANDS[kind], [value for point in points for value in point])
