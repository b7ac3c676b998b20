"""The page of FormGym: what is written where is worth what, and the tools say so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.scoring import Gold
from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.state import Mark, PaperFormState, PaperTask, Target
from formgym.envs.paper_forms.tools import TOOLS, delete_text, place_text, query_sql, sign_or_initial

Draw = Callable[[st.SearchStrategy[Any]], Any]

LIGHT = settings(max_examples=some(15, 60), deadline=None)
APPLY = {tool.name: tool.apply for tool in TOOLS}

HEIGHT, WIDTH = 256, 512  # powers of two: fractions of the page are exact pixels
BACKGROUND = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)

TARGETS = (
    Target("name", "Name", (16, 16, 144, 48), Gold("name", "Jane Doe")),
    Target("amount", "Amount", (160, 16, 288, 48), Gold("money", "-12,000.00")),
    Target("yes", "Yes", (304, 16, 336, 48), Gold("checkbox", "X")),
    Target("no", "No", (352, 16, 384, 48), Gold("checkbox", None)),
    Target("signature", "Signature", (16, 64, 144, 96), Gold("signature", "Jane Doe")),
    Target("initials", "Initials", (160, 64, 208, 96), Gold("signature", "JD")),
    Target("office", "For the office", (304, 64, 384, 96), Gold("text", None)),
    Target("number", "Licence number", (16, 112, 144, 144), Gold("identifier", "A1B2"), comb=4),
    Target("letter", "Letter", (160, 112, 288, 208), Gold("text", "dear old friend")),
)  # fmt: skip
TASK = PaperTask("form/user", "Fill it in.", "Jane Doe owes 12,000.", 16, TARGETS)
BY_NAME = {target.name: target for target in TASK.targets}


def new_page(task: PaperTask = TASK) -> PaperFormState:
    return PaperFormState(task, BACKGROUND)


def centre(name: str) -> tuple[float, float]:
    left, top, right, bottom = BY_NAME[name].blank
    return (left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT


def write(page: PaperFormState, name: str, text: str, signed: bool = False) -> None:
    page.write(*centre(name), text, signed=signed)


def result(page: PaperFormState, name: str) -> bool:
    return next(field.correct for field in page.score().fields if field.name == name)


def carry_out(page: PaperFormState, calls: list[dict[str, Any]]) -> None:
    for call in calls:
        APPLY[call["tool"]](page, **{name: value for name, value in call.items() if name != "tool"})


def rebuilt(page: PaperFormState) -> PaperFormState:
    """A new page with the same marks, written one after the other."""
    other = new_page(page.task)
    for mark in page.marks:
        other.write(mark.x, mark.y, mark.text, signed=mark.signed)
    return other


def is_legible(mark: Mark, target: Target, page: PaperFormState) -> bool:
    """Whether a mark is in its blank and covers no other; nothing is printed on this page."""
    left, top, right, bottom = mark.stamp.rect
    size = 22 if mark.signed else 16
    beside, below = (16, 16) if target.ticked else (0.2 * size, 0.25 * size)
    least = 16 / 7
    return (
        left >= target.blank[0] - beside
        and top >= target.blank[1] - beside
        and right <= target.blank[2] + beside
        and bottom <= target.blank[3] + below
    ) and not any(
        min(right, other.stamp.rect[2]) - max(left, other.stamp.rect[0]) > least
        and min(bottom, other.stamp.rect[3]) - max(top, other.stamp.rect[1]) > least
        for other in page.marks
        if other is not mark
    )


def strict_by_hand(page: PaperFormState) -> dict[str, float]:
    """The metrics, counted from the marks alone."""
    right = stray = placed = legible = 0
    answered = [target for target in TARGETS if target.gold.value is not None]
    for target in TARGETS:
        inside = [m for m in page.marks if m.target is not None and TARGETS[m.target] is target]
        if target.gold.value is None:
            stray += len(inside)
            continue
        placed += bool(inside)
        legible += bool(inside) and all(is_legible(mark, target, page) for mark in inside)
        if all(mark.signed == target.signed for mark in inside):
            right += target.gold.accepts(page.entered(TARGETS.index(target)))
    stray += sum(mark.target is None for mark in page.marks)
    return {
        "field_accuracy": right / len(answered),
        "strict_accuracy": right / (len(answered) + stray),
        "placement_accuracy": placed / (placed + stray) if page.marks else 0.0,
        "legible": legible / placed if placed else 0.0,
        "correct_placements": placed,
        "incorrect_placements": stray,
    }


def test_many_marks_in_one_field_are_one_placement() -> None:
    page = new_page()
    for _ in range(10):
        write(page, "amount", "Ann")
    assert page.metrics()["correct_placements"] == page.metrics()["placement_accuracy"] == 1
    page.write(0.999, 0.999, "Ann")
    assert page.metrics()["placement_accuracy"] == 0.5


# --- random actions

ANSWERS = ["Jane Doe", "Doe, Jane", "JD", "J.D.", "$(12,000)", "12,000", "X", "✓", "A1B2", "A", "1", "dear", "wrong"]
places = st.sampled_from([centre(name) for name in BY_NAME]) | st.tuples(st.floats(0, 1), st.floats(0, 1))
actions = st.one_of(
    st.tuples(st.just("place_text"), places, st.sampled_from(ANSWERS)),
    st.tuples(st.just("sign_or_initial"), places, st.sampled_from(ANSWERS)),
    st.tuples(st.just("delete_text"), places, st.none()),
    st.tuples(st.just("right"), st.sampled_from(sorted(BY_NAME)), st.none()),
    st.tuples(st.just("undo"), st.integers(0, 20), st.none()),
)


def act(page: PaperFormState, action: tuple[str, Any, str | None]) -> None:
    """Carry out an action; ``right`` writes the answer of a field, ``undo`` deletes a mark."""
    tool, where, text = action
    if tool == "undo":
        mark = page.marks[where % len(page.marks)] if page.marks else None
        tool, where = ("delete_text", (mark.x, mark.y) if mark else (0.5, 0.5))
    if tool == "right":
        target = BY_NAME[where]
        write(page, where, target.gold.value or "X", target.signed)
    elif tool == "delete_text":
        page.delete(*where)
    else:
        page.write(*where, text, signed=tool == "sign_or_initial")


@LIGHT
@given(st.lists(actions, min_size=1, max_size=12), st.integers(0, 11))
def test_any_actions(sequence: list[Any], place: int) -> None:
    page, twin = new_page(), new_page()
    for action in sequence:
        act(page, action)
        act(twin, action)
        assert page.score() == rebuilt(page).score()
        assert page.metrics() == pytest.approx(strict_by_hand(page))
        assert page.score().metrics == page.metrics()
    before, score = page.dump(), page.score()
    assert json.loads(json.dumps(before, allow_nan=False)) == before == twin.dump() == rebuilt(page).dump()
    assert json.loads(json.dumps([asdict(field) for field in score.fields]))
    if page.marks:
        # A mark is removed and written again in its place.
        place, layers = place % len(page.marks), list(page.layers)
        mark = page.marks[place]
        page.remove(mark)
        assert mark not in page.marks
        assert mark not in page.layers
        assert page.score() == rebuilt(page).score()
        page.write(mark.x, mark.y, mark.text, signed=mark.signed, at=place)
        assert page.dump() == before == page.copy().dump()
        assert page.score() == score == page.copy().score()
        assert [layer.rect for layer in page.layers] == [layer.rect for layer in layers]
    calls = page.solution()
    assert page.dump() == before, "asking for the solution changes nothing"
    assert calls[-1] == {"tool": "terminate"}
    assert json.loads(json.dumps(calls)) == calls
    carry_out(page, calls)
    metrics = page.metrics()
    assert metrics["field_accuracy"] == metrics["strict_accuracy"] == metrics["placement_accuracy"] == 1.0
    assert page.finished
    assert page.dump() != rebuilt(page).dump()
    assert page.solution() == [{"tool": "terminate"}]


def test_a_dump_tells_apart_all_that_matters() -> None:
    first, *others = [(0.5, 0.5, "a", False), (0.25, 0.5, "a", False), (0.5, 0.25, "a", False)]
    others += [(0.5, 0.5, "b", False), (0.5, 0.5, "a", True)]
    dumps = []
    for x, y, text, signed in [first, *others]:
        page = new_page()
        page.write(x, y, text, signed=signed)
        dumps.append(json.dumps(page.dump()))
    assert len(set(dumps)) == 5


# --- where a mark belongs


@pytest.mark.parametrize("name", BY_NAME)
def test_the_edges_of_a_box_belong_to_it(name: str) -> None:
    left, top, right, bottom = BY_NAME[name].blank
    for x in (left, (left + right) / 2, right):
        for y in (top, (top + bottom) / 2, bottom):
            assert new_page().write(x / WIDTH, y / HEIGHT, "x").target == list(BY_NAME).index(name)
    left, top, right, bottom = BY_NAME[name].box
    for x, y in [(left - 1, top), (right + 1, top), (left, top - 1), (left, bottom + 1)]:
        assert new_page().write(x / WIDTH, y / HEIGHT, "x").target != list(BY_NAME).index(name)


@pytest.mark.parametrize("pixel", [28, 54, 56, 63, 112, 213])
def test_the_edges_of_a_box_belong_to_it_on_a_page_of_any_size(pixel: int) -> None:
    """Fractions of such a page are not exact: 28 / 850 * 850 is a little more than 28, 54 / 850 * 850 a little less."""
    background = np.full((1100, 850, 3), 255, np.uint8)
    for box in [(pixel - 20, 50, pixel, 80), (pixel, 50, pixel + 20, 80)]:
        task = PaperTask("t", "", "", 16, (Target("field", "Field", box, Gold("text", "x")),))
        page = PaperFormState(task, background)
        page.write(pixel / 850, 65 / 1100, "x")
        assert page.metrics()["field_accuracy"] == 1.0, box


def overlapping(*boxes: tuple[float, float, float, float]) -> PaperTask:
    targets = [Target(f"f{i}", f"Field {i}", box, Gold("text", f"answer {i}")) for i, box in enumerate(boxes)]
    return PaperTask("overlap", "", "", 16, tuple(targets))


@LIGHT
@given(st.integers(0, 200), st.integers(0, 60))
def test_a_point_belongs_to_a_box_around_it_of_the_nearest_centre(x: int, y: int) -> None:
    task = overlapping((0, 0, 100, 40), (80, 10, 120, 50), (60, 0, 200, 30), (90, 20, 95, 25))
    around = {
        i: (x - (b[0] + b[2]) / 2) ** 2 + (y - (b[1] + b[3]) / 2) ** 2
        for i, (b, reach) in enumerate((target.blank, target.box) for target in task.targets)
        if reach[0] <= x <= reach[2] and reach[1] <= y <= reach[3]
    }
    found = task.field_at(x, y)
    assert (found is None) == (not around)
    if found is not None:
        assert around[found] == min(around.values())


def test_a_page_without_fields() -> None:
    page = new_page(PaperTask("none", "", "", 16, ()))
    page.write(0.5, 0.5, "stray")
    assert page.metrics()["field_accuracy"] == page.metrics()["strict_accuracy"] == 0
    assert page.solution()[-1] == {"tool": "terminate"}


# --- reading order


def letter(*marks: tuple[float, float, str]) -> PaperFormState:
    """A page with marks in the letter field, at pixels from its upper left corner."""
    page, (left, top, _, _) = new_page(), BY_NAME["letter"].blank
    for x, y, text in marks:
        page.write((left + x) / WIDTH, (top + y) / HEIGHT, text)
    return page


def in_letter(page: PaperFormState) -> str:
    return page.entered(list(BY_NAME).index("letter"))


LINE = new_page().write(0.5, 0.5, "x").stamp.sprite.line_height


thousandths = st.floats(-0.001, 0.001)


@LIGHT
@given(st.permutations([(20, "dear"), (60, "old"), (100, "friend")]), st.tuples(thousandths, thousandths, thousandths))
def test_words_on_a_line_are_read_from_left_to_right(words: list[tuple[float, str]], wobble: tuple[float, ...]) -> None:
    page = letter(*((x, 40 + HEIGHT * dy, word) for (x, word), dy in zip(words, wobble, strict=True)))
    assert in_letter(page) == "dear old friend"
    assert result(page, "letter")


@LIGHT
@given(st.permutations([(100, 20, "dear"), (60, 50, "old"), (20, 80, "friend")]))
def test_lines_are_read_from_top_to_bottom(words: list[tuple[float, float, str]]) -> None:
    assert in_letter(letter(*words)) == "dear old friend"


def test_marks_within_half_a_line_are_on_one_line() -> None:
    assert LINE > 8
    for apart in (0, 1, LINE // 2 - 1, LINE // 2 + 1, LINE):
        expected = "left right" if apart < LINE / 2 else "right left"
        assert in_letter(letter((100, 30, "right"), (20, 30 + apart, "left"))) == expected, apart
        assert in_letter(letter((20, 30 + apart, "left"), (100, 30, "right"))) == expected, apart


# --- strict metrics and those of the paper


def test_ticking_everything_does_not_pay() -> None:
    page = new_page()
    for name in BY_NAME:
        write(page, name, "X")
    assert result(page, "yes")
    assert not result(page, "no")
    ticked = page.metrics()
    assert ticked["field_accuracy"] == 1 / 7, "the paper counts only fields that have an answer"
    assert ticked["strict_accuracy"] == 1 / 9, "the two that must stay empty count as well"
    honest = new_page()
    write(honest, "yes", "X")
    assert honest.metrics()["field_accuracy"] == 1 / 7
    assert honest.metrics()["strict_accuracy"] == 1 / 7 > ticked["strict_accuracy"]


def test_a_field_that_must_stay_empty() -> None:
    page = new_page()
    assert [field.name for field in page.score().fields if field.correct] == ["no", "office"]
    assert set(page.metrics().values()) == {0.0}
    write(page, "office", "approved")
    assert not result(page, "office")
    assert page.metrics()["incorrect_placements"] == 1
    assert page.metrics()["strict_accuracy"] == 0
    page.delete(*centre("office"))
    assert result(page, "office")
    assert page.metrics() == new_page().metrics()


@pytest.mark.parametrize(
    ("name", "text", "signed", "right"),
    [
        ("signature", "Jane Doe", True, True),
        ("signature", "Jane Doe", False, False),
        ("signature", "John Doe", True, False),
        ("initials", "J.D.", True, True),
        ("initials", "JD", False, False),
        ("name", "Jane Doe", False, True),
        ("name", "Jane Doe", True, False),
        ("yes", "✓", False, True),
        ("yes", "X", True, False),
        ("amount", "$12,000.00", False, False),
        ("amount", "($12,000)", False, True),
    ],
)
def test_signed_where_signed_and_typed_where_typed(name: str, text: str, signed: bool, right: bool) -> None:
    page = new_page()
    write(page, name, text, signed)
    assert result(page, name) is right
    assert page.metrics()["field_accuracy"] == right / 7


def test_a_signature_beside_typed_text_is_wrong() -> None:
    page = new_page()
    x, y = centre("signature")
    page.write(x - 0.06, y, "Jane", signed=True)
    page.write(x + 0.06, y, "Doe")
    assert page.entered(list(BY_NAME).index("signature")) == "Jane Doe"
    assert not result(page, "signature")


def test_a_comb_takes_one_character_in_each_cell() -> None:
    calls = [call for call in new_page().solution() if call.get("text") in list("A1B2")]
    assert [call["text"] for call in calls] == list("A1B2")
    assert [call["x"] * WIDTH for call in calls] == [32, 64, 96, 128]
    page = new_page()
    carry_out(page, calls)
    assert result(page, "number")


# --- deleting


def test_deleting_takes_all_marks_under_the_point_and_no_other() -> None:
    page = new_page()
    page.write(0.5, 0.5, "wide wide wide")
    page.write(0.5, 0.5, "i")
    page.write(0.5, 0.75, "below")
    assert page.delete(0.5, 0.625) == []
    assert len(page.marks) == 3
    left, top, right, _ = page.marks[0].box
    assert [mark.text for mark in page.delete(left / WIDTH, 0.5)] == ["wide wide wide"]
    assert page.delete((right + 1) / WIDTH, top / HEIGHT) == []
    assert [mark.text for mark in page.delete(0.5, 0.5)] == ["i"]
    assert [mark.text for mark in page.marks] == ["below"]


@LIGHT
@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["i", "Ann", ".", "word " * 30]), st.booleans())
def test_a_mark_can_be_deleted_where_it_was_written(x: float, y: float, text: str, signed: bool) -> None:
    page = new_page()
    mark = page.write(x, y, text, signed=signed)
    assert page.delete(x, y) == [mark]
    assert page.metrics() == new_page().metrics()
    assert page.dump() == new_page().dump()
    assert page.layers == []


# --- what the tools say


@pytest.mark.parametrize(("tool", "verb"), [(place_text, "Placed"), (sign_or_initial, "Signed")])
def test_writing_says_what_and_where(tool: Callable[..., str], verb: str) -> None:
    page = new_page()
    said = tool(page, 0.25, 0.5, " Ann\n Lee ")
    left, _, right, _ = page.marks[0].box
    assert said == f'{verb} "Ann Lee" at (0.250, 0.500), from x = {left / WIDTH:.3f} to {right / WIDTH:.3f}.'
    assert page.marks[0].signed == (verb == "Signed")
    assert left / WIDTH < 0.25 < right / WIDTH


@pytest.mark.parametrize(
    ("x", "text", "off"), [(0.0, "Ann", True), (1.0, "Ann", True), (0.5, "Ann", False), (0.5, "w" * 99, True)]
)
def test_text_that_runs_off_the_page_is_reported(x: float, text: str, off: bool) -> None:
    for tool in (place_text, sign_or_initial):
        assert ("runs off the page" in tool(new_page(), x, 0.5, text)) is off


def test_long_text_is_cut_in_the_feedback_but_not_on_the_page() -> None:
    page = new_page()
    said = place_text(page, 0.5, 0.5, "a" * 500)
    assert '"' + "a" * 79 + '…"' in said
    assert page.marks[0].text == "a" * 500


def test_delete_text_says_what_and_where() -> None:
    page = new_page()
    place_text(page, 0.25, 0.5, "Ann")
    sign_or_initial(page, 0.25, 0.5, "Lee")
    with pytest.raises(ToolError, match=r"no text of yours at \(0\.750, 0\.125\); nothing was deleted"):
        delete_text(page, 0.75, 0.125)
    assert len(page.marks) == 2
    assert delete_text(page, 0.25, 0.5) == 'Deleted "Ann", "Lee" at (0.250, 0.500).'
    assert page.marks == []


def test_query_sql_gives_the_answer_of_the_database() -> None:
    asked: list[str] = []

    def database(query: str) -> str:
        asked.append(query)
        return "one row"

    assert query_sql(PaperFormState(TASK, BACKGROUND, query=database), "SELECT 1") == "one row"
    assert asked == ["SELECT 1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "empty"), (" \n ", "empty"), ("a\x00", r"U\+0000"), ("\x1b[0m", r"U\+001B")],
    ids=ascii,
)
def test_text_that_cannot_be_written_is_refused(text: str, said: str) -> None:
    for tool in (place_text, sign_or_initial):
        page = new_page()
        with pytest.raises(ToolError, match=said):
            tool(page, 0.5, 0.5, text)
        assert page.dump() == new_page().dump()
        assert page.take_dirty() == []
