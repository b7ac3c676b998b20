"""The rule-based agent: what it reads, what forms call it, where it writes it, with and without FieldFinder."""

from datetime import date

import funsd_fixture
import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import sample, some

from formgym.agents.base import TaskInfo
from formgym.agents.rule_based.action_writer import action_writer_for
from formgym.agents.rule_based.agent import RuleBased
from formgym.agents.rule_based.entries import FormEntry, entries_of, entries_of_pairs
from formgym.agents.rule_based.field_assignment import (
    Detection,
    FieldAssignment,
    resolve_conflicts,
)
from formgym.agents.rule_based.reading import READERS, date_in, duration_in, read_sentences, table, text_in
from formgym.envs.core.templates import months_of, names_in
from formgym.envs.paper_forms.form_tasks import User, genre_of, payslip_of
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback, FieldFinder
from formgym.wrappers.locators import LOCATORS, OracleLocator

TEXT = "FormGym/AutoLoans-Text-v0"
TWO = """The applicant's first name is Ada.
Ada's last name is Byron.
Ada was born on March 5, 1990.
Ada rents the present home.
Ada has lived at the present address for 2 years 9 months.
The co-applicant's first name is Carl.
Carl's cell phone number is 303-555-0142.
Carl has never filed for bankruptcy.
Carl is Ada's friend.
The phone number of the second personal reference is 303-555-0177.
The balance owed to the first creditor is $1,200.50.
The balance owed to the second creditor is $99.
This is a joint application."""


def _episode(env_id, *, task=None, locator="oracle", options=None, show=1, points=True, flow=10, most=None, **kwargs):
    env = ActionBatch(gym.make(env_id, **kwargs), max_rounds=flow, max_actions=most)
    if locator is not None:
        env = FieldFinder(env, locator=locator, options=options, show=show, points=points)
    return run_episode(Feedback(env), RuleBased(), index=0, seed=0, task=task)


def _plain(tasks, secret=None):
    """The tasks whose source is a list of sentences, which is all that the rules read."""
    pairs = ((task.split("/")[0], User(task.split("/")[1], secret)) for task in tasks)
    return [
        f"{form}/{user.name}" for form, user in pairs if (payslip_of(form, user) or genre_of(form, user)) == "sentences"
    ]


def _plain_task(form):
    return next(task for task in _plain(gym.make(TEXT).unwrapped.task_ids) if task.startswith(form))


def test_sentences_tell_of_whom_they_tell():
    known = read_sentences(TWO)
    assert known.by_owner["first"] == {
        "first_name": "Ada",
        "last_name": "Byron",
        "birth_date": "1990-03-05",
        "residence_duration": "P2Y9M",
    }
    assert known.by_owner["second"] == {"first_name": "Carl", "cell_phone": "303-555-0142", "relationship": "Friend"}
    assert known.by_owner["deal"]["reference_2_phone"] == "303-555-0177"
    assert [(who, labels[0]) for who, labels in known.ticks] == [
        ("first", "Rented | Home"),
        ("second", "No | Bankruptcy"),
        ("deal", "Friend | Co-applicant is the applicant's"),
        ("deal", "Joint credit | Application"),
    ]


def test_facts_become_what_forms_ask():
    written = {(entry.who, entry.labels[0]): entry for entry in entries_of(read_sentences(TWO))}
    assert written["first", "Full name"].text == "Ada Byron"
    assert written["first", "Date of birth"].text == "03/05/1990"
    assert written["first", "Years | Time at home address"].text == "2"
    assert written["first", "Months | Time at home address"].text == "9"
    assert written["first", "Signature"].signed
    assert written["first", "Initials"].text == "AB"
    assert written["deal", "Total balance owed to creditors"].text == "1,299.50"
    assert ("second", "Date of birth") not in written
    assert ("first", "Middle name") not in written


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Ada's bank is Old Mill Bank.", "Old Mill Bank"),
        ('The source of Ada\'s other income is listed as "Cake sales".', "Cake sales"),
        ("The vehicle is insured with Plain Mutual.", "Plain Mutual"),
        ("The account number with the first creditor is 94-116-27.", "94-116-27"),
        ("VIN of the car: 1GAB23.", "1GAB23"),
        ("is the middle name of.", ""),
        ("Jean is the middle name of.", "Jean"),
        ("To call the employer, dial 303-555-0177.", ""),
    ],
)
def test_text_is_what_something_is_said_to_be(sentence, value):
    assert text_in(sentence) == value


@given(day=st.dates(min_value=date(1000, 1, 1)), said=st.sampled_from(["%B %d, %Y", "%m/%d/%Y"]))
def test_dates_are_read(day, said):
    iso = date_in(f"Ada was born on {day.strftime(said)}.")
    assert iso == day.isoformat()
    assert date_in("It was Smarch 40, 1999 or 13/45/2020 then.") == ""


@given(years=st.integers(0, 60), months=st.integers(0, 11))
def test_durations_are_read(years, months):
    parts = [f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((years, "year"), (months, "month")) if n]
    span = duration_in(f"Ada has lived at the present address for {' '.join(parts)}.")
    assert (span and months_of(span)) == ((years, months) if parts else "")


def test_lists_of_fields_are_read_as_they_are():
    assert entries_of_pairs("Field: Lieferung: Ort\nValue: Ulm: Mitte") == [
        FormEntry("Ulm: Mitte", ("Ort | Lieferung",))
    ]
    both = entries_of_pairs("Last Name: Byron\nJoint Initials (1 of 2): CB\n")
    assert [(entry.labels, entry.signed) for entry in both] == [
        (("Last Name",), False),
        (("Joint Initials (1 of 2)",), True),
    ]
    assert entries_of_pairs(TWO) == []


def test_the_tables_name_what_there_is():
    facts = {*table("fact_phrases"), "first_name", "relationship"}
    assert all(rule["value"] in READERS and rule["phrases"] for rule in table("fact_phrases").values())
    for rule in table("fields"):
        for number in rule.get("n", [""]):
            text = rule["text"].replace("#", number)
            names = names_in(text)
            assert names, text
            assert names <= facts | {"first", "second"}, text
    assert all(tick["phrases"] and tick["labels"] for tick in table("ticks"))
    assert all(phrase == phrase.casefold() != plain for phrase, plain in table("synonyms").items())
    assert not set(table("people")["first"]) & set(table("people")["second"])


def test_of_claims_to_one_field_the_likeliest_is_written():
    def claim(text, left, score, width=0.2):
        return FieldAssignment(FormEntry(text, (text,)), text, Detection((left, 0.1, left + width, 0.12), score))

    claims = [claim("b", 0.1, 0.6), claim("a", 0.1, 0.9), claim("c", 0.5, 0.5), claim("low", 0.8, 0.2)]
    claims += [
        claim("too long", 0.72, 0.9, 0.01),
        claim("X", 0.75, 0.9, 0.01),
        FieldAssignment(FormEntry("n", ("n",)), "n", None),
    ]
    assert [c.entry.text for c in resolve_conflicts(claims, at_least=0.3, tick_box=0.02)] == ["a", "c", "X"]
    assert [c.entry.text for c in resolve_conflicts(claims, at_least=0.3, tick_box=0.02, most=2)] == ["a", "X"]


def test_it_fills_in_most_of_a_form_where_fields_are_found():
    metrics = [_episode(TEXT, task=task).metrics for task in _plain(gym.make(TEXT).unwrapped.task_ids)[1 :: some(7, 2)]]
    assert min(f["field_accuracy"] for f in metrics) > 0.85
    assert sum(f["strict_accuracy"] for f in metrics) / len(metrics) > 0.9


def test_other_words_for_the_same_are_read_as_well():
    env = gym.make(TEXT, split="train", secret=3)
    tasks = _plain([env.unwrapped.task_ids[i] for i in range(60)], secret=3)[: some(1, 2)]
    metrics = [_episode(TEXT, task=task, split="train", secret=3).metrics["field_accuracy"] for task in tasks]
    assert min(metrics) > 0.6


def test_finding_is_what_it_lives_by():
    task = _plain_task("lakeshore_auto_credit")
    found = _episode(TEXT, task=task)
    noisy = _episode(TEXT, task=task, locator="noisy_oracle", options={"accuracy": 0.5})
    lost = _episode(TEXT, task=task, locator=None)
    assert found.metrics["field_accuracy"] > noisy.metrics["field_accuracy"] + 0.2
    assert noisy.metrics["field_accuracy"] > lost.metrics["field_accuracy"] + 0.1
    assert lost.metrics["field_accuracy"] < 0.1
    assert lost.metrics["incorrect_placements"] > 20
    assert {call["y"] for call in lost.rounds[0].calls if "y" in call} > {0.5 / (len(lost.rounds[0].calls) - 1)}


WAYS = [
    ({"show": 0}, 0.25),
    ({"flow": 1, "show": 0}, 0.25),
    ({"points": False}, 0.85),
    ({"flow": 1000, "most": 1}, 0.85),
    ({"render_size": (1008, 612)}, 0.85),
]
"""Without looks, in one shot, by names alone, step by step, on a smaller page."""


@pytest.mark.parametrize(("settings", "least"), sample(WAYS, 3))
def test_it_makes_do_with_what_there_is(settings, least):
    episode = _episode(TEXT, task=_plain_task("prairie_farmers_coop_credit"), **settings)
    assert episode.metrics["field_accuracy"] > least
    assert episode.ended == "terminated"


def test_it_writes_by_mouse_and_keyboard():
    task = _plain_task("bluebonnet_credit_union")
    episode = _episode("FormGym/AutoLoans-GUI-v0", task=task)
    assert episode.metrics["field_accuracy"] > 0.6
    assert _episode("FormGym/AutoLoans-GUI-v0", task=task, locator=None).metrics["field_accuracy"] < 0.1


class _ShortSighted:
    """The oracle, where a page is shown half as large as it is or larger."""

    def __init__(self, env):
        self._oracle = OracleLocator(env)
        self._editor = env.unwrapped

    def locate(self, page, target):
        return self._oracle.locate(page, target) if self._editor.state.space.view.percent > 50 else []

    def locate_all(self, page, targets):
        return [self.locate(page, target) for target in targets]


@pytest.mark.parametrize("settings", sample([{}, {"points": False}, {"flow": 1000, "most": 1}], 2))
def test_pages_that_cannot_be_read_whole_are_read_in_parts(settings, monkeypatch):
    monkeypatch.setitem(LOCATORS, "short_sighted", _ShortSighted)
    task = _plain_task("harbor_mutual_bank_loan")
    episode = _episode("FormGym/AutoLoans-GUI-v0", task=task, locator="short_sighted", **settings)
    assert episode.metrics["field_accuracy"] > 0.4
    assert episode.metrics["placement_accuracy"] > 0.9
    calls = [call for round_ in episode.rounds for call in round_.calls]
    assert len({call["dy"] for call in calls if call["tool"] == "scroll"}) == 2


def test_what_the_editor_itself_shows_is_no_field():
    hands = action_writer_for(gym.make("FormGym/AutoLoans-GUI-v0").action_space)
    toolbar, page = Detection((200, 40, 260, 80), 0.9), Detection((200, 300, 260, 320), 0.9)
    assert (hands.on_page(toolbar), hands.on_page(page)) == (False, True)


def test_it_writes_single_values_of_scans(tmp_path):
    settings = {"root": str(funsd_fixture.write_fixture(tmp_path))}
    tasks = gym.make("FormGym/FUNSD-v0", **settings).unwrapped.task_ids[:4]
    scores = [_episode("FormGym/FUNSD-v0", task=task, **settings).metrics["strict_accuracy"] for task in tasks]
    assert scores == [1.0] * len(tasks)
    assert _episode("FormGym/Scans-v0").metrics["strict_accuracy"] == 0, "memos take a reader"


def test_it_asks_a_database():
    episode = _episode("FormGym/Database-v0", task="annual_report/yellow_door_baking_llc_2020")
    asked = [call for round_ in episode.rounds for call in round_.calls if call["tool"] == "query_sql"]
    assert len(asked) > 3
    assert all(round_.valid[i] for round_ in episode.rounds for i, c in enumerate(round_.calls) if c in asked)
    right = {field.label for field in episode.fields if field.correct and field.entered}
    assert {"Line 2: legal name of the entity", "Line 3: trade name", "Line 16: president, name"} <= right


@pytest.mark.parametrize("env_id", ["FormFactory/JobApplication-v0", "DocEdit/ConcertPoster-v0"])
def test_it_refuses_what_is_no_paper_form(env_id):
    with pytest.raises(ValueError, match="negative"):
        RuleBased(looks=-1)
    with pytest.raises(ValueError, match="paper forms"):
        RuleBased().reset(TaskInfo(env_id, gym.make(env_id).action_space), 0)
