"""The task of a paper form, and its state in one episode: the marks on the page and the score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ..core.boxes import Box, Rect, RowBands, centre, contains, expand
from ..core.env import FieldBox, State
from ..core.painting import Image, Layer, LayeredPage, LayerStack, Patch, Sprite, Stamp, flattened
from ..core.scoring import FieldResult, Gold, Score, ratio
from ..core.text_sprites import SIGNED_FACE, TYPED_FACE, advance, even_size, font, spread_sprite, sprite
from ..core.texts import TextExtents
from ..core.tools import Call
from .legibility import is_in_blank, is_over_print, tick_box
from .marks import Mark as Mark
from .writing import Piece, in_cells, pieces, reaches, tick_margin

_SIGNATURE_SCALE = 1.4
_EDGE = 1e-6
_MEASURED = ("Saturday morning", "$12,345.67")
"""Texts whose width is in the prompt."""


@dataclass(frozen=True)
class Target:
    """A field and its right answer.

    Attributes:
        name: unique in the task.
        label: the kind of information that belongs there.
        blank: where it is to be written, as printed, in pixels.
        gold: the answer; its value is ``None`` if the field must stay empty.
        comb: the number of cells of one character each; 0 for a plain field.
        max_length: the most characters that it takes; 0: any number.
        choices: the texts that it takes; none: any text.
        group: of boxes of which one is ticked; empty: it is in none.
        shared: what all fields have in common that show one value; empty: it stands alone.
        box: its reach: an answer counts if its centre lies in it, edges included. The ``PaperTask`` computes it.
    """

    name: str
    label: str
    blank: Box
    gold: Gold
    comb: int = 0
    max_length: int = 0
    choices: tuple[str, ...] = ()
    group: str = ""
    shared: str = ""
    box: Box = (0, 0, 0, 0)

    @property
    def ticked(self) -> bool:
        """Whether it is a box to be ticked."""
        return self.gold.matcher == "checkbox"

    @property
    def signed(self) -> bool:
        """Whether a signature or initials belong there rather than typed text."""
        return self.gold.matcher == "signature"


class Counts(NamedTuple):
    """Counts of fields and marks, of which the metrics are made.

    Attributes:
        correct: fields with an answer that are right.
        answered: fields with an answer.
        stray: marks outside of fields with an answer.
        filled: fields with an answer that have a mark.
        legible: those of them whose marks are all in their blank, and over neither print nor other marks.
    """

    correct: int
    answered: int
    stray: int
    filled: int
    legible: int


def metrics_of(counts: Counts) -> dict[str, float]:
    """The metrics of a form; see ``PaperFormState.metrics``."""
    correct, answered, stray, filled, legible = counts
    return {
        "field_accuracy": ratio(correct, answered),
        "strict_accuracy": ratio(correct, answered + stray),
        "placement_accuracy": ratio(filled, filled + stray),
        "legible": ratio(legible, filled),
        "correct_placements": float(filled),
        "incorrect_placements": float(stray),
    }


@dataclass(frozen=True)
class PaperTask:
    """What to do on one page.

    Attributes:
        task_id: unique in its environment.
        goal: what to do, in words.
        source: the facts, in words.
        text_size: the size in pixels of text written on this page.
        targets: the fields to fill in.
        face: the font family of text written on this page.
        angle: of lines on this page, in degrees counter-clockwise; text is turned with them.
        others: the other blanks of the page, in pixels, which limit the reach of the targets.
        erased: whether blanks are where erased words were, in another face and size, so that text need not fit.
        title: of the page.
        source_title: of the page to take facts from, if there is one.
    """

    task_id: str
    goal: str
    source: str
    text_size: int
    targets: tuple[Target, ...]
    face: str = TYPED_FACE
    angle: float = 0.0
    others: tuple[Box, ...] = ()
    erased: bool = False
    title: str = ""
    source_title: str = ""

    def __post_init__(self) -> None:
        blanks = [*(target.blank for target in self.targets), *self.others]
        ticked = [*(target.ticked for target in self.targets), *(False for _ in self.others)]
        boxes = reaches(blanks, ticked, self.text_size)
        targets = (replace(target, box=box) for target, box in zip(self.targets, boxes, strict=False))
        object.__setattr__(self, "targets", tuple(targets))

    def field_at(self, x: float, y: float) -> int | None:
        """The index of the target at a point in pixels, the nearest if several overlap."""
        (near,) = self._reaches.between(y, y)
        hits = [(i, at) for i, box, at in near if contains(box, x, y)]
        nearest = min(hits, key=lambda hit: (hit[1][0] - x) ** 2 + (hit[1][1] - y) ** 2) if len(hits) > 1 else None
        return (nearest or hits[0])[0] if hits else None

    @cached_property
    def answered(self) -> int:
        """The number of targets with an answer."""
        return sum(target.gold.value is not None for target in self.targets)

    @cached_property
    def correct_if_empty(self) -> tuple[bool, ...]:
        """Whether each target is right without an answer."""
        return tuple(target.gold.accepts("") for target in self.targets)

    @cached_property
    def places(self) -> tuple[FieldBox, ...]:
        """The blanks of the targets, as printed: locators are measured by these."""
        return tuple(FieldBox(t.label, t.blank, t.ticked) for t in self.targets)

    @cached_property
    def _reaches(self) -> RowBands[tuple[int, Box, tuple[float, float]]]:
        """The index, reach and middle of each target."""
        reaches: RowBands[tuple[int, Box, tuple[float, float]]] = RowBands()
        for index, target in enumerate(self.targets):
            # An edge converted to fractions of the page and back has a rounding error.
            box = expand(target.box, _EDGE)
            for band in reaches.between(box[1], box[3]):
                band.append((index, box, centre(target.blank)))
        return reaches


class PaperFormState(State):
    """A page with marks on it.

    Args:
        task: the fields to fill in and their answers.
        background: the page as it was printed: uint8 (height, width, 3).
        under: layers between the background and the marks.
        query: carries out an SQL query and returns its output as text; ``None`` where the task has no database.
        source_page: another page to take facts from.
        paper: height and width of the page, at the left top corner of the background; ``None``: all of it.
    """

    def __init__(
        self,
        task: PaperTask,
        background: Image,
        under: Sequence[Layer] = (),
        query: Callable[[str], str] | None = None,
        source_page: LayeredPage | None = None,
        paper: tuple[int, int] | None = None,
    ) -> None:
        self.task = task
        self.task_id, self.goal, self.source = task.task_id, task.goal, task.source
        self.background = background
        self.query = query
        self.source_page = source_page
        self.height, self.width = paper or super().paper
        self.marks: list[Mark] = []
        self._marks_in: dict[int | None, list[Mark]] = defaultdict(list)
        self.layers: LayerStack[Layer] = LayerStack(under)
        self._n_under = len(under)
        self._dirty: list[Rect] = []
        self._correct = list(task.correct_if_empty)
        self._n_correct = 0
        self._n_stray = self._n_filled = 0
        self._legible: set[int] = set()

    @property
    def places(self) -> tuple[FieldBox, ...]:  # type: ignore[override]
        """The boxes of all fields."""
        return self.task.places

    @property
    def paper(self) -> tuple[int, int]:
        """Height and width of the page in pixels, at the left top corner of the background."""
        return self.height, self.width

    def lettering(self, signed: bool) -> tuple[int, str]:
        """The size in pixels and the face of typed text on this page, or of signed."""
        size, face = self.task.text_size, self.task.face
        return (round(size * _SIGNATURE_SCALE), SIGNED_FACE) if signed else (even_size(size, face), face)

    def drawn(self, text: str, signed: bool) -> Sprite:
        """``text`` as it is written on this page, turned with its lines."""
        return sprite(text, *self.lettering(signed), self.task.angle)

    @property
    def text_extents(self) -> TextExtents:  # type: ignore[override]
        """How large typed text is."""
        size, face = self.lettering(signed=False)
        widths = {text: advance(text, size, face) / self.width for text in _MEASURED}
        return TextExtents(sum(font(face, size).getmetrics()) / self.height, widths)

    def write(self, x: float, y: float, text: str, *, signed: bool = False, at: int | None = None) -> Mark:
        """Write ``text`` centred at (x, y), as fractions of the page; on a comb, one character in each cell.

        The mark is on top of all others, or at index ``at`` among them.
        """
        across, down = x * self.width, y * self.height
        target = self.task.field_at(across, down)
        mark = Mark(text, x, y, signed, self._stamp(text, across, down, signed, target), target)
        mark.extend_to(round(across), round(down))
        mark.is_clear = self._is_clear(mark)
        place = len(self.marks) if at is None else at
        self.marks.insert(place, mark)
        self._marks_in[mark.target].append(mark)
        if place < len(self.marks) - 1:
            self._marks_in[mark.target].sort(key=self.marks.index)
        self.layers.insert(self._n_under + place, mark)
        mark.link(self.layers, self.task.text_size)
        self._dirty.append(mark.stamp.rect)
        self._count_placement(mark, +1)
        self._rescore(mark.target)
        self._read_again(mark)
        return mark

    def delete(self, x: float, y: float) -> list[Mark]:
        """Delete and return the marks whose line of text covers (x, y), in fractions."""
        hit = self.marks_at(round(x * self.width), round(y * self.height))
        for mark in hit:
            self.remove(mark)
        return hit

    def marks_at(self, column: int, row: int) -> list[Mark]:
        """The marks whose line of text covers a pixel, from the bottom of the pile to its top."""
        near = self.layers.reaching((column, row, column + 1, row + 1))
        return [mark for mark in near if isinstance(mark, Mark) and contains(mark.box, column, row)]

    def remove(self, mark: Mark) -> None:
        """Remove one mark from the page."""
        self.marks.remove(mark)
        self.layers.remove(mark)
        self._marks_in[mark.target].remove(mark)
        self._dirty.append(mark.stamp.rect)
        self._count_placement(mark, -1)
        self._rescore(mark.target)
        mark.unlink()
        self._read_again(mark)

    def entered(self, index: int) -> str:
        """The text in a target: the marks with their centres in it, in reading order.

        Single characters in the cells of a comb are one word.
        """
        marks = self._marks_in[index]
        texts = [mark.text for mark in (_reading_order(marks) if len(marks) > 1 else marks)]
        in_cells = self.task.targets[index].comb and all(len(text) == 1 for text in texts)
        return ("" if in_cells else " ").join(texts)

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        dirty, self._dirty = self._dirty, []
        return dirty

    @property
    def page(self) -> PaperFormState:
        """The page that is written on: itself."""
        return self

    @property
    def counts(self) -> Counts:
        """What the metrics are made of."""
        return Counts(self._n_correct, self.task.answered, self._n_stray, self._n_filled, len(self._legible))

    def metrics(self) -> dict[str, float]:
        """The metrics of the score.

        ``field_accuracy`` (FormGym): fields that are right among those that have an answer. ``strict_accuracy``: also
        each mark in no field, or in a field that must stay empty, counts as one more field that is wrong.
        ``correct_placements``: fields with an answer that have a mark, each once, however many marks are in it;
        ``incorrect_placements``: marks outside of such fields; ``placement_accuracy``: the former among both.
        ``legible``: fields with an answer and marks whose marks are all in their blank, over neither print nor other
        marks, among those that have marks.
        """
        return metrics_of(self.counts)

    def score(self) -> Score:
        """The score with the result of every field."""
        results = (
            FieldResult(t.name, t.label, t.gold.matcher, t.gold.value, self.entered(i), self._correct[i])
            for i, t in enumerate(self.task.targets)
        )
        return Score(self.metrics(), tuple(results))

    def solution(self) -> list[Call]:
        """Calls that delete every wrong mark, write every missing answer, and terminate."""
        draft = self.copy()
        calls: list[Call] = []
        while wrong := draft._first_wrong_mark():
            draft.delete(wrong.x, wrong.y)
            calls.append({"tool": "delete_text", "x": wrong.x, "y": wrong.y})
        for target, correct in zip(self.task.targets, draft._correct, strict=True):
            if not correct:
                calls.extend(self._writing(target))
        return [*calls, {"tool": "terminate"}]

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object."""
        marks = [{"text": m.text, "x": m.x, "y": m.y, "signed": m.signed} for m in self.marks]
        return {"task": self.task_id, "marks": marks, "finished": self.finished}

    def copy(self) -> PaperFormState:
        """A copy of the page with the same marks, without a database."""
        draft = PaperFormState(self.task, self.background, self.layers[: self._n_under], paper=self.paper)
        for mark in self.marks:
            draft.write(mark.x, mark.y, mark.text, signed=mark.signed)
        return draft

    def _stamp(self, text: str, across: float, down: float, signed: bool, target: int | None) -> Stamp:
        """The picture of a text centred at a pixel; on a comb, in the cells about it."""
        comb = 0 if target is None or signed else self.task.targets[target].comb
        cells = in_cells(text, comb) if len(text) > 1 else ""
        if not cells:
            return Stamp(self.drawn(text, signed), round(across), round(down))
        left, _, right, _ = self.task.targets[target or 0].blank
        pitch = (right - left) / comb
        first = min(max(round((across - left) / pitch - len(cells) / 2), 0), comb - len(cells))
        columns = [round(left + (first + i + 0.5) * pitch) for i in range(len(cells))]
        middle = (columns[0] + columns[-1]) // 2
        return Stamp(
            spread_sprite(cells, tuple(c - middle for c in columns), *self.lettering(signed)), middle, round(down)
        )

    def _count_placement(self, mark: Mark, change: int) -> None:
        """Count a mark that was added or removed: outside of the fields with an answer, or the first or last in one."""
        if mark.target is None or self.task.targets[mark.target].gold.value is None:
            self._n_stray += change
        elif len(self._marks_in[mark.target]) == (change > 0):
            self._n_filled += change

    @cached_property
    def _printed(self) -> Image:
        """The page without the marks."""
        if not self._n_under:
            return self.background
        return LayeredPage(self.background, self.layers[: self._n_under]).pixels()

    def _is_clear(self, mark: Mark) -> bool:
        """Whether a mark is in the blank of its target, which has an answer, and over no print."""
        if mark.target is None or (target := self.task.targets[mark.target]).gold.value is None:
            return False
        size, _ = self.lettering(mark.signed)
        own = tick_box(target.blank) if target.ticked else None
        margin = tick_margin(target.blank, size) if target.ticked else 0
        inside = self.task.erased or is_in_blank(mark.stamp, target.blank, size, margin, self.task.angle)
        return inside and not is_over_print(mark.stamp, self._printed, own)

    def _read_again(self, changed: Mark) -> None:
        """Update which targets are legible, after a mark was added or removed."""
        for touched in (changed, *changed.overlapping):
            if (index := touched.target) is not None:
                marks = self._marks_in[index]
                if marks and all(mark.is_clear and not mark.overlapping for mark in marks):
                    self._legible.add(index)
                else:
                    self._legible.discard(index)

    def _rescore(self, index: int | None) -> None:
        """Update the score of one target; no action in it affects another."""
        if index is None:
            return
        target = self.task.targets[index]
        right_kind = all(mark.signed == target.signed for mark in self._marks_in[index])
        correct = right_kind and target.gold.accepts(self.entered(index))
        if target.gold.value is not None:
            self._n_correct += correct - self._correct[index]
        self._correct[index] = correct

    def _first_wrong_mark(self) -> Mark | None:
        return next((mark for mark in self.marks if mark.target is None or not self._correct[mark.target]), None)

    def _writing(self, target: Target) -> list[Call]:
        """Calls that write the answer of a target."""
        tool = "sign_or_initial" if target.signed else "place_text"
        return [
            {"tool": tool, "x": piece.x / self.width, "y": piece.y / self.height, "text": piece.text}
            for piece in self.pieces(target)
        ]

    def pieces(self, target: Target, in_cells: bool = True, text: str | None = None) -> list[Piece]:
        """The answer of a target, if any, or a text, as a person writes it; in its middle if it would count elsewhere.

        In a comb it is one piece for each cell, or one for all.
        """
        gold, comb = target.gold.value if text is None else text, target.comb if in_cells else 0
        if gold is None:
            return []
        size, face = self.lettering(target.signed)
        angle = self.task.angle
        tight = self.task.erased
        found = pieces(gold, target.blank, font(face, size), comb=comb, centred=target.ticked, angle=angle, tight=tight)
        index = self.task.targets.index(target)
        if all(self.task.field_at(piece.x, piece.y) == index for piece in found):
            return found
        return pieces(gold, target.blank, font(face, size), centred=True)


def answers_as_layers(page: PaperFormState) -> tuple[Patch, ...]:
    """Write a page's answers on it, and return them as layers over its background."""
    for call in page.solution()[:-1]:
        page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
    return flattened(page.background, page.layers)


def _reading_order(marks: list[Mark]) -> list[Mark]:
    """Marks line by line, each from left to right.

    Marks are on one line if their centres differ by less than half a line.
    """
    lines: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda m: m.stamp.y):
        if lines and mark.stamp.y - lines[-1][0].stamp.y < mark.stamp.sprite.line_height / 2:
            lines[-1].append(mark)
        else:
            lines.append([mark])
    return [mark for line in lines for mark in sorted(line, key=lambda m: m.x)]
