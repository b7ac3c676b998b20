"""Made-up values that fit a field's name: what to write where a data set names its fields and has no answers.

Names are those of the published FormGym, such as ``JointFirstName`` and ``ResidenceStatus_Own``. A value depends on the
page and the name alone, so that fields of one name agree, and a signature with the name of its signer. Nobody in them
exists: telephone numbers have the exchange 555, social security numbers begin with 9.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ...core.painting import Rect
from ...core.scoring import Gold
from .scanned_page import Key

TICK = "X"
_LOWEST_TEXT = 0.022
"""Square fields that are lower than this part of the page are boxes to be ticked."""

_FIRST = (
    "Ada Bruno Celia Dario Edda Felix Greta Hugo Ida Jonas Klara Leo Mira Nils Orla Piet Runa Sven Tilda Vito".split()
)
_LAST = (
    "Ashgrove Bellweather Crowfield Dunmore Eastlake Fenwick Goodrow Hartsel Ironwood Juniper Kestrel Larkin".split()
)
_STREETS = "Alder Birch Cedar Dogwood Elm Fir Hazel Juniper Larch Maple Oak Poplar".split()
_CITIES = "Fairhaven Glenbrook Harborview Lakemont Millstone Northfield Ridgeway Springdale".split()
_STATES = "CO GA IA KS ME MN NH NM OH OR UT VT".split()
_COMPANIES = "Acorn Beacon Cobalt Delta Evergreen Foxglove Granite Harbor".split()
_TRADES = "Bakery,Freight,Hardware,Insurance,Joinery,Motors,Printing,Savings Bank".split(",")
_JOBS = "Accountant,Baker,Carpenter,Electrician,Librarian,Machinist,Nurse,Teacher".split(",")
_KIN = "Aunt,Brother,Cousin,Friend,Sister,Uncle".split(",")


@dataclass(frozen=True)
class Field:
    """A named field. ``box``: in pixels of the canvas."""

    name: str
    box: Rect

    @property
    def height(self) -> int:
        """In pixels."""
        return self.box[3] - self.box[1]


class _Draw:
    """Draws that depend on their names alone."""

    def __init__(self, *names: str) -> None:
        self._rng = np.random.default_rng([crc32(name.encode()) for name in names])

    def one(self, options: list[str]) -> str:
        return options[int(self._rng.integers(len(options)))]

    def digits(self, n: int) -> str:
        return "".join(str(d) for d in self._rng.integers(0, 10, n))

    def number(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high + 1))


def _street(draw: _Draw) -> str:
    return f"{draw.number(10, 990)} {draw.one(_STREETS)} {draw.one(['Street', 'Avenue', 'Lane'])}"


def _city_state(draw: _Draw) -> str:
    return f"{draw.one(_CITIES)}, {draw.one(_STATES)}"


def _date(draw: _Draw, first: int, last: int) -> str:
    return f"{draw.number(1, 12):02}/{draw.number(1, 28):02}/{draw.number(first, last)}"


def _duration(draw: _Draw) -> str:
    return f"{draw.number(2, 9)} years {draw.number(2, 11)} months"


_MAKERS: tuple[tuple[str, str, Callable[[_Draw], str]], ...] = (
    (r"e ?mail", "email", lambda d: f"{d.one(_FIRST)}.{d.one(_LAST)}@example.org".lower()),
    (r"extension", "number", lambda d: f"{d.number(100, 999)}"),
    (r"phone|\bfax\b", "phone", lambda d: f"({d.number(201, 989)}) 555-01{d.digits(2)}"),
    (r"social security|\bssn\b", "identifier", lambda d: f"9{d.digits(2)}-{d.digits(2)}-{d.digits(4)}"),
    (r"\bein\b", "identifier", lambda d: f"00-{d.digits(7)}"),
    (r"\bvin\b", "identifier", lambda d: f"9ZZ{d.digits(14)}"),
    (r"birth", "date", lambda d: _date(d, 1950, 1999)),
    (r"date", "date", lambda d: _date(d, 2019, 2024)),
    (r"relationship", "text", lambda d: d.one(_KIN)),
    (r"years and months|duration|length employed|\bterm\b", "duration", _duration),
    (r"frequency", "text", lambda d: d.one(["Weekly", "Monthly"])),
    (r"source", "text", lambda d: d.one(["Pension", "Rent", "Royalties"])),
    (r"residence status", "text", lambda d: d.one(["Own", "Rent"])),
    (r"\bages\b", "text", lambda d: f"{d.number(1, 8)} and {d.number(9, 17)}"),
    (r"position|occupation|\bjob\b|\btitle\b", "text", lambda d: d.one(_JOBS)),
    (r"full address|address full|bank address", "address", lambda d: f"{_street(d)}, {_city_state(d)} 0{d.digits(4)}"),
    (r"street|address(?! years| months)", "address", _street),
    (r"\bzip\b|postal ?code", "identifier", lambda d: f"0{d.digits(4)}"),
    (r"city state", "text", _city_state),
    (r"\bcity\b|county", "text", lambda d: d.one(_CITIES)),
    (r"licen[sc]e|account (no|number)", "identifier", lambda d: f"{d.one(list('CDFK'))}{d.digits(7)}"),
    (r"\bstate\b", "text", lambda d: d.one(_STATES)),
    (r"months", "number", lambda d: str(d.number(1, 11))),
    (r"years|\bnum\b|dependents", "number", lambda d: str(d.number(1, 9))),
    (r"make|model", "text", lambda d: f"{d.number(2005, 2023)} {d.one(_COMPANIES)} {d.one(['Coupe', 'Sedan', 'Van'])}"),
    (r"\byear\b", "number", lambda d: str(d.number(2005, 2023))),
    (r"\bage\b", "number", lambda d: str(d.number(21, 79))),
    (r"mileage|miles", "number", lambda d: f"{d.number(10, 99)},{d.digits(3)}"),
    (r"business type|type of business", "text", lambda d: d.one(_TRADES)),
    (
        r"landlord|company|employer|bank name|financed|creditor",
        "text",
        lambda d: f"{d.one(_COMPANIES)} {d.one(_TRADES)}",
    ),
    (
        r"amount|income|cost|rent|mortgage|payment|price|balance|value|wages|\btax|alimony",
        "money",
        lambda d: f"{d.number(1, 9)},{d.digits(3)}.{d.digits(2)}",
    ),
)

_SIGNED = r"signature|\binitials\b"
_PERSONAL = r"(first|last|middle|full) (name|initial)|surname|\bsuffix\b|\b(relative|reference ?\d*|applicant) name"


def fillers(fields: Mapping[Key, Field], page_height: int, page: str) -> dict[Key, Gold]:
    """What to write into the named fields of a page.

    Of the boxes to be ticked whose names differ only behind the last underscore, those of one name are ticked, and the
    others must stay empty.

    Args:
        fields: by key.
        page_height: of the canvas, in pixels.
        page: what the values depend on, together with the names.
    """
    ticks: dict[str, list[str]] = defaultdict(list)
    for field in fields.values():
        if _is_tick(field, page_height):
            ticks[field.name.rpartition("_")[0] or field.name].append(field.name)
    ticked = {_Draw(page, group).one(sorted(set(names))) for group, names in ticks.items()}
    boxes = {name for names in ticks.values() for name in names}
    return {
        key: Gold("checkbox", TICK if field.name in ticked else None) if field.name in boxes else _text(field, page)
        for key, field in fields.items()
    }


def words_of(name: str) -> str:
    """A field's name in words: ``JointFirstName`` becomes ``Joint First Name``."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", name).split()) or name


def is_named_as_tick(name: str) -> bool:
    """Whether a field's name is that of one of several boxes to be ticked: ``ResidenceStatus_Own``."""
    return bool(re.search(r"[a-z]_[A-Za-z0-9]+$", name))


def _is_tick(field: Field, page_height: int) -> bool:
    left, top, right, bottom = field.box
    square = 0.6 < (right - left) / (bottom - top) < 1.7 and bottom - top < _LOWEST_TEXT * page_height
    return is_named_as_tick(field.name) or (square and not _is_known(words_of(field.name).lower()))


def _is_known(words: str) -> bool:
    """Whether a rule knows the words of a name."""
    return any(re.search(pattern, words) for pattern in (_SIGNED, _PERSONAL, *(pattern for pattern, _, _ in _MAKERS)))


def _text(field: Field, page: str) -> Gold:
    """What to write into a field that is no box to be ticked."""
    words = words_of(field.name).lower()
    if re.search(_SIGNED, words):
        first, _, last = _person(words, page)
        return Gold("signature", f"{first[0]}{last[0]}" if "initial" in words else f"{first} {last}")
    draw = _Draw(page, field.name)
    made = (Gold(matcher, make(draw)) for pattern, matcher, make in _MAKERS if re.search(pattern, words))
    return _personal(words, page) or next(made, None) or _anything(words, draw)


def _personal(words: str, page: str) -> Gold | None:
    """A name or a part of one."""
    first, middle, last = _person(words, page)
    parts = (
        (r"first name", "text", first),
        (r"last name|surname", "text", last),
        (r"middle initial", "text", middle[0]),
        (r"middle name", "text", middle),
        (r"\bsuffix\b", "text", "Jr."),
        (r"full name|\b(relative|reference ?\d*|applicant) name", "name", f"{first} {last}"),
    )
    return next((Gold(matcher, value) for pattern, matcher, value in parts if re.search(pattern, words)), None)


def _person(words: str, page: str) -> tuple[str, str, str]:
    """First, middle and last name of whom a field is about."""
    who = re.sub(r"\b(preferred|first|middle|last|full|name|suffix|signature|initials?)\b", "", words)
    draw = _Draw(page, " ".join(who.split()))
    return draw.one(_FIRST), draw.one(_FIRST), draw.one(_LAST)


def _anything(words: str, draw: _Draw) -> Gold:
    """A number where a name ends in a number, as those of lines of tax forms do; otherwise two words."""
    if re.search(r"\d\w*$", words):
        return Gold("number", f"{draw.number(1, 9)},{draw.digits(3)}")
    return Gold("text", f"{draw.one(_COMPANIES)} {draw.one(_CITIES)}")
