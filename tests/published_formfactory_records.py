"""Gold values and source texts of the fixture of FormFactory's checkout: seeded, of plainly fictitious people.

``published_formfactory/recipes.json`` says how each key's value is drawn: one of a list, or a text in which ``{a|b}``
is one of the alternatives and ``{money 5 90}`` a method of ``Draw``. Its "odd" are values that no control takes.
"""

from __future__ import annotations

import json
import re
from datetime import date
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

RECIPES = json.loads(Path(__file__).with_name("published_formfactory").joinpath("recipes.json").read_text("utf-8"))
FIRST = "Quillon Marabel Tobrin Ysolde Fennick Orsola Bramwell Zephira Ignatz Philippa Ozias Wilhelmina".split()
LAST = ("Featherby", "Umberstone", "O'Pumpernickel", "Thistlewick", "van der Snood", "Ruiz-Invento", "Æsop", "Müllerby")
DATE_FORMATS = ("%Y/%m/%d", "%B %d, %Y", "%Y-%m-%d", "%m/%d/%Y", "%d %b %Y")
COURSES = (
    *("Linear Algebra", "Organic Chemistry", "Data Structures", "World History", "Microeconomics", "Technical Writing"),
    *("Introduction to Robotics", "Statistics II", "Art of the Baroque", "Operating Systems"),
)
STEPS = ("Open the monthly ledger", "Choose Export from the menu", "Pick a folder with 2 or more files")
COMMON = {
    "firm": "{Hollow Moon|Blue Teapot|Nine Gears|Umbra & Sons} {Ltd.|Works|Inc.|Cooperative}",
    "phone": [f"{start}{{digits 10 99}}" for start in ("555-01", "(555) 555-01", "+1 555 555 01", "55555501")],
    "place": "{digits 1 999} {Imaginary Row|Nowhere Lane}, {Exampleton|Sampleford|Port Pretend} 00{digits 100 999}",
    "tick": [True, False, "Yes", "No"],
}
_SLOT = re.compile(r"\{([^{}]*)\}")


class Draw(Random):
    """Random values in the variety of hand-made data; no name comes twice."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.index = 0
        self.people = list(product(FIRST, LAST))
        self.shuffle(self.people)

    def value(self, recipe: Any) -> Any:
        """A value by a recipe: of any type if the recipe is one slot, else a text."""
        if isinstance(recipe, list):
            return self.value(self.choice(recipe))
        if not isinstance(recipe, str):
            return recipe
        if whole := _SLOT.fullmatch(recipe):
            return self._slot(whole[1])
        return _SLOT.sub(lambda match: str(self._slot(match[1])), recipe)

    def _slot(self, slot: str) -> Any:
        name, *arguments = slot.split(" ", 3)
        if slot in COMMON:
            return self.value(COMMON[slot])
        if hasattr(self, f"draw_{name}"):
            return getattr(self, f"draw_{name}")(*(int(a) if a.isdigit() else a for a in arguments))
        return self.choice(slot.split("|"))

    def draw_number(self) -> str:
        return f"{self.index:02}"

    def draw_name(self, start: int = 0, end: int = 2) -> str:
        return " ".join(self.people[self.index][start:end])

    def draw_email(self) -> str:
        local = re.sub("[^a-z.]", "", self.draw_name().lower().replace(" ", "."))
        return f"{local}@example.{self.choice(('com', 'org', 'net'))}"

    def draw_day(self, first: int, last: int) -> str:
        day = date(self.randint(first, last), self.randint(1, 12), self.randint(1, 28))
        return day.strftime(self.choice(DATE_FORMATS))

    def draw_money(self, low: int, high: int) -> int | float | str:
        amount = self.randint(low, high)
        return self.choice((amount, amount + 0.5, str(amount), f"{amount:,}", f"${amount:,}.00"))

    def draw_sentences(self, low: int, high: int, options: str) -> str:
        return " ".join(self.choices(options.split("|"), k=self.randint(low, high)))

    def draw_digits(self, low: int, high: int) -> int | str:
        digits = self.randint(low, high)
        return self.choice((digits, str(digits)))

    def draw_some(self, low: int, high: int, options: str) -> list[str]:
        return self.sample(options.split("|"), self.randint(low, high))

    def draw_steps(self) -> str:
        return _numbered(STEPS, ")") if self.index in (1, 33) else "; ".join(STEPS) + "."

    def draw_courses(self) -> list[str]:
        return self.sample(COURSES, 3 if _lists_courses(self.index) else self.randint(2, 4))

    def draw_third(self, third: str, others: str) -> str:
        return self.choice((third if self.index % 3 == 0 else others).split("|"))


def records(form_id: str) -> list[dict[str, Any]]:
    """The gold of a form, as in data/data1."""
    form, draw, gold = RECIPES[form_id], Draw(form_id), []
    for draw.index in range(1, form.get("count", 50) + 1):
        record = {key: draw.value(recipe) for key, recipe in form["keys"].items()}
        gold.append(record | {key: odd for key in record if (odd := form["odd"].get(f"{draw.index} {key}"))})
    return gold


def source_text(form_id: str, gold: list[dict[str, Any]]) -> str:
    """The texts of a form, as in data/data2."""
    form, texts = RECIPES[form_id], []
    for index, record in enumerate(gold, 1):
        values = [_words(value, form_id == "A15" and _lists_courses(index)) for value in record.values()]
        text = form["texts"][index % len(form["texts"])].format(*values)
        texts.append(f"{index}{form.get('mark', '.')} {text}".rstrip())
    return form.get("gap", "\n\n").join(texts) + "\n"


def _words(value: Any, as_lines: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return _numbered(value) if as_lines else ", ".join(value)
    return str(value)


def _numbered(items: Any, mark: str = ".") -> str:
    return "".join(f"\n{index}{mark} {item}" for index, item in enumerate(items, 1)) + "\n"


def _lists_courses(index: int) -> bool:
    """Whether a text has its courses as a numbered list of three: 28 of 50 have, the second too."""
    return index * 28 // 50 != (index - 1) * 28 // 50
