"""Outlines of shapes: paths in thousandths of a box, and PowerPoint's preset shapes by formulas.

A path is SVG data of straight lines, such as ``"M0 0 1000 0 500 1000Z"``; parts that end in Z are filled, by the
even-odd rule. The presets are those of ECMA-376-1, annex D, in expressions of our own.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load

Point = tuple[float, float]
Outline = list[tuple[list[Point], bool]]
"""The parts of a path: their points, and whether each is closed."""
UNIT = 1000
_STEP = 10
"""The degrees of an arc that are drawn as one line."""
_CURVE = 8
"""The lines that a Bézier curve is drawn as."""
_PARTS = re.compile(r"M([^MZ]*)(Z?)")


@lru_cache(maxsize=256)
def outline_of(path: str) -> Outline:
    """The parts of a path, in shares of its box."""
    found = []
    for numbers, end in _PARTS.findall(path):
        values = [int(number) / UNIT for number in numbers.split()]
        found.append((list(zip(values[::2], values[1::2], strict=False)), bool(end)))
    return found


def path_of(outline: Outline, width: float, height: float) -> str:
    """The path of an outline in a box of a size, without points that are repeated."""
    parts = []
    for points, is_closed in outline:
        steps = [f"{round(UNIT * x / (width or 1))} {round(UNIT * y / (height or 1))}" for x, y in points]
        kept = [step for i, step in enumerate(steps) if not i or step != steps[i - 1]]
        parts.append(f"M{' '.join(kept)}{'Z' if is_closed else ''}")
    return "".join(parts)


class Pen:
    """Draws an outline from commands, curves as straight lines."""

    def __init__(self) -> None:
        self.outline: Outline = []

    def run(self, command: str, values: Sequence[float]) -> None:
        """Carry out a command.

        Args:
            command: M, L, Q, C and Z as in SVG; A: an arc with the radii, start and sweep of an ellipse, in degrees
                clockwise.
            values: its arguments.
        """
        if command == "M":
            self.outline.append(([(values[0], values[1])], False))
        elif self.outline and command == "Z":
            self.outline[-1] = self.outline[-1][0], True
        elif self.outline:
            self.outline[-1][0].extend(_DRAWN[command](self.outline[-1][0][-1], values))


def _arc(start: Point, values: Sequence[float]) -> list[Point]:
    across, down, angle, sweep = values
    x, y = start[0] - across * _cos(angle), start[1] - down * _sin(angle)
    n = max(1, math.ceil(abs(sweep) / _STEP))
    turns = (angle + sweep * k / n for k in range(1, n + 1))
    return [(x + across * _cos(turn), y + down * _sin(turn)) for turn in turns]


def _curve(start: Point, values: Sequence[float]) -> list[Point]:
    """A Bézier curve of any degree."""
    ends = [start, *zip(values[::2], values[1::2], strict=True)]
    n = len(ends) - 1
    weights = [
        [math.comb(n, i) * (k / _CURVE) ** i * (1 - k / _CURVE) ** (n - i) for i in range(n + 1)]
        for k in range(1, _CURVE + 1)
    ]
    return [(_dot(row, [x for x, _ in ends]), _dot(row, [y for _, y in ends])) for row in weights]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


_DRAWN: dict[str, Callable[[Point, Sequence[float]], list[Point]]] = {
    "L": lambda start, values: [(values[0], values[1])],
    "Q": _curve,
    "C": _curve,
    "A": _arc,
}


class PresetShapes(RootModel[dict[str, str]]):
    """Preset shapes by name: adjustments and their usual values, measures, and commands, separated by ``|``."""


@lru_cache(maxsize=1)
def presets() -> dict[str, str]:
    """All preset shapes.

    Raises:
        ValueError: if the file is broken.
    """
    return load(PresetShapes, ROOT / "document_pictures" / "preset_shapes.json").root


@lru_cache(maxsize=512)
def preset_outline(name: str, width: float, height: float, adjusted: tuple[tuple[str, float], ...] = ()) -> Outline:
    """The outline of a preset shape in a box of a size.

    Args:
        name: one of ``presets()``.
        width: of the box.
        height: of the box.
        adjusted: adjustments by name, ``"a"`` being the first, where they are not as usual; 1 is 100,000.
    """
    usual, measures, commands = presets()[name].split("|")
    known: dict[str, float] = {"w": width, "h": height, "s": min(width, height)}
    known |= {key: _value(text, known) for key, text in _pairs(usual)} | dict(adjusted)
    for key, text in _pairs(measures):
        known[key] = _value(text, known)
    pen = Pen()
    for command in commands.split():
        values = [_value(text, known) for text in command[1:].split(",") if text]
        if command[0] == "S":
            pen.outline.append((_star(width, height, *values), True))
        else:
            pen.run(command[0], values)
    return pen.outline


def _star(width: float, height: float, n: float, inner: float) -> list[Point]:
    turns = [(180 * k / n - 90, inner if k % 2 else 1.0) for k in range(2 * round(n))]
    return [(width / 2 * (1 + far * _cos(turn)), height / 2 * (1 + far * _sin(turn))) for turn, far in turns]


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(key, value) for key, _, value in (word.partition("=") for word in text.split())]


def _sin(degrees: float) -> float:
    return math.sin(math.radians(degrees))


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))


_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod, ast.USub: operator.neg,
    ast.Gt: operator.gt, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Div: lambda a, b: a / (b or 1),
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min, "max": max, "abs": abs, "sin": _sin, "cos": _cos, "atan2": lambda y, x: math.degrees(math.atan2(y, x)),
}  # fmt: skip


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Any:
    return ast.parse(text, mode="eval").body


def _value(text: str, known: Mapping[str, float]) -> float:
    return _computed(_parsed(text), known)


def _computed(node: Any, known: Mapping[str, float]) -> float:
    """The value of an expression of numbers, names, operators, choices and a few functions."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=op, operand=inside):
            return _OPERATORS[type(op)](_computed(inside, known))
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return float(_OPERATORS[type(op)](_computed(left, known), _computed(right, known)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _computed(body if _computed(test, known) else orelse, known)
        case ast.Call(func=ast.Name(id=name), args=inside):
            return _FUNCTIONS[name](*(_computed(one, known) for one in inside))
    raise ValueError(f"no expression for a shape: {ast.unparse(node)}")
