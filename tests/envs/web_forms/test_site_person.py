"""What people do on the site, as calls: in a real browser, with mistakes, in every theme, and what pages may send."""

import json

import pytest
from person import Person
from sizes import some

pytest.importorskip("flask")

from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.html.themes import themes
from formgym.envs.web_forms.replay.capture import load_pictures
from formgym.envs.web_forms.replay.captured_page import CapturedPage
from formgym.envs.web_forms.site.person_calls import person_calls
from formgym.envs.web_forms.site.site_state import find_task
from formgym.experiments.play.human_runs import export_submissions
from formgym.experiments.publishing.submission import submission_of
from formgym.experiments.publishing.verify import verified
from formgym.experiments.reporting.rescore import rescore
from formgym.experiments.running.run_folder import find_runs


@pytest.fixture
def window(browser):
    """Opens a window of a size."""
    contexts = []

    def opened(width, height):
        permissions = ["clipboard-read", "clipboard-write"]
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, permissions=permissions))
        return contexts[-1].new_page()

    yield opened
    for context in contexts:
        context.close()


SIZES = ((1480, 900), (1100, 700), (800, 900), (660, 1000), (1920, 1080))


@pytest.mark.parametrize("number", some((9,), range(len(web_forms()))))
def test_calls_of_a_person_replay_to_what_was_submitted(site, window, tmp_path, number):
    url, records = site
    form, theme, (width, height) = web_forms()[number], themes()[number % 5], SIZES[number // 5]
    page = window(width, height)
    page.goto(f"{url}forms/{form}?task=test/{2 * number}&theme={theme}")
    Person(page, page.frame_locator("iframe"), number).fill_in(find_task(form, f"test/{2 * number}"))
    page.wait_for_url("**/results/*")
    assert page.locator("tr.wrong").all_inner_texts() == []
    [record], _ = records.latest(1)
    assert (record.form, record.task, record.theme) == (form, f"test/{2 * number}", theme)
    assert (record.person.lost, record.person.replays, record.metrics["field_accuracy"]) == ((), True, 1)
    assert f"{len(record.person.calls)} steps" in page.locator(".note").inner_text()
    export_submissions(tmp_path / "runs", records)
    [episode] = [e for run in find_runs(tmp_path / "runs") for e in run.episodes if e.seed == int(record.id[:13], 16)]
    assert episode.is_replayable
    assert (episode.n_calls, episode.n_invalid) == (len(record.person.calls), 0)
    assert episode.metrics["success"] == 1
    assert episode.seconds == record.person.seconds > 0
    assert {f.name: f.entered for f in episode.fields} == {f.name: f.entered for f in record.fields}
    assert rescore([tmp_path / "runs"], write=False)
    submission = submission_of(find_runs(tmp_path / "runs"))
    assert verified(submission, submission.sha256).differences == []


def test_a_window_of_another_size_is_named(site, window):
    url, records = site
    page = window(1300, 700)
    page.goto(f"{url}forms/personal_loan/form?task=test/4")
    Person(page, page, 3).fill_in(find_task("personal_loan", "test/4"))
    page.wait_for_url("**/results/*")
    [record], _ = records.latest(1)
    assert (record.person.replays, record.person.calls) == (False, ())
    assert record.person.lost == ("the page was 1300 × 700 pixels large, not 1024 × 768",)
    assert record.person.lost[0] in page.locator(".note").inner_text()


def _action(**given):
    state = {"values": {}, "focus": -1, "selection": None, "scroll": 0, "list": None, "open": False}
    return {"tool": "press_key", "key": "Tab"} | state | given


def _sent(*actions, **given):
    return json.dumps({"size": [1024, 768], "seconds": 1.0, "actions": actions} | given)


def _followed(sent, values=()):
    page = CapturedPage(load_pictures(CAPTURES / "nda" / "clinic"))
    return person_calls(page, sent, dict(values))


@pytest.mark.parametrize(
    "sent",
    [
        "", "[]", "{", "null", _sent(seconds=-1), _sent(seconds=float("nan")), _sent(_action(tool="terminate")),
        _sent(_action(tool="click", x=1024)), _sent(_action(tool="type_text", text="x" * 4001)),
        _sent(_action(selection=[1])), _sent(more=1), _sent(*[_action()] * 20_001),
    ],
)  # fmt: skip
def test_records_that_no_page_makes_are_none(sent):
    found = _followed(sent)
    assert (found.calls, found.replays, len(found.lost)) == ((), False, 1)


def test_what_no_call_expresses_is_named_and_long_records_end():
    name = next(c.name for c in load_pictures(CAPTURES / "nda" / "clinic").capture.controls if c.kind == "area")
    pasted = _followed(_sent(_action(values={name: "a\tb"})))
    assert any(name in reason and "a\\tb" in reason for reason in pasted.lost)
    assert _followed(_sent(_action(values={"nowhere": "x"}))).lost[0].endswith("in nowhere")
    endless = _followed(_sent(*[_action(focus=i % 5) for i in range(19_999)], _action(scroll=10**12)))
    assert not endless.replays
    assert len(endless.calls) < 400
    assert "300 calls" in endless.lost[-1]
