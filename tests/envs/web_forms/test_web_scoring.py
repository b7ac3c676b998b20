"""Scores of web forms: every metric against a slow and plain count, on made fields and on every form of the suite."""

import random
from dataclasses import asdict, replace

import pytest
import sacrebleu
from sizes import sample, some

from formgym.envs.core.metrics import METRICS
from formgym.envs.core.scoring import FieldResult
from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.forms.form_fields import default_matcher
from formgym.envs.web_forms.instances.instance_generator import make_instance
from formgym.envs.web_forms.scoring import Bleu, FormScore, ScoredField, score_values, scored_fields
from formgym.experiments.running.episodes import Episode

ESSAY = "It's a “fine” day.\n\nWe walk by the sea, and then we go home."
FIELDS = (
    ScoredField("name", "Name", "text", "text", "Ann Lee", None),
    ScoredField("phone", "Phone", "tel", "phone", "(415) 555-0132", None),
    ScoredField("amount", "Amount", "number", "number", "12500", None),
    ScoredField("start", "Start", "date", "date", "2025-03-14", None),
    ScoredField("essay", "Essay", "textarea", "description", ESSAY, None),
    ScoredField("days", "Days", "checkbox_group", "choice", ["Mon", "Tue"], []),
    ScoredField("agree", "I agree", "checkbox", "choice", True, False),
    ScoredField("news", "Send me news", "checkbox", "choice", False, False),
    ScoredField("nickname", "Nickname", "text", "text", None, None),
    ScoredField("country", "Country", "select", "choice", "Atlantis", "Atlantis"),
    ScoredField("keep", "Keep me posted", "checkbox", "choice", False, True),
)
GOLD = {field.name: field.gold for field in FIELDS}
START = {field.name: field.initial for field in FIELDS}
N_WANTED = 8  # all but news, nickname and country


def metrics_of(values, submitted=True, finished=True):
    score = FormScore(FIELDS)
    score.enter(values)
    return score.metrics(submitted, finished)


def test_everything_right():
    metrics = metrics_of(GOLD)
    assert metrics["click_accuracy"] == 0
    assert all(value == 1 for name, value in metrics.items() if name != "click_accuracy")


def test_nothing_done_is_worth_nothing():
    for values in (START, {}, dict.fromkeys(START)):
        metrics = metrics_of(values)
        right = 1 if values is not START else 0  # a box that is ticked at first is unticked where there is none
        assert metrics["field_accuracy"] == right / N_WANTED
        assert metrics["success"] == 0
    assert metrics_of(START) == dict.fromkeys(metrics, 0.0) | {"submitted": 1.0}


@pytest.mark.parametrize(
    ("change", "right", "spoilt"),
    [
        ({"name": "ann  lee"}, 8, 0),
        ({"name": "Ann"}, 7, 0),
        ({"phone": "415.555.0132"}, 8, 0),
        ({"amount": "12,500.00"}, 8, 0),
        ({"amount": "-12500"}, 7, 0),
        ({"start": " 2025-03-14 "}, 8, 0),
        ({"start": "2025-03-15"}, 7, 0),
        ({"essay": ESSAY.replace("“", '"').replace("”", '"').replace("\n\n", " ")}, 8, 0),
        ({"essay": ESSAY.lower()}, 8, 0),
        ({"essay": ESSAY.replace("home", "hmoe")}, 7, 0),
        ({"essay": ESSAY.replace("“fine” day", "day")}, 7, 0),
        ({"phone": "(415) 555-0132 x"}, 7, 0),
        ({"phone": "-(415) 555-0132"}, 7, 0),
        ({"start": "-03/14/2025"}, 7, 0),
        ({"start": "03/14/0025"}, 7, 0),
        ({"days": ["Tue", "Mon"]}, 8, 0),
        ({"days": ["Mon"]}, 7, 0),
        ({"days": ["Mon", "Tue", "Wed"]}, 7, 0),
        ({"days": []}, 7, 0),
        ({"agree": False}, 7, 0),
        ({"agree": None}, 7, 0),
        ({"news": True}, 8, 1),
        ({"news": None}, 8, 0),
        ({"nickname": "Annie"}, 8, 1),
        ({"nickname": "  "}, 8, 0),
        ({"nickname": ""}, 8, 0),
        ({"country": "Lemuria"}, 8, 1),
        ({"country": ""}, 8, 1),
        ({"keep": True}, 7, 0),
        ({"news": True, "nickname": "x", "name": ""}, 7, 2),
    ],
)
def test_one_thing_otherwise(change, right, spoilt):
    metrics = metrics_of(GOLD | change)
    assert metrics["field_accuracy"] == right / N_WANTED
    assert metrics["strict_accuracy"] == right / (N_WANTED + spoilt)
    assert metrics["success"] == (right == N_WANTED and not spoilt)


def test_before_submission_the_draft_counts_and_an_end_without_it_takes_all_back():
    draft = metrics_of(GOLD, submitted=False, finished=False)
    assert draft["strict_accuracy"] == draft["field_accuracy"] == draft["value_accuracy"] == 1
    assert draft["success"] == draft["submitted"] == 0
    lost = metrics_of(GOLD, submitted=False, finished=True)
    assert lost["strict_accuracy"] == lost["success"] == lost["submitted"] == 0
    assert lost["field_accuracy"] == lost["value_accuracy"] == 1


def test_a_field_with_an_initial_value_may_be_left_or_hidden_where_it_has_no_answer():
    field = ScoredField("guests", "Guests", "number", "number", None, "1")
    assert [field.accepts(value) for value in ("1", None, "", "2")] == [True, True, False, False]
    assert not field.needs_entry
    kept = replace(field, gold="1")
    assert [kept.accepts(value) for value in ("1", "1.0", None, "")] == [True, True, False, False]
    assert not kept.needs_entry
    assert replace(field, gold="2").needs_entry


def test_choices_files_and_passwords_are_compared_to_the_letter():
    for control, gold, wrong in (
        ("file", "cv_lee.pdf", "cv-lee.pdf"),
        ("select", "C", "C."),
        ("password", "Sea-Horse-7", "sea-horse-7"),
    ):
        field = ScoredField("x", "X", control, "text" if control == "password" else "choice", gold)
        assert field.accepts(gold)
        assert not field.accepts(wrong)
    several = ScoredField("x", "X", "file", "choice", ["a.pdf"])
    assert several.accepts("a.pdf")
    assert replace(several, gold="a.pdf").accepts(["a.pdf"])


def test_full_stop_behind_an_address_of_the_web_is_part_of_it():
    for control, gold in (("email", "ann@example.org"), ("url", "https://example.org/ann")):
        field = ScoredField("x", "X", control, default_matcher(control), gold)
        assert field.accepts(gold.upper())
        assert not field.accepts(f"{gold}.")
        score = FormScore([field])
        score.output(f"{gold}.")
        assert score.metrics(True, True)["value_accuracy"] == 0
        score.output(f"{gold}\tsomething else")
        assert score.metrics(True, True)["value_accuracy"] == 1


@pytest.mark.parametrize(
    ("matcher", "gold", "output"),
    [
        ("text", "12,000", "12000"),
        ("text", "03/14/1982", "March 14, 1982"),
        ("text", "Smith and Sons", "Smith & Sons"),
        ("text", "Mount Vernon", "Mt. Vernon"),
        ("number", "0", "zero"),
        ("money", "0.00", "-"),
        ("date", "2025-03-14", "14 March 2025"),
    ],
)
def test_what_is_right_in_its_field_is_right_as_an_output(matcher, gold, output):
    field = ScoredField("x", "X", "text", matcher, gold)
    score = FormScore([field])
    score.output(output)
    assert score.metrics(True, True)["value_accuracy"] == field.accepts(output) == 1


def test_clicks_count_once_and_only_where_there_is_an_answer():
    score = FormScore(FIELDS)
    for name in ("name", "name", "days", "nickname", "no such field"):
        score.click(name)
    assert score.metrics(False, False)["click_accuracy"] == 2 / N_WANTED


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        (["Ann Lee"], 1),
        (["ann lee", "ANN LEE."], 1),
        (["Ann", "Lee"], 0),
        (["Ann Lee\t(415) 555-0132\t12500"], 3),
        (["03/14/2025"], 1),
        (["Mon"], 0),
        (["Tue", "Mon"], 1),
        (["I agree"], 1),
        (["Send me news", "Keep me posted"], 1),
        ([ESSAY], 1),
        (["Atlantis", "", "\t"], 0),
    ],
)
def test_published_value_asks_only_whether_it_was_told(outputs, told):
    score = FormScore(FIELDS)
    for text in outputs:
        score.output(text)
    metrics = score.metrics(True, True)
    assert metrics["value_accuracy"] == told / N_WANTED
    assert metrics["field_accuracy"] <= 1 / N_WANTED


def bleu(entered, gold=ESSAY):
    return min(sacrebleu.sentence_bleu(entered.strip(), [gold]).score / 100, 1)


def test_bleu_is_that_of_sacrebleu():
    rng = random.Random(0)
    words = "the a bank moved its core, (system) to open-source database 12,000.50 € “quotes” don't . ! é".split()
    for _ in range(some(40, 300)):
        entered, gold = (" ".join(rng.choices(words, k=rng.randrange(1, 40))) for _ in range(2))
        for text in (entered, gold[: len(gold) // 2], f"{gold} x\n", gold):
            score = FormScore([replace(FIELDS[4], gold=gold)])
            score.enter({"essay": text})
            assert score.score(True, True).metrics["description_bleu"] == pytest.approx(bleu(text, gold))


def test_bleu_of_a_text_that_is_edited_is_that_of_the_whole():
    rng = random.Random(1)
    pieces = [
        "the",
        " ",
        "core,",
        "\n",
        "-\n",
        "1,000",
        "3.5",
        "a-b",
        "2-3",
        ".",
        "<skipped>",
        "&quot;",
        "\u3000",
        "-",
        "é",
    ]
    for _ in range(some(30, 300)):
        gold = " ".join(rng.choices(pieces, k=20)).strip() or "x"
        edited, text = Bleu(gold), ""
        for _ in range(20):
            at = rng.choice([len(text), rng.randint(0, len(text))])
            text = text[:at] + rng.choice(pieces) + rng.choice([" ", ""]) + text[at + rng.choice([0, 0, 4]) :]
            assert edited.of(text.strip()) == pytest.approx(bleu(text, gold)), (text, gold)


def test_published_value_of_a_long_text_is_the_best_bleu_of_what_was_typed_or_held():
    field, near, far = FIELDS[4], ESSAY.replace("home", "away"), "We walk by the sea, and then we swim."
    score = FormScore([field])
    assert score.metrics(True, True)["value_accuracy"] == 0
    for text, best in ((far, far), (f"Ann\t{near}", near), (far, near)):
        score.output(text)
        assert score.metrics(True, True)["value_accuracy"] == pytest.approx(bleu(best))
        assert score.metrics(True, True)["field_accuracy"] == 0
    assert 0.1 < bleu(far) < bleu(near) < 1
    for held in (ESSAY[:40], ESSAY, ""):
        score.enter({"essay": held})
    assert score.metrics(True, True)["value_accuracy"] == 1
    (result,) = score.score(True, True).fields
    assert (result.metrics["value_accuracy"], result.metrics["description_bleu"], result.correct) == (1, 0, False)


def test_long_text_with_a_slip_is_right_and_has_less_value():
    gold = "The office closes at noon; please bring three copies of the signed form with you to us at the counter."
    field = replace(FIELDS[4], gold=gold)
    for entered, right in (
        (gold.lower().replace(";", " -"), True),
        (gold.replace("counter", "coutner"), True),
        (gold.replace("counter", "coutner").replace("copies", "cpoies"), False),
        (gold.replace("three", "tree"), False),
        (gold.replace("The office closes at noon; ", ""), False),
    ):
        score = FormScore([field])
        score.enter({"essay": entered})
        metrics = score.metrics(True, True)
        assert metrics["field_accuracy"] == metrics["strict_accuracy"] == metrics["success"] == right
        assert metrics["value_accuracy"] == pytest.approx(bleu(entered, gold))
        assert metrics["value_accuracy"] < 1


def test_a_value_once_told_stays_told():
    score = FormScore(FIELDS)
    score.enter(GOLD)
    score.enter(START)
    metrics = score.metrics(True, True)
    assert metrics["value_accuracy"] == 1
    assert metrics["field_accuracy"] == 0


def test_a_list_that_is_changed_in_place_is_seen():
    score, values = FormScore(FIELDS), {**GOLD, "days": ["Mon"]}
    score.enter(values)
    assert score.metrics(True, True)["success"] == 0
    values["days"].append("Tue")
    score.enter(values)
    assert score.metrics(True, True)["success"] == 1
    values["days"].append("Wed")
    score.enter(values)
    assert score.metrics(True, True)["success"] == 0


def test_metrics_are_the_callers_own():
    score = FormScore(FIELDS)
    score.metrics(False, False)["strict_accuracy"] = 7
    assert score.metrics(False, False)["strict_accuracy"] < 1


def test_bleu_is_of_descriptions_and_only_in_the_score():
    score = FormScore(FIELDS)
    score.enter(GOLD | {"essay": "It's a fine day. We walk by the lake, and then we go home."})
    assert "description_bleu" not in score.metrics(True, True)
    assert 0.2 < score.score(True, True).metrics["description_bleu"] < 1
    score.enter(GOLD)
    assert score.score(True, True).metrics["description_bleu"] == pytest.approx(1)
    score.enter(START)
    assert score.score(True, True).metrics["description_bleu"] == 0
    assert "description_bleu" not in FormScore(FIELDS[:4]).score(True, True).metrics
    assert "description_bleu" not in FormScore([replace(FIELDS[4], gold=None)]).score(True, True).metrics


def test_results_tell_what_became_of_each_field():
    score = FormScore(FIELDS)
    score.enter(GOLD | {"days": ["Mon", "Wed"], "news": True, "keep": True})
    score.click("days")
    results = {result.name: result for result in score.score(True, True).fields}
    assert list(results) == [field.name for field in FIELDS]
    days = results["days"]
    assert (days.expected, days.entered, days.correct, days.kind) == ("Mon, Tue", "Mon, Wed", False, "Checkbox")
    assert days.metrics == {"click_accuracy": 1, "value_accuracy": 0}
    assert (results["agree"].expected, results["agree"].entered) == ("yes", "yes")
    assert (results["news"].expected, results["news"].entered, results["news"].correct) == (None, "yes", False)
    assert (results["keep"].expected, results["keep"].entered, results["keep"].correct) == ("no", "yes", False)
    assert (results["country"].expected, results["country"].entered) == (None, "Atlantis")
    assert results["nickname"].metrics == {}
    assert results["essay"].metrics["description_bleu"] == pytest.approx(1)


def test_every_metric_has_a_title():
    assert set(FormScore(FIELDS).score(True, True).metrics) <= set(METRICS)


def plainly(fields, values):
    """Right, wanted and spoilt fields, counted anew."""
    wanted = [field for field in fields if field.needs_entry]
    kept = [field for field in fields if not field.needs_entry]
    right = sum(field.accepts(values.get(field.name)) for field in wanted)
    return right, len(wanted), sum(not field.accepts(values.get(field.name)) for field in kept)


@pytest.mark.parametrize("name", sample(web_forms(), 9))
def test_running_score_is_that_of_a_count_anew(name):
    rng = random.Random(name)
    form, instance = web_form(name), make_instance(name, "test", 0)
    fields = scored_fields(form, instance.values)
    other = make_instance(name, "test", 1).values
    score = FormScore(fields)
    values = {field.name: field.initial for field in fields}
    score.enter(values)
    assert score.metrics(True, True)["strict_accuracy"] == 0
    for _ in range(60):
        field = rng.choice(fields)
        values[field.name] = rng.choice([field.gold, field.gold, other[field.name], field.initial, None])
        score.enter(values)
        right, wanted, spoilt = plainly(fields, values)
        metrics = score.metrics(True, True)
        assert metrics["strict_accuracy"] == right / (wanted + spoilt)
        assert metrics["field_accuracy"] == right / wanted
        assert metrics["success"] == (right == wanted and not spoilt)
        assert metrics["value_accuracy"] >= metrics["field_accuracy"]
    whole = score_values(form, instance.values, instance.values)
    assert whole.metrics["success"] == whole.metrics["strict_accuracy"] == 1
    assert not {"click_accuracy", "value_accuracy"} & set(whole.metrics)
    assert all(result.correct for result in whole.fields)
    assert score_values(form, instance.values, instance.values, submitted=False).metrics["success"] == 0


def test_unknown_field_is_refused():
    with pytest.raises(ValueError, match="no field nobody"):
        scored_fields(web_form(web_forms()[0]), {"nobody": "x"})


def episode(**changes):
    score = FormScore(FIELDS).score(True, True)
    made = {
        "index": 0, "env": "FormFactory/X-v0", "task": "test/0", "seed": 0, "rounds": [], "usage": {}, "reward": 0.0,
        "metrics": dict(score.metrics), "fields": list(score.fields), "ended": "terminated", "error": None,
        "page_sha256": "", "seconds": 0.0,
    }  # fmt: skip
    return Episode(**(made | changes))


def test_records_hold_the_kinds_and_load_again_and_so_do_those_without():
    record = episode()
    assert Episode.model_validate_json(record.model_dump_json()) == record
    old = record.model_dump()
    old["fields"] = [{k: v for k, v in asdict(f).items() if k not in ("kind", "metrics")} for f in record.fields]
    loaded = Episode.model_validate(old)
    assert loaded.fields[0] == FieldResult("name", "Name", "text", "Ann Lee", "", False)
