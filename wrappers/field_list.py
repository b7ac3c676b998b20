"""FieldList: the fields of paper forms as text, and tools that name a field by its number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.env import PageControl
from ..envs.core.matchers import TICKS
from ..envs.core.spaces import Observation, Step, extended
from ..envs.core.texts import UnicodeText, one_line, truncate
from ..envs.core.tools import Argument, Call, ToolError, ToolSpace
from ..envs.paper_forms.paged_form import PagedForm
from ..envs.paper_forms.state import PaperFormState, Target
from ..envs.paper_forms.tools import MAX_TEXT_LENGTH
from ..envs.paper_forms.writing import in_cells
from .control_list import MAX_LISTING, marked
from .tool_wrapper import ToolWrapper, carry_out, check_page, check_unpadded, own_tool, shrink_factor, single_tools

_MAX_FIELDS = 2_000
_YES, _NO = {"yes", "true", "on", "tick", "checked"}, {"", "no", "false", "off", "unchecked"}


@dataclass(frozen=True)
class NumberedField:
    """A field of a form.

    Attributes:
        number: from 1, through all pages.
        page: the number of its page, from 1.
        target: what is known of it; right answers in it are for nobody to see.
    """

    number: int
    page: int
    target: Target


@dataclass(frozen=True)
class Filling:
    """What an agent has entered into a field, and the words of the source that it is from."""

    text: str
    fact: str


def pages_of(state: Any) -> tuple[PaperFormState, ...]:
    """The pages of a paper form."""
    return state.pages if isinstance(state, PagedForm) else (state,)


class FieldList(ToolWrapper, RecordConstructorArgs):
    """Numbers the fields of a paper form, lists them as text, and adds tools that take a number.

    ``observation["fields"]`` lists every field of all pages with its number, role, label and content; the right answers
    are not in it. ``fill_in(field, text, fact)`` writes by ``place_text`` or ``sign_or_initial``, on whatever page,
    in place of what was in the field; ``fact`` quotes what the text is from. ``leave_empty(field, last, reason)``
    only notes why fields stay empty. A text that the field does not take (too long, not among its choices) is invalid.

    >>> env = FieldList(gym.make("FormGym/AutoLoans-Text-v0"))
    >>> observation, _ = env.reset(seed=0)
    >>> observation["fields"].splitlines()[0].startswith("[1] textbox")
    True

    Args:
        env: an environment of FormGym; it takes one call a step.
        marks: whether the fields of the page that is shown have their numbers drawn at their left top corners.

    Attributes:
        filled: what was entered, by number of the field.
        left: why fields were left empty, by number.

    Raises:
        ValueError: if the environment has no tool ``place_text``, takes lists of calls, or shows a padded page.
    """

    def __init__(self, env: gym.Env[Observation, Any], marks: bool = True) -> None:
        RecordConstructorArgs.__init__(self, marks=marks)
        check_unpadded(env)
        check_page(env)
        inner = single_tools(env)
        if "place_text" not in inner.names:
            raise ValueError("only paper forms have fields to write in; leave field_list out")
        super().__init__(env, inner, ToolSpace([*inner.tools, *_TOOLS]))
        self.observation_space = extended(env, fields=UnicodeText(MAX_LISTING))
        self._marks, self._factor = marks, shrink_factor(env)
        self._numbered: tuple[Any, list[NumberedField]] | None = None
        self.begin()

    def begin(self) -> None:
        """Forget what was entered."""
        self.filled: dict[int, Filling] = {}
        self.left: dict[int, str] = {}

    def step(self, action: Any) -> Step:
        """Take the steps that an action needs; ``info["actions"]`` lists them."""
        try:
            tool, arguments = self._outer.parse(action)
            calls = self._calls(tool.name, **arguments)
        except ToolError as error:
            return self._step(self.refused(action, str(error)))
        if not calls:
            self._note(tool.name, arguments)
            first, last = arguments["field"], arguments.get("last", arguments["field"])
            answer = f"Noted: field{f's {first} to {last} stay' if last > first else f' {first} stays'} empty."
            *result, info = self._step(self.refused(action, answer))
            return (*result, info | {"valid": True})  # type: ignore[return-value]
        *result, info = self._step(*(self._inner.from_call(call) for call in calls))
        if info["valid"]:
            self._note(tool.name, arguments)
            if "field" in arguments:
                info = info | {"feedback": f"Now: {self._line(arguments['field'])}"}
        return (*result, info)  # type: ignore[return-value]

    def observation(self, observation: Observation) -> Observation:
        """The observation with the list of fields, and their marks."""
        pages = {page: list(controls) for page, controls in self._controls()}
        shown = getattr(self._base.state, "shown", 0) + 1
        lines = [
            line
            for page, controls in pages.items()
            for line in ([f"Page {page}:"] if len(pages) > 1 else []) + [str(control) for control in controls]
        ]
        new: Observation = {"fields": truncate("\n".join(lines), MAX_LISTING)}
        if self._marks:
            new["page"] = marked(observation["page"], pages[shown], self._factor)
        return observation | new

    def fields(self) -> list[NumberedField]:
        """The fields of the form, page by page."""
        state = self._base.state
        if self._numbered is None or self._numbered[0] is not state:
            number, pages = count(1), enumerate(pages_of(state), start=1)
            own = [NumberedField(next(number), page, target) for page, one in pages for target in one.task.targets]
            self._numbered = state, own
        return self._numbered[1]

    def entered(self, field: NumberedField) -> str:
        """What is written in a field, by its number or at its place."""
        state = pages_of(self._base.state)[field.page - 1]
        return state.entered(state.task.targets.index(field.target))

    def _line(self, number: int) -> str:
        """A field in a line, as it is now."""
        return next(str(one) for _, controls in self._controls() for one in controls if one.id == number)

    def _step(self, *actions: Any) -> Step:
        observation, *rest = carry_out(self.env, actions)
        return (self.observation(observation), *rest)  # type: ignore[return-value]

    def _note(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Keep what was entered, or why a field stays empty."""
        if "field" not in arguments:
            return
        if tool == _LEAVE:
            for one in self._left(arguments["field"], arguments["last"]):
                self._empty(one)
                self.left[one.number] = one_line(arguments["reason"])
            return
        field = self._field(arguments["field"])
        text = self._text(field.target, arguments["text"])
        for other in self._others_of_group(field.number) if text else ():
            self.filled.pop(other.number, None)
        self._empty(field)
        for one in self._sharing(field) if text else ():
            self.filled[one.number] = Filling(text, one_line(arguments["fact"]))

    def _empty(self, field: NumberedField) -> None:
        """Forget what was entered into a field, or why it was left empty."""
        for one in self._sharing(field):
            self.filled.pop(one.number, None)
            self.left.pop(one.number, None)

    def _calls(self, tool: str, field: int = 0, text: str = "", last: int = 0, **arguments: Any) -> list[Call]:
        """The environment's calls for a valid call.

        Raises:
            ToolError: if there is no such field, or it does not take the text.
        """
        if tool not in (_FILL, _LEAVE):
            given = {"text": text} if text else {}
            return [{"tool": tool, **given, **arguments}]
        found = self._field(field)
        if tool == _LEAVE:
            left = {own.number: own for one in self._left(field, last) for own in self._sharing(one)}
            return self._turning((one, self._erasing(one)) for one in left.values())
        written = self._text(found.target, text)
        own = self._sharing(found)
        others = self._others_of_group(field) if written else []
        return self._turning(
            (one, [*self._erasing(one), *(self._writing(one, written) if written and one in own else ())])
            for one in (*others, *own)
        )

    def _turning(self, works: Iterable[tuple[NumberedField, Sequence[Call]]]) -> list[Call]:
        """The calls for several fields, with those that turn to their pages."""
        calls: list[Call] = []
        shown = getattr(self._base.state, "shown", 0) + 1
        for one, work in works:
            if work and one.page != shown:
                calls.append({"tool": "turn_page", "page": one.page})
                shown = one.page
            calls += work
        return calls

    def _field(self, number: int) -> NumberedField:
        fields = self.fields()
        if not 1 <= number <= len(fields):
            raise ToolError(f"There is no field {number}; they are numbered from 1 to {len(fields)}.")
        return fields[number - 1]

    def _left(self, first: int, last: int) -> list[NumberedField]:
        """The fields from one to another that are left empty, but for copies of fields before them.

        Raises:
            ToolError: if there are none.
        """
        left = [self._field(number) for number in range(first, self._field(last).number + 1)]
        own = [one for one in left if self._original(one).number >= first]
        if not left:
            raise ToolError(f"The last field, {last}, comes before the first, {first}.")
        if not own:
            original = self._original(left[0]).number
            raise ToolError(f"Field {first} shows what field {original} holds: leave that one empty, or neither.")
        return own

    def _original(self, field: NumberedField) -> NumberedField:
        """The first of the fields that show one value."""
        return min(self._sharing(field), key=lambda one: one.number)

    def _sharing(self, field: NumberedField) -> list[NumberedField]:
        """A field after the others that show its value."""
        shared = "" if field.target.ticked else field.target.shared
        return [*(one for one in self.fields() if shared == one.target.shared != "" and one != field), field]

    def _others_of_group(self, number: int) -> list[NumberedField]:
        """The other boxes of the group that a field is in, of which one alone is ticked."""
        own = self._field(number)
        group = own.target.group
        return [one for one in self.fields() if group and one.target.group == group and one.number != number]

    def _text(self, target: Target, text: str) -> str:
        """What is written for a text in a field.

        Raises:
            ToolError: if the field does not take it.
        """
        line = one_line(text)
        if target.ticked:
            if line in TICKS or line.casefold() in _YES:
                return "X"
            if line.casefold() in _NO:
                return ""
            raise ToolError(f"This field is a box: write X to tick it, or leave it empty; {line!r} is neither.")
        if target.choices and line:
            chosen = next((one for one in target.choices if one.casefold() == line.casefold()), None)
            if chosen is None:
                raise ToolError(f"{truncate(line, 80)!r} cannot be chosen; there are {'; '.join(target.choices)}.")
            return chosen
        if line and target.comb and not in_cells(line, target.comb):
            raise ToolError(f"The field has {target.comb} cells of one character; {truncate(line, 80)!r} is longer.")
        if target.max_length and not target.comb and len(line) > target.max_length:
            raise ToolError(f"The field takes {target.max_length} characters at most; the text has {len(line)}.")
        return line

    def _erasing(self, field: NumberedField) -> list[Call]:
        """Calls that delete what is written in a field."""
        state = pages_of(self._base.state)[field.page - 1]
        index = state.task.targets.index(field.target)
        return [{"tool": "delete_text", "x": m.x, "y": m.y} for m in state.marks if m.target == index]

    def _writing(self, field: NumberedField, text: str) -> Iterator[Call]:
        """Calls that write a text in a field."""
        state, target = pages_of(self._base.state)[field.page - 1], field.target
        tool = "sign_or_initial" if target.signed and "sign_or_initial" in self._inner.names else "place_text"
        for piece in state.pieces(target, text=text):
            yield {"tool": tool, "x": piece.x / state.width, "y": piece.y / state.height, "text": piece.text}

    def _controls(self) -> Iterator[tuple[int, Iterator[PageControl]]]:
        """The fields of each page as controls."""
        fields = self.fields()
        first = {one.target.shared: one.number for one in reversed(fields)}
        for page, state in enumerate(pages_of(self._base.state), start=1):
            own = [field for field in fields if field.page == page]
            yield page, (_control(one, state.entered(index), first[one.target.shared]) for index, one in enumerate(own))


def _control(field: NumberedField, value: str, original: int) -> PageControl:
    """A field as a control; one that shows the value of an earlier one names that."""
    target = field.target
    is_copy = bool(target.shared) and not target.ticked and original < field.number
    role = (
        "checkbox" if target.ticked else "signature" if target.signed else "combobox" if target.choices else "textbox"
    )
    kind = target.gold.matcher if role == "textbox" and target.gold.matcher != "text" else ""
    letters = f"{target.max_length} {'character' if target.max_length == 1 else 'characters'}"
    limit = f"{target.comb} cells" if target.comb else f"at most {letters}"
    parts = kind, f"the same as [{original}]" if is_copy else "", limit if target.comb or target.max_length else ""
    note = ", ".join(filter(None, parts))
    left, top, right, bottom = target.blank
    return PageControl(field.number, role, target.label, value, target.choices, (left, top, right, bottom), note=note)


_FILL, _LEAVE = "fill_in", "leave_empty"
_FIELD = Argument(spaces.Discrete(_MAX_FIELDS, start=1), "The number of the field in the list of fields.")
_TEXT = Argument(UnicodeText(MAX_TEXT_LENGTH), "What to write; X ticks a box; an empty text clears the field.")
_FACT = Argument(UnicodeText(MAX_TEXT_LENGTH), "The words of the source that the text is from, quoted as they are.")
_LAST = Argument(spaces.Discrete(_MAX_FIELDS, start=1), "The number of the last of these fields; of one field its own.")
_REASON = Argument(UnicodeText(MAX_TEXT_LENGTH), "Why they stay empty, in a few words.")
_TOOLS = (
    own_tool(
        _FILL,
        "Write in a field, in place of what is there; tick a box by writing X.",
        {"field": _FIELD, "text": _TEXT, "fact": _FACT},
    ),
    own_tool(
        _LEAVE,
        "Note why a field stays empty, or all from one to another.",
        {"field": _FIELD, "last": _LAST, "reason": _REASON},
    ),
)
