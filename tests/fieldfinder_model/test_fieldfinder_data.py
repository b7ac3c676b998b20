"""FieldFinder's data: what is erased, what is asked for, where its field is, and how sets are cut into folds."""

import json

import form_nlu_fixture
import funsd_fixture
import gymnasium as gym
import numpy as np
import published_checkout
import pytest
import xfund_fixture
from conftest import _BESIDE
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG, some

from formgym.envs.paper_forms.published.env import OfficialEnv
from formgym.envs.paper_forms.scans.degradation import long_runs
from formgym.fieldfinder_model.data import erasing
from formgym.fieldfinder_model.data.building import field_of
from formgym.fieldfinder_model.data.erasing import cleared, gray_of, picture_of
from formgym.fieldfinder_model.data.example_pages import built_pages, document_of, fold, folds, groups, pages
from formgym.fieldfinder_model.data.sources import sources


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="module")
def funsd(tmp_path_factory):
    return str(funsd_fixture.write_fixture(tmp_path_factory.mktemp("funsd")))


def _only(root, protocol, **options):
    return next(pages("funsd", protocol, root=root, limit=1, **options))


def _ink(gray, box):
    left, top, right, bottom = (int(edge) for edge in box)
    return (gray[top:bottom, left:right] < funsd_fixture.PAPER - 60).sum()


def _without_rules(gray):
    result = gray.copy()
    for left, top, right, bottom in funsd_fixture.RULES.values():
        result[top - 1 : bottom + 1, left - 1 : right + 1] = funsd_fixture.PAPER
    return result


# -- What is asked for -----------------------------------------------------------------------------------------------


def test_answers_are_asked_for_by_their_questions(funsd):
    page = _only(funsd, "answers")
    assert [example.target for example in page.examples] == ["NAME:", "DATE:", "TOTAL | UNITS", "UNITS"]
    assert [example.kind for example in page.examples] == ["line", "line", "table", "table"]
    for example in page.examples:
        assert len(example.labels) == len(example.target.split(" | "))


def test_what_makes_no_target_is_counted(funsd):
    (built,) = built_pages("funsd", "answers", root=funsd, limit=1)
    assert built.dropped == {"empty text": 1, "no question": 1}


def test_a_question_has_the_envelope_of_its_answers(tmp_path):
    root = str(xfund_fixture.write_fixture(tmp_path, ("fr.train",)))
    answers = next(pages("xfund/fr", "answers", root=root))
    questions = next(pages("xfund/fr", "questions", root=root))
    assert [e.target for e in questions.examples] == ["Prénom :", "Montant"]
    assert [e.target for e in answers.examples] == ["Prénom :", "Montant"]
    amount, first = questions.examples[1].box, answers.examples[1].box
    assert amount[3] > first[3]
    assert amount[2] > first[2]
    assert questions.examples[1].kind == "table"


def test_pages_that_are_scaled_down_have_their_boxes_scaled(tmp_path):
    root = str(xfund_fixture.write_fixture(tmp_path, ("fr.train",)))
    page = next(pages("xfund/fr", root=root))
    assert page.gray.shape == (1764, 1247)
    for word in page.words:
        assert 0 <= word.box[0] < word.box[2] <= 1247
    (name,) = (word for word in page.words if word.text == "Prénom")
    assert name.box[0] == pytest.approx(150 * 1764 / 2339, abs=3)


def test_of_a_language_that_is_not_there_is_told(tmp_path):
    root = str(xfund_fixture.write_fixture(tmp_path, ("fr.train",)))
    with pytest.raises(ValueError, match=r"pt\.train\.json"):
        list(pages("xfund/pt", root=root))


def test_notices_have_words_though_none_are_annotated(tmp_path):
    root = str(form_nlu_fixture.write_fixture(tmp_path))
    page = next(pages("form_nlu", root=root, split="val"))
    result = [word.text for word in page.words]
    assert " ".join(result[:2]) == "Form 604"
    assert not {"QUARRY", "Harriet"} & set(result)
    targets = [example.target for example in page.examples]
    assert set(targets) == set(form_nlu_fixture.KEYS)
    assert len(targets) == len(form_nlu_fixture.KEYS) - 1, "of two targets of one name the first is kept"


def test_ancestors_are_nearest_first_and_rows_come_before_columns(tmp_path):
    root = funsd_fixture.write_fixture(tmp_path, ("training_data",))
    _link(root, [[4, 0], [4, 5], [7, 6]])
    targets = {example.target for example in _only(str(root), "answers").examples}
    # Its answer stands on the line of TOTAL, which has a header; UNITS has none.
    assert "TOTAL | UNITS | FILING" in targets
    assert "NAME: | FILING" in targets


def test_links_in_a_circle_end(tmp_path):
    root = funsd_fixture.write_fixture(tmp_path, ("training_data",))
    _link(root, [[0, 2], [2, 0]])
    targets = [example.target for example in _only(str(root), "answers").examples]
    assert targets[:2] == ["NAME: | DATE:", "DATE: | NAME:"]


def _link(root, links):
    for file in (root / "training_data" / "annotations").glob("*.json"):
        result = json.loads(file.read_text())
        result["form"][0]["linking"] += links
        file.write_text(json.dumps(result))


# -- Erasing ---------------------------------------------------------------------------------------------------------


def test_no_answer_is_seen_and_what_is_printed_stays(funsd):
    (source, _) = sources("funsd", funsd)
    before, page = gray_of(picture_of(source)), _only(funsd, "answers")
    for part in source.parts.values():
        if part.label == "answer":
            assert _ink(_without_rules(page.gray), part.box) <= 0.02 * _ink(before, part.box), part.text
        else:
            assert _ink(page.gray, part.box) == _ink(before, part.box)
    for name, rule in funsd_fixture.RULES.items():
        area = (rule[2] - rule[0]) * (rule[3] - rule[1])
        assert _ink(page.gray, rule) > 0.98 * area, name


def test_words_are_those_that_stand(funsd):
    source = next(sources("funsd", funsd))
    texts = {part.id: part.text for part in source.parts.values()}
    page, alone = _only(funsd, "answers"), list(pages("funsd", "single", root=funsd, limit=1))
    assert " ".join(word.text for word in page.words) == "NAME: DATE: FILING TOTAL UNITS"
    for one in alone:
        result = " ".join(word.text for word in one.words)
        key = int(one.name.split("#")[1])
        assert texts[key] not in result
        assert all(text in result for i, text in texts.items() if i != key)


def test_alone_all_other_answers_stand(funsd):
    source = next(sources("funsd", funsd))
    before = gray_of(picture_of(source))
    for one in pages("funsd", "single", root=funsd, limit=1):
        (example,) = one.examples
        assert document_of(one.name) == source.name
        key = int(one.name.split("#")[1])
        for part in source.answers:
            if part.id == key:
                assert example.box == part.box
            elif part.text:
                assert _ink(one.gray, part.box) == _ink(before, part.box)


def test_an_answer_that_stays_visible_is_no_target(funsd, monkeypatch, tmp_path):
    from formgym.fieldfinder_model.data import erasing

    real = erasing.erased

    def half_erased(pixels, boxes, others):
        first = min(boxes)
        return real(pixels, [(first[0], first[1], first[0] + 5, first[3])], others)

    monkeypatch.setattr(erasing, "erased", half_erased)
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path))
    (built,) = built_pages("funsd", "answers", root=funsd, limit=1)
    assert built.dropped["still visible"] == 4
    assert not built.page.examples
    assert list(pages("funsd", "answers", root=funsd, limit=1)) == []


def test_decoys_change_blank_paper_only(funsd):
    source = next(sources("funsd", funsd))
    plain, decoyed = cleared(source).gray, cleared(source, decoys=True).gray
    rows, columns = np.nonzero(plain != decoyed)
    assert len(rows)
    assert (abs(plain.astype(int) - decoyed)[rows, columns] < 60).all(), "no ink comes or goes"
    for part in source.parts.values():
        left, top, right, bottom = part.box
        assert not ((rows >= top) & (rows < bottom) & (columns >= left) & (columns < right)).any()


# -- Fields ----------------------------------------------------------------------------------------------------------


def _blank(height=200, width=400):
    return np.full((height, width), 240, np.uint8)


def test_a_field_reaches_to_words_rules_and_margins():
    gray = _blank()
    gray[60:140, 300:302] = 20
    gray[112:114, 20:380] = 20
    assert field_of((100, 90, 150, 110), gray, [(10, 92, 60, 108)]) == pytest.approx((60, 80, 300, 112), abs=1)
    assert field_of((100, 90, 150, 110), _blank(), []) == (8, 80, 392, 120)
    assert field_of((100, 90, 150, 110), _blank(), [(90, 70, 200, 84)]) == (8, 84, 392, 120)


def test_a_rule_that_an_answer_hangs_over_bounds_its_field():
    gray = _blank()
    gray[106:108, 20:380] = 20
    assert field_of((100, 90, 150, 110), gray, [])[3] == 110


boxes = st.tuples(st.integers(0, 350), st.integers(0, 170), st.integers(6, 50), st.integers(6, 30)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@settings(max_examples=some(15, 60), deadline=None)
@given(boxes, st.lists(boxes, max_size=6))
def test_a_field_holds_its_answer_and_nothing_that_is_apart_from_it(box, others):
    gray = _blank()
    for left, top, right, bottom in others:
        gray[top:bottom:3, left:right:2] = 20
    field = field_of(box, gray, others)
    assert field[0] <= box[0] < box[2] <= field[2]
    assert field[1] <= box[1] < box[3] <= field[3]
    for other in others:
        shared = min(other[3], box[3]) - max(other[1], box[1])
        beside = shared > 0.25 * min(other[3] - other[1], box[3] - box[1])
        if beside and other[2] <= box[0]:
            assert field[0] >= other[2]
        if beside and other[0] >= box[2]:
            assert field[2] <= other[0]


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 12))
def test_long_runs_are_the_runs_that_are_long(row, min_length):
    result = long_runs(np.array([row]), min_length)[0].tolist()
    text = "".join("x" if ink else " " for ink in row)
    expected = [False] * len(row)
    for start in range(len(row)):
        if text[start : start + min_length] == "x" * min_length:
            expected[start : start + min_length] = [True] * min_length
    assert result == expected


# -- The cache -------------------------------------------------------------------------------------------------------


def test_what_was_made_is_kept_by_content(funsd, tmp_path, monkeypatch):
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path / "cache"))
    first = _only(funsd, "answers")
    (kept,) = (tmp_path / "cache").rglob("*.png")
    monkeypatch.setattr(erasing, "cleared", None)
    again = _only(funsd, "answers")
    assert np.array_equal(first.gray, again.gray)
    assert first.examples == again.examples
    kept.write_bytes(b"broken")
    with pytest.raises(TypeError):
        _only(funsd, "answers")


def test_without_a_place_for_the_cache_pages_are_made_all_the_same(funsd, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path / "file"))
    assert _only(funsd, "answers").examples


# -- Folds -----------------------------------------------------------------------------------------------------------


def test_pages_of_one_form_are_in_one_fold(funsd):
    result = folds("funsd", 50, root=funsd)
    assert sorted(result) == ["training_data_0", "training_data_1"]
    form = {f"word{i}" for i in range(20)}
    other = {f"other{i}" for i in range(20)}
    result = groups({"c": form | {"x"}, "a": form, "b": other, "d": (form - {"word1"}) | {"y"}})
    assert result == {"a": "a", "b": "b", "c": "a", "d": "a"}


def test_pages_with_few_words_are_like_no_other():
    assert groups({"a": {"date"}, "b": {"date"}}) == {"a": "a", "b": "b"}


def test_folds_are_about_even_and_the_same_in_every_process():
    assert [fold(name, 5) for name in ("0000971160", "0000989556", "Ärger")] == [2, 1, 3]
    counts = np.bincount([fold(f"page {i}", 5) for i in range(1000)], minlength=5)
    assert counts.min() > 150


# -- Our own forms, and what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "protocol"), [("auto_loans", "answers"), ("scans", "answers")])
def test_our_own_forms_have_their_fields(name, protocol):
    made = list(pages(name, protocol, limit=3))
    assert len(made) == 3
    for page in made:
        assert page.gray.dtype == np.uint8
        for example in page.examples:
            left, top, right, bottom = example.box
            assert 0 <= left < right <= page.gray.shape[1]
            assert 0 <= top < bottom <= page.gray.shape[0]
        targets = [example.target for example in page.examples]
        assert len(targets) == len(set(targets))


def test_the_published_forms_have_their_fields(tmp_path):
    root = published_checkout.write_fixture(tmp_path / "checkout")
    for source in root.glob("*.py"):
        source.unlink()
    with pytest.warns(UserWarning, match="al_4_0 is left out"):
        made = list(pages("official", root=str(root)))
    published_checkout.write_fixture(tmp_path / "whole")
    env = OfficialEnv(str(tmp_path / "whole"), user=0)
    assert [f"{page.name}/0" for page in made] == list(env.task_ids)
    for page in made:
        targets = [example.target for example in page.examples]
        assert targets
        assert len(targets) == len(set(targets))
        observation, _ = env.reset(options={"task": f"{page.name}/0"})
        assert page.gray.shape == observation["page"].shape[:2]


def test_the_field_of_a_scan_is_blank_where_the_environment_says():
    env = gym.make("FormGym/Scans-v0")
    for page in pages("scans", limit=3):
        observation, _ = env.reset(options={"task": page.name.partition("#")[0]})
        assert (page.gray == observation["page"].min(axis=2)).all()
        for example, target in zip(page.examples, env.unwrapped.state.task.targets, strict=True):
            assert (example.target, example.box) == (target.label, pytest.approx(target.blank))


def test_what_there_is_not_is_told():
    with pytest.raises(ValueError, match="protocol 'all' is none of"):
        pages("funsd", "all")
    with pytest.raises(ValueError, match="no annotated data set 'cord'"):
        list(pages("cord"))
    with pytest.raises(ValueError, match="decoys go with"):
        pages("auto_loans", decoys=True)
    with pytest.raises(ValueError, match="neither 'test' nor 'train'"):
        list(pages("scans", split="val"))


@LONG
@pytest.mark.skipif(not (_BESIDE / "funsd").is_dir(), reason="needs FUNSD beside the checkout")
@pytest.mark.parametrize("protocol", ["answers", "questions", "single"])
def test_real_pages(protocol):
    made = list(built_pages("funsd", protocol, root=str(_BESIDE / "funsd"), limit=3))
    assert len({built.document for built in made}) == 3
    assert sum(len(built.page.examples) for built in made) > 30
    for built in made:
        height, width = built.page.gray.shape
        for example in built.page.examples:
            assert 0 <= example.field[0] <= example.box[0] < example.box[2] <= example.field[2] <= width
            assert 0 <= example.field[1] <= example.box[1] < example.box[3] <= example.field[3] <= height
