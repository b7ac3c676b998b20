"""The published FormFactory: texts are split, keys find their controls, values become what controls hold."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from paths import TESTS
from published_formfactory_fixture import write_checkout
from sizes import some

from formgym.envs.web_forms.chromium.settings import browser_path
from formgym.envs.web_forms.published.checkout import instances, published_forms, split_texts
from formgym.envs.web_forms.published.env import PublishedEnv
from formgym.envs.web_forms.published.labels import match_labels
from formgym.envs.web_forms.published.values import NotEnterable, entered_value

_WORDS = "open click read the menu and wait until page shows some error message before you go on with next step".split()
FORM = next(form for form in published_forms() if form.id == "D11")


def _made_texts(rng: random.Random) -> tuple[list[dict[str, Any]], list[str]]:
    """Values, and texts that state them with lists inside, which begin with 1 or go on from the text's number."""
    golds, texts = [], []
    for number in range(1, 51):
        gold = {"Name": f"{rng.choice(_WORDS)} {rng.randint(100, 9999)}", "Steps": " ".join(rng.choices(_WORDS, k=8))}
        first = rng.choice([1, 1, 1, number + 1])
        items = [f"{first + i}. {' '.join(rng.choices(_WORDS, k=4))}" for i in range(rng.choice([0, 0, 3]))]
        texts.append("\n".join([f"This is {gold['Name']}", *items, f"It is about {gold['Steps']}"]))
        golds.append(gold)
    return golds, texts


@pytest.mark.parametrize("seed", range(6))
def test_a_file_of_texts_is_split_where_the_texts_begin(seed: int) -> None:
    golds, texts = _made_texts(random.Random(seed))
    end, gap = (".", "\n") if seed % 2 else (")", "\n\n")
    whole = gap.join(f"{number}{end} {text}" for number, text in enumerate(texts, start=1))
    assert split_texts(whole, golds) == dict(enumerate(texts, start=1))


def test_what_does_not_belong_together_is_counted(tmp_path: Path) -> None:
    for folder in ("data/data1", "data/data2"):
        (tmp_path / folder).mkdir(parents=True)
    golds, texts = _made_texts(random.Random(7))
    golds[3] = {"Name": "of somebody else"}
    lines = [f"{number}. {text}" for number, text in enumerate(texts, start=1) if number != 9]
    values_file = tmp_path / f"data/data1/{FORM.data}.json"
    values_file.write_text(json.dumps(golds))
    (tmp_path / f"data/data2/{FORM.data}.txt").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    kept, skipped = instances(tmp_path, FORM)
    assert [one.number for one in kept] == [n for n in range(1, 51) if n not in (4, 9)]
    assert skipped == {
        "bug_report: a text that states none of the values": 1,
        "bug_report: an instance without a text": 1,
    }
    values_file.write_text("[{")
    assert instances(tmp_path, FORM)[0] == []
    assert str(values_file) in next(iter(instances(tmp_path, FORM)[1]))


def test_keys_find_controls_by_label_then_by_similar_words_and_are_never_guessed() -> None:
    labels = {
        "mail": ["Email Address *", "", ""],
        "cost": ["Total Cost ($)", "", ""],
        "ok": ["I accept the terms and conditions of the club", "", ""],
        "a": ["Contact Name", "", ""],
        "b": ["Contact Phone", "", ""],
        "unnamed": ["", "Shoe size", ""],
        "startDate": ["", "", "startDate"],
    }
    keys = ["Email", "Total cost", "Terms", "Contact", "Shoe Size (optional)", "Start Date", "Maiden name"]
    assert match_labels(keys, labels, lambda key, name: True) == {
        "Email": "mail",
        "Total cost": "cost",
        "Terms": "ok",
        "Shoe Size (optional)": "unnamed",
        "Start Date": "startDate",
    }
    # What values fit decides between equal labels, and is needed where labels differ.
    two = {"a": ["Name"], "b": ["Name"]}
    assert match_labels(["Name"], two, lambda key, name: True) == {}
    assert match_labels(["Name"], two, lambda key, name: name == "b") == {"Name": "b"}
    assert match_labels(["Email"], {"mail": ["Email Address"]}, lambda key, name: False) == {}


@pytest.mark.parametrize(
    ("given", "control", "options", "value"),
    [
        ("2024/12/05", "date", (), "2024-12-05"),
        ("August 15, 1985", "date", (), "1985-08-15"),
        ("$12,000.50", "number", (), "12000.50"),
        (3.0, "number", (), "3"),
        ("5 years", "number", (), "5"),
        (12, "select", ("6 Months", "12 Months"), "12 Months"),
        ("Morning", "radio", ("Morning (9:00)", "Evening"), "Morning (9:00)"),
        (["X1", "X2"], "checkbox_group", ("X1 - Art", "X2 - Music", "X3"), ["X1 - Art", "X2 - Music"]),
        (True, "radio", ("Yes", "No"), "Yes"),
        ("yes", "checkbox", (), True),
        (False, "checkbox", (), False),
        (["one", "two"], "textarea", (), "one, two"),
        ("a\nb", "text", (), "a b"),
        ("docs/cv.pdf", "file", (), "cv.pdf"),
        ("", "select", ("A", "B"), None),
    ],
)
def test_values_become_what_a_control_holds(given: Any, control: str, options: tuple[str, ...], value: Any) -> None:
    assert entered_value(given, control, [(str(i), text) for i, text in enumerate(options)], "label") == value


@pytest.mark.parametrize(
    ("given", "control"),
    [("1985", "date"), ("soon", "date"), ("ten", "number"), ("1-2", "number"), ("blue", "select"),
     ("maybe", "checkbox"), ("attached", "file"), ({"a": 1}, "text"), (["Red", "Green"], "select")],
)  # fmt: skip
def test_what_a_control_cannot_hold_is_refused(given: Any, control: str) -> None:
    with pytest.raises(NotEnterable):
        entered_value(given, control, [("r", "Red"), ("g", "Green")] if control == "select" else (), "label")


# -- A checkout by an author who knew the layout alone -----------------------------------------------------------------

UNMATCHED = {("B12", "Current Landlord"), ("C11", "Image File"), ("G11", "Agreement")}
"""The keys of which no control has the words."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if browser_path() is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    root = tmp_path_factory.mktemp("published") / "checkout"
    write_checkout(root)
    return root


def test_keys_of_a_foreign_checkout_find_their_controls_or_none(checkout: Path) -> None:
    truth = json.loads((TESTS / "published_formfactory/truth.json").read_text(encoding="utf-8"))
    names = [form.name for form in published_forms() if form.id in some(("A13", "E12", "G11"), tuple(truth))]
    env = PublishedEnv(str(checkout), forms=names, allow_commands=True)
    before = sorted(checkout.rglob("*"))
    for survey in env._surveys.values():
        expected, form_id = truth[survey.form.id], survey.form.id
        keys = {key for key in expected["controls"] if (form_id, key) not in UNMATCHED}
        assert survey.matches == {key: expected["controls"][key] for key in keys if expected["controls"][key]}
        left_out = {
            (int(task.page_task.name), key)
            for task in survey.tasks.values()
            for key, name in survey.matches.items()
            if name not in {field.name for field in task.fields}
        }
        assert left_out == {(number, key) for number, key in map(tuple, expected["unenterable"])}
    env.close()
    assert sorted(checkout.rglob("*")) == before


@pytest.mark.parametrize("mode", ["episodic", "atomic"])
def test_the_oracle_has_all_and_doing_nothing_has_nothing(checkout: Path, mode: str) -> None:
    forms = some(["account_opening", "nda_submission"], None)
    env = PublishedEnv(str(checkout), forms=forms, mode=mode, allow_commands=True)
    every = max(1, len(env.task_ids) // some(3, 60))
    for task in env.task_ids[::every]:
        info = env.reset(options={"task": task})[1]
        # A single value need not be submitted.
        assert {metric for name, metric in info["score"].items() if name != "submitted"} == {0.0}
        for call in env.solution():
            info = env.step(env.action_space.from_call(call))[4]
        names = ("strict_accuracy", "click_accuracy", "value_accuracy")
        assert {name: info["score"][name] for name in names} == dict.fromkeys(names, 1.0), (task, info)
    env.close()


def test_nothing_of_a_checkout_runs_unless_it_may(checkout: Path) -> None:
    with pytest.raises(ValueError, match=r"allow_commands=True"):
        PublishedEnv(str(checkout))
    with pytest.raises(ValueError, match="mode must be one of"):
        PublishedEnv(str(checkout), mode="both", allow_commands=True)
