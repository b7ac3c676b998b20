"""Sources as people write them: a letter, an e-mail thread or a chat that states a user's facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, NamedTuple
from zlib import crc32

import numpy as np
from pydantic import Field, model_validator

from ...assets import ROOT
from ..core.facts import Split
from ..core.files import Data, load
from ..core.templates import facts_of, fill, placeholders, render
from .profile import JOINT, fact_book, tidy

Genre = Literal["sentences", "letter", "email", "chat"]
GENRES: tuple[Genre, ...] = ("sentences", "letter", "email", "chat")
FIRST_NAMES = frozenset({"first_name", JOINT + "first_name"})
"""Facts that any text may repeat."""

Ways = Annotated[tuple[str, ...], Field(min_length=2)]
Topics = dict[str, dict[str, Ways]]
_COUNTS, _ORDINALS = {"reference": 2, "creditor": 3}, ("first", "second", "third")
_DRAWS = 97
"""The number of draws that all passages share."""


class Passage(NamedTuple):
    """Some sentences of one writer that state several facts, in several ways of equal meaning.

    Attributes:
        part: of the source: ``"mine"`` and ``"theirs"`` are about the applicants, each in the first person.
        topic: what it is about.
        conditions: the facts that must have certain values, which it states in words.
        ways: its templates.
        required: the facts that a user must have.
        optional: those written where there are any.
        seed: of the drawing of a way, equal for all uses of the templates.
        turn: which of the ways it takes, from the drawn one on, so that no two uses sound alike.
    """

    part: str
    topic: str
    conditions: dict[str, str]
    ways: tuple[str, ...]
    required: frozenset[str]
    optional: frozenset[str]
    seed: int
    turn: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """The ways that do not begin with a label and a colon, as notes do."""
        return tuple(way for way in self.ways if not re.match(r"[^.{]*:", way))

    def stated(self, facts: Mapping[str, str]) -> frozenset[str]:
        """The facts that it states of a user; none if it does not apply."""
        known = facts.keys()
        if not self.required <= known or any(facts[fact] != value for fact, value in self.conditions.items()):
            return frozenset()
        return (self.required | (self.optional & known)) - FIRST_NAMES


class Section(NamedTuple):
    """What one writer states on a topic, and a question that it answers."""

    question: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as a paragraph."""
        return " ".join(self.lines)


class SourceBook(Data):
    """Passages, and the letters, threads and chats that they are put in.

    The keys of passages are conditions such as ``residence_type=rent``, with words that distinguish equal ones. A
    passage about ``reference_N_`` or ``creditor_N_`` is one about each of them.

    Attributes:
        officers: names of loan officers.
        questions: of an officer, by topic.
        person: passages by topic, in the applicant's words or the co-applicant's.
        loan: passages about the loan by topic, in the applicant's words.
        frames: templates by genre, each a list of lines, over ``mine``, ``theirs`` and ``loan`` (lists of sections),
            ``notes`` (sentences by the officer), ``enclosed`` (the title of the source page or ``None``), ``officer``,
            ``clock(minutes)``, and the users' facts.
    """

    officers: Ways
    questions: dict[str, Ways]
    person: Topics
    loan: Topics
    frames: dict[Genre, Annotated[tuple[tuple[str, ...], ...], Field(min_length=2)]]

    @model_validator(mode="after")
    def _consistent(self) -> SourceBook:
        if missing := sorted({*self.person, *self.loan} - self.questions.keys()):
            raise ValueError(f"topic {missing[0]!r} has no question")
        for passage in self.passages:
            if unknown := sorted((passage.required | passage.optional) - fact_book().known):
                raise ValueError(f"passage {passage.ways[0]!r}: unknown fact {unknown[0]!r}")
            for fact, value in passage.conditions.items():
                fact_book().check_value(fact, value)
            stated = {frozenset(facts_of(way) - FIRST_NAMES) for way in passage.ways}
            if len(stated) > 1:
                raise ValueError(f"the ways of passage {passage.ways[0]!r} do not state the same facts")
        return self

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All passages in the order of a source."""
        return (
            *_passages("mine", self.person, ""),
            *_passages("loan", self.loan, ""),
            *_passages("theirs", self.person, JOINT),
        )

    def chosen(
        self, facts: Mapping[str, str], needed: Set[str], distractors: Sequence[str], most: int
    ) -> list[Passage]:
        """Passages that state the needed facts, and up to about ``most`` others, no fact twice.

        Args:
            facts: all that may be stated.
            needed: facts to be stated where there is a passage.
            distractors: others, the first ones first.
            most: the number of others at which no passage is added.
        """
        usable = [(place, stated) for place, p in enumerate(self.passages) if (stated := p.stated(facts))]
        known: set[str] = set()
        places: set[int] = set()

        def take(preferred: Set[str], some: Set[str]) -> bool:
            """Add the passage with ``some`` that states the most preferred facts, and the fewest others."""
            fitting = [(place, stated) for place, stated in usable if stated & some and not stated & known]
            if not fitting:
                return False
            place, stated = max(fitting, key=lambda p: (2 * len(p[1] & preferred) - len(p[1]), len(p[1] & preferred)))
            places.add(place)
            known.update(stated)
            return True

        while (missing := (needed & facts.keys()) - known) and take(missing, missing):
            pass
        for fact in distractors:
            if fact not in known and len(known - needed) < most:
                take(facts.keys(), {fact})
        return [self.passages[place] for place in sorted(places)]


def _passages(part: str, topics: Topics, prefix: str) -> Iterator[Passage]:
    for topic, passages in topics.items():
        for key, ways in passages.items():
            conditions = {prefix + fact: value for fact, value in re.findall(r"(\w+)=(\w+)", key)}
            numbered = re.search(r"\b(reference|creditor)_N_", ways[0])
            for turn in range(_COUNTS[numbered[1]] if numbered else 1):
                own = tuple(_numbered(re.sub(r"\{\{ *", "{{ " + prefix, way), turn) for way in ways)
                optional = frozenset(part.fact for part in placeholders(own[0]) if part.optional)
                required = frozenset(conditions).union(*map(facts_of, own)) - optional
                seed = crc32(f"{topic} {key}".encode()) % _DRAWS
                yield Passage(part, topic, conditions, own, required, optional, seed, turn + bool(prefix))


def _numbered(way: str, number: int) -> str:
    """A template about the reference or creditor of a number, from 0."""
    return way.replace("_N_", f"_{number + 1}_").replace("Nth", _ORDINALS[number])


@lru_cache(maxsize=2)
def source_book(split: Split) -> SourceBook:
    """The shipped passages for testing, or others for training."""
    return load(SourceBook, ROOT / "source_texts" / f"{split}.json")


def source_text(
    genre: Genre,
    book: SourceBook,
    facts: Mapping[str, str],
    chosen: Sequence[Passage],
    rng: np.random.Generator,
    **around: Any,
) -> str:
    """A letter, thread or chat made of passages.

    Args:
        genre: any but ``"sentences"``.
        book: has its frames.
        facts: of the users.
        chosen: the passages, in their order.
        rng: draws the wording.
        **around: what else the frames use: ``notes`` and ``enclosed``.
    """
    draws = rng.integers(1000, size=_DRAWS)
    parts: dict[str, dict[str, list[str]]] = {"mine": {}, "theirs": {}, "loan": {}}
    for passage in chosen:
        ways = passage.ways if genre == "chat" else passage.sentences or passage.ways
        way = ways[(int(draws[passage.seed]) + passage.turn) % len(ways)]
        parts[passage.part].setdefault(passage.topic, []).append(tidy(fill(way, facts) or ""))
    frames, officers = book.frames[genre], book.officers
    around |= {
        part: [Section(_question(book, topic, part, int(draws[0])), tuple(lines)) for topic, lines in topics.items()]
        for part, topics in parts.items()
    }
    around |= {"officer": officers[int(draws[1]) % len(officers)], "clock": _clock(rng)}
    return render("\n".join(frames[int(draws[2]) % len(frames)]), {**facts, **around}, f"{genre} of a source")


def _question(book: SourceBook, topic: str, part: str, draw: int) -> str:
    ways = book.questions[topic]
    return ways[(draw + (part == "theirs")) % len(ways)]


def _clock(rng: np.random.Generator) -> Callable[[int], str]:
    """A clock that goes on by up to the given minutes each time it is read; it begins in the morning."""
    now = int(rng.integers(8 * 60, 10 * 60))

    def read(minutes: int) -> str:
        nonlocal now
        now += int(rng.integers(minutes + 1))
        hour, minute = divmod(now, 60)
        return f"{(hour - 1) % 12 + 1}:{minute:02d} {'AM' if hour % 24 < 12 else 'PM'}"

    return read
