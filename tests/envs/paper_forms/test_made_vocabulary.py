"""The vocabulary of the training pages, the answers made from it, and the blocks of dense forms."""

import json
from functools import cache

import numpy as np
import pytest
from form_checks import contains_box
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.files import load
from formgym.envs.core.randomness import Sampler
from formgym.envs.paper_forms.made_pages import fake_answers, vocabulary
from formgym.envs.paper_forms.made_pages.page_canvas import Area, Canvas
from formgym.envs.paper_forms.made_pages.page_generator import block as block_of
from formgym.envs.paper_forms.made_pages.page_settings import settings
from formgym.envs.paper_forms.made_pages.style import draw_style
from formgym.envs.paper_forms.made_pages.vocabulary import FOLDER, KINDS, LANGUAGES

DENSE = tuple(settings().genres["application"].first)
ENGLISH = "english_texts.json", vocabulary.EnglishTexts
LEAST_LABELS = {"en": 900} | dict.fromkeys(set(LANGUAGES) - {"en"}, 250)


# -- Vocabulary ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_enough_to_say(language):
    words = vocabulary.words(language)
    assert sum(map(len, words.labels.values())) >= LEAST_LABELS[language]
    assert min(len(words.heads), len(words.titles)) >= 30
    assert any(choice.ask for choice in words.choices)
    assert any(len(heads) == 2 for heads in words.who)


def test_english_forms_ask_in_many_ways():
    words, english = vocabulary.words(), vocabulary.english()
    assert all(words.labels[kind] for kind in KINDS)
    assert all(len(labels) > 1 for sets in english.sets.values() for labels in sets)
    assert len(english.tables) >= 120
    assert any(table.rows for table in english.tables)
    assert any(column.group for table in english.tables for column in table.columns)
    assert all(1 <= sum(isinstance(part, vocabulary.Blank) for part in parts) <= 5 for parts in english.prose)


@pytest.mark.parametrize(
    ("file", "model", "spoil", "named"),
    [
        ("en.json", vocabulary.LanguageFile, lambda d: d["labels"].update(dat=["Date"]), "labels.dat"),
        ("en.json", vocabulary.LanguageFile, lambda d: d["labels"]["date"].append("Date"), "labels"),
        ("de.json", vocabulary.LanguageFile, lambda d: d["heads"].append(" Kopf"), "heads"),
        ("fr.json", vocabulary.LanguageFile, lambda d: d["choices"][3].update(options=["Oui"]), "choices.3.options"),
        (
            "english_texts.json",
            vocabulary.EnglishTexts,
            lambda d: d["tables"][1].update(columns=[["Name"]]),
            "tables.1.columns",
        ),
        (
            "english_texts.json",
            vocabulary.EnglishTexts,
            lambda d: d["sets"]["memo"][0].update(TO="nobody"),
            "sets.memo.0",
        ),
        (*ENGLISH, lambda d: d["prose"].append("I, {who:Name}, agree."), "prose"),
        (*ENGLISH, lambda d: d["prose"].append("Nothing is asked."), "prose"),
        (*ENGLISH, lambda d: d.pop("questions"), "questions"),
        (*ENGLISH, lambda d: d.update(questions=[1]), "questions.0"),
        (*ENGLISH, lambda d: d["questions"].update(name=5), "questions.0.1"),
        (*ENGLISH, lambda d: d["questions"].update(name={"Who?": 1}), "questions.0.1"),
        (*ENGLISH, lambda d: d["sets"].update(memo=[7]), "sets.memo.0"),
        (*ENGLISH, lambda d: d["sets"]["memo"][0].update(TO=None), "sets.memo.0.0.1"),
        (*ENGLISH, lambda d: d["footers"].append(""), "footers"),
        ("answers.json", fake_answers.Answers, lambda d: d.pop("vin"), "vin"),
        ("answers.json", fake_answers.Answers, lambda d: d["date"].append("{{ word('mouth') }} 1"), "mouth"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_field(tmp_path, file, model, spoil, named):
    data = json.loads((FOLDER / file).read_text("utf-8"))
    spoil(data)
    broken = tmp_path / file
    broken.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ValueError, match="is not valid") as caught:
        load(model, broken)
    assert file in str(caught.value)
    assert named in str(caught.value)


# -- Answers -------------------------------------------------------------------------------------------------------


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32))
@hypothesis_settings(max_examples=some(75, 300), deadline=None)
def test_answers_are_texts_in_one_line_with_nothing_left_to_fill(kind, seed):
    text = fake_answers.answer_text(np.random.default_rng(seed), kind)
    assert text == text.strip()
    assert text.isprintable()
    assert not set(text) & set("{}^")
    assert 0 < len(text) < (900 if kind == "long" else 120)
    assert text == fake_answers.answer_text(np.random.default_rng(seed), kind)


def test_answers_are_as_long_as_their_kinds_ask():
    rng = np.random.default_rng(1)
    length = {kind: np.median([len(fake_answers.answer_text(rng, kind)) for _ in range(300)]) for kind in KINDS}
    assert length["initials"] <= 4
    assert length["state"] == 2
    assert length["zip"] == 5
    assert length["small_number"] < length["money"] < length["name"] < length["address"] < length["long"]


def test_answers_of_a_kind_differ_in_width():
    rng = np.random.default_rng(2)
    for kind in ("name", "date", "money", "code", "company", "subject", "long"):
        assert len({len(fake_answers.answer_text(rng, kind)) for _ in range(200)}) >= 5, kind


# -- Dense blocks --------------------------------------------------------------------------------------------------


@cache
def drawn(block):
    """Sheets with a block near their tops, of those seeds whose sheets have room for it; some of them in French."""
    sheets = []
    for seed in range(12):
        random = Sampler(np.random.default_rng(seed))
        sheet = Canvas(random, draw_style(random, 1000, "en" if seed % 4 else "fr"), 1000, 1300)
        if sheet.attempt(block_of(block), Area(sheet.left, sheet.top, sheet.right)) is not None:
            sheets.append(sheet)
    return sheets


@pytest.mark.parametrize("block", DENSE)
def test_a_dense_block_asks_and_its_examples_hold_together(block):
    assert sum(len(sheet.drafts) for sheet in drawn(block)) > 5
    for sheet in drawn(block):
        gray = np.asarray(sheet.picture)
        for draft in sheet.drafts:
            assert contains_box((0, 0, sheet.width, sheet.height), draft.box), draft
            if draft.kind in ("cell", "table", "comb"):
                assert contains_box(draft.reach, draft.box), draft
            for text, label in draft.parts:
                left, top, right, bottom = (round(edge) for edge in label)
                assert np.ptp(gray[top:bottom, left:right]) > 100, (text, "is not printed where its box is")


@pytest.mark.parametrize("block", DENSE)
def test_a_dense_block_prints_nothing_over_its_answers(block):
    # Only parentheses for an area code and the marks of a comb are written over.
    covered = total = 0
    for sheet in drawn(block):
        words = [word.box for word in sheet.words if word.text not in "()$"]
        for left, top, right, bottom in (d.box for d in sheet.drafts if d.kind not in ("tick", "comb")):
            total += 1
            covered += any(w[0] < right and left < w[2] and w[1] < bottom and top < w[3] for w in words)
    assert covered <= 0.01 * total


def test_dense_pages_ask_in_all_their_ways_and_tell_apart_what_is_asked_twice():
    sheets = [sheet for block in DENSE for sheet in drawn(block)]
    assert {"cell", "tick", "comb", "table", "line", "above"} <= {d.kind for sheet in sheets for d in sheet.drafts}
    twice = 0
    for sheet in sheets:
        targets = [draft.parts[0][0] for draft in sheet.drafts if len(draft.parts) == 1]
        twice += len(targets) - len(set(targets))
    assert twice <= 5
