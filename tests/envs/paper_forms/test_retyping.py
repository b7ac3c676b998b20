"""Answers with the spacing of OCR: retyped as people write they are right, with a character changed wrong.

They are those of ``ocr_answers.json``, which are ours, and those of FUNSD where its files are there.
``retyped`` is a typist of its own, who knows nothing of how texts are compared.
"""

from __future__ import annotations

import json
import random
import re
import string

import pytest
from paths import DATA

from formgym.envs.core.scoring import Gold
from formgym.envs.paper_forms.datasets.funsd import data_folder, funsd_pages

# What a typist sets without a space, each with how.
TYPIST = (
    (r"\s+([.,;:!?%)\]])", r"\1"),
    (r"([(\[$#])\s+", r"\1"),
    (r"\s*/\s*", "/"),
    (r"(?<=\w)\s*-\s*(?=\w)", "-"),
    (r"(?<=\d)([.:])\s+(?=\d)", r"\1"),
    (r"(?<=\d),\s+(?=\d{3}\b)", ","),
    (r"(?<=[A-Za-z])([,;])(?=[A-Za-z])", r"\1 "),
    (r"\b([A-Z])\.\s+(?=[A-Z]\.)", r"\1."),
    (r"(?<=\d)%(?=[A-Za-z])", "% "),
)


def retyped(text: str) -> str:
    for pattern, replacement in TYPIST:
        text = re.sub(pattern, replacement, text)
    return " ".join(text.split())


@pytest.fixture(scope="module", params=["ours", "FUNSD"])
def answers(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "ours":
        return list(json.loads((DATA / "ocr_answers.json").read_text(encoding="utf-8")))
    try:
        pages = funsd_pages(data_folder(None, "train")).values()
    except ValueError as error:
        pytest.skip(str(error))
    found = sorted({gold.value for page in pages for gold in page.answers.values() if gold.value})
    assert len(found) > 1500
    return found


def test_typist() -> None:
    assert retyped("(614) 466- 5087") == "(614) 466-5087"
    assert retyped("12 /10 /98 at 9: 30, 85.14 %") == "12/10/98 at 9:30, 85.14%"
    assert retyped("A. W. Spears ,Jr .") == "A.W. Spears, Jr."


def test_answers_retyped_are_right(answers: list[str]) -> None:
    assert len(answers) >= 50
    assert sum(retyped(answer) != answer for answer in answers) > 0.2 * len(answers)
    refused = [(retyped(answer), answer) for answer in answers if not Gold("text", answer).accepts(retyped(answer))]
    assert refused == []


def changed(text: str, rng: random.Random) -> list[str]:
    """``text`` with each of at most six letters, digits, signs and percent signs changed or, if it is a sign, lost."""
    places = [i for i, c in enumerate(text) if c in string.ascii_letters + string.digits + "%+"]
    places += [found.start() for found in re.finditer(r"(?<!\S)-(?=\d)", text)]
    wrong = []
    for i in rng.sample(places, min(len(places), 6)):
        c = text[i]
        pool = string.digits if c.isdigit() else string.ascii_lowercase
        other = rng.choice([o for o in pool if o != c.lower()]) if c.isalnum() else ""
        wrong.append(text[:i] + other + text[i + 1 :])
    return wrong


def test_answers_with_a_character_changed_are_wrong(answers: list[str]) -> None:
    accepted = [
        (wrong, answer)
        for answer in answers
        for wrong in changed(retyped(answer), random.Random(answer))
        if Gold("text", answer).accepts(wrong)
    ]
    assert accepted == []


def test_numbers_with_a_sign_added_are_wrong(answers: list[str]) -> None:
    numbers = [answer for answer in answers if re.fullmatch(r"\$?[\d.,]*\d", answer) and answer.strip("$0.,")]
    assert len(numbers) >= 3
    accepted = [
        (wrong, answer)
        for answer in numbers
        for wrong in (f"-{answer}", f"+{answer}", f"{answer}%", f"({answer})")
        if Gold("text", answer).accepts(wrong)
    ]
    assert accepted == []
