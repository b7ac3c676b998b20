"""The vocabulary of the training pages, the answers made from it, and the blocks of dense forms."""

import json
from collections import Counter

import numpy as np
import pytest
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


def sheet_of(seed, language="en", width=1000):
    random = Sampler(np.random.default_rng(seed))
    return Canvas(random, draw_style(random, width, language), width, 1300)


def drawn(block, seed, language="en"):
    """A sheet with a block near its top, or None if the block had no room."""
    sheet = sheet_of(seed, language)
    return sheet if sheet.attempt(block_of(block), Area(sheet.left, sheet.top, sheet.right)) is not None else None


def inside(one, other, slack=0.01):
    return (
        other[0] - slack <= one[0]
        and other[1] - slack <= one[1]
        and one[2] <= other[2] + slack
        and one[3] <= other[3] + slack
    )


# -- Vocabulary ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_enough_to_say(language):
    words = vocabulary.words(language)
    assert sum(map(len, words.labels.values())) >= LEAST_LABELS[language]
    assert min(len(words.heads), len(words.titles)) >= 30
    assert any(choice.ask for choice in words.choices)
    assert any(len(heads) == 2 for heads in words.who)


def test_english_labels_ask_for_every_kind():
    assert all(vocabulary.words().labels[kind] for kind in KINDS)


def test_every_genre_has_sets_of_labels():
    assert all(len(labels) > 1 for sets in vocabulary.english().sets.values() for labels in sets)


def test_tables_have_columns_and_some_have_groups_and_rows():
    tables = vocabulary.english().tables
    assert len(tables) >= 120
    assert any(table.rows for table in tables)
    assert any(column.group for table in tables for column in table.columns)
    assert all(column.kind in KINDS for table in tables for column in table.columns)


def test_prose_is_cut_at_its_blanks():
    for parts in vocabulary.english().prose:
        blanks = [part for part in parts if isinstance(part, vocabulary.Blank)]
        assert 1 <= len(blanks) <= 5
        assert not any("{" in part or "}" in part for part in parts if isinstance(part, str))
        assert all(blank.kind in KINDS and blank.ask for blank in blanks)


def test_the_files_stay_small_and_readable():
    files = sorted(FOLDER.glob("*.json"))
    assert sum(file.stat().st_size for file in files) < 600_000
    assert max(len(line) for file in files for line in file.read_text("utf-8").splitlines()) < 500


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


@pytest.mark.parametrize("block", DENSE)
def test_a_dense_block_asks_and_its_examples_hold_together(block):
    fields = 0
    for seed in range(12):
        sheet = drawn(block, seed, "en" if seed % 4 else "fr")
        if sheet is None:
            continue
        fields += len(sheet.drafts)
        gray = np.asarray(sheet.picture)
        for draft in sheet.drafts:
            assert inside(draft.box, (0, 0, sheet.width, sheet.height)), draft
            if draft.kind in ("cell", "table", "comb"):
                assert inside(draft.box, draft.reach), draft
            for text, label in draft.parts:
                left, top, right, bottom = (round(edge) for edge in label)
                assert np.ptp(gray[top:bottom, left:right]) > 100, (text, "is not printed where its box is")
    assert fields > 5


@pytest.mark.parametrize("block", DENSE)
def test_a_dense_block_prints_nothing_over_its_answers(block):
    # Only parentheses for an area code and the marks of a comb are written over.
    covered = total = 0
    for seed in range(100, 110):
        sheet = drawn(block, seed)
        for draft in () if sheet is None else sheet.drafts:
            if draft.kind in ("tick", "comb"):
                continue
            total += 1
            box = draft.box
            words = [word for word in sheet.words if word.text not in "()$"]
            covered += any(
                word.box[0] < box[2] and box[0] < word.box[2] and word.box[1] < box[3] and box[1] < word.box[3]
                for word in words
            )
    assert covered <= 0.01 * total


@pytest.mark.parametrize("block", DENSE)
def test_the_same_seed_draws_the_same(block):
    one, two = sheet_of(5), sheet_of(5)
    for sheet in (one, two):
        block_of(block)(sheet, Area(sheet.left, sheet.top, sheet.right))
    assert one.drafts == two.drafts
    assert one.words == two.words
    assert np.array_equal(np.asarray(one.picture), np.asarray(two.picture))


def test_dense_pages_ask_in_all_their_ways():
    kinds = Counter()
    for block in DENSE:
        for seed in range(25):
            sheet = drawn(block, seed)
            kinds.update(draft.kind for draft in (sheet.drafts if sheet else ()))
    assert {"cell", "tick", "comb", "table", "line", "above"} <= set(kinds)


def test_what_is_asked_twice_is_told_apart():
    twice = 0
    for block in DENSE:
        for seed in range(15):
            sheet = drawn(block, seed)
            targets = [" | ".join(text for text, _ in draft.parts) for draft in (sheet.drafts if sheet else ())]
            plain = [target for target in targets if " | " not in target]
            twice += len(plain) - len(set(plain))
    assert twice <= 5
