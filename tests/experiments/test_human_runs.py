"""People: what they play and what they submit on the site is recorded as agents' episodes are."""

import pytest
from person import posted
from sizes import sample
from typer.testing import CliRunner

from formgym.envs.web_forms.site.access import Access
from formgym.envs.web_forms.site.app import create_app
from formgym.envs.web_forms.site.records import Records
from formgym.envs.web_forms.site.site_state import find_task
from formgym.envs.web_forms.site.submitted_values import FIELD
from formgym.experiments.cli import app
from formgym.experiments.play.human_runs import export_submissions
from formgym.experiments.play.session import Session
from formgym.experiments.publishing.submission import submission_of
from formgym.experiments.publishing.verify import verified
from formgym.experiments.reporting.report import report_on
from formgym.experiments.reporting.rescore import rescore
from formgym.experiments.running.rollout import page_digest, replay
from formgym.experiments.running.run_folder import RunFolder, find_runs

SCANS = "FormGym/Scans-v0"


def _played(tmp_path, calls, env_id=SCANS, seed=None):
    session = Session(env_id, None, seed, tmp_path / "play")
    for call in calls(session):
        session.do(call)
    return session, session.record(tmp_path / "runs")


def _solution(session):
    return session.env.state.solution()


@pytest.mark.parametrize("env_id", sample([SCANS, "DocEdit/Invoice-v0", "FormFactory/SurgeryConsent-v0"], 1))
def test_what_a_person_plays_replays_to_the_same_pixels(tmp_path, env_id):
    session, folder = _played(tmp_path, _solution, env_id)
    run = RunFolder(folder).read()
    [episode] = run.episodes
    assert (run.summary["agent"], run.summary["flow"], run.env_title) == ("human", "play", env_id)
    assert (episode.ended, episode.error, episode.task) == ("terminated", None, session.task_id)
    assert episode.metrics.items() >= session.metrics.items()
    assert episode.reward == pytest.approx(episode.headline[1], abs=1)
    assert page_digest(list(replay(run.make_env(), episode))[-1].page) == episode.page_sha256
    assert rescore([folder], write=False)
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 0


def test_attempts_add_up_and_one_that_was_left_is_unscored(tmp_path):
    _, folder = _played(tmp_path, lambda session: _solution(session)[:1], seed=5)
    bad = {"tool": "place_text", "x": 9, "y": 0, "text": "bad"}
    _, again = _played(tmp_path, lambda session: [bad, *_solution(session)])
    assert folder == again
    run = RunFolder(folder).read()
    assert [(episode.index, episode.unscored) for episode in run.episodes] == [(0, True), (1, False)]
    assert run.episodes[0].seed == 5
    assert run.summary["scores"]["strict_accuracy"]["mean"] == 1.0
    # The one that was left counts 0 in what they are worth.
    result = _verified(folder)
    assert (result.differences, result.standings[0].mean, +result.standings[0].zeros) == ([], 0.5, {"unscored": 1})
    assert result.standings[0].unofficial == ["its tasks are chosen, not drawn from a seed"]
    path = folder / "episodes.jsonl"
    path.write_text(path.read_text().replace('"strict_accuracy":1.0', '"strict_accuracy":0.5'))
    assert "episode 1: score: strict_accuracy is 0.5, found 1.0" in _verified(folder).differences[0]


def _verified(folder):
    submission = submission_of(find_runs(folder))
    return verified(submission, submission.sha256)


def _submit(client, form, task, wrong=None):
    page = client.get(f"/forms/{form}/form", query_string={"task": task, "theme": "clinic"})
    token = page.text.partition(f'name="{FIELD}" value="')[2].partition('"')[0]
    for attempt in range(2):
        data = posted(find_task(form, task))
        data.add(FIELD, token)
        if wrong and not attempt:
            data[wrong] = "wrong"
        answer = client.post(f"/forms/{form}/form", data=data, content_type="multipart/form-data")
        assert answer.status_code == 303


def test_what_is_submitted_on_the_site_is_an_episode_without_calls(tmp_path, capsys):
    records = Records(tmp_path / "site").open()
    client = create_app(records, Access(public=False)).test_client()
    _submit(client, "surgery_consent", "test/0")
    _submit(client, "surgery_consent", "test/3", wrong="patient_name")
    _submit(client, "bug_report", "test/0")
    # The same values again are the same submission; other ones, after the answers were shown, do not count.
    assert [record.attempt for record in records.all()] == [1, 1, 2, 1]
    assert export_submissions(tmp_path / "runs", records) == 3
    bug, surgery = find_runs(tmp_path / "runs")
    assert surgery.env_title == "FormFactory/SurgeryConsent-v0 (theme=clinic)"
    assert [episode.task for episode in surgery.episodes] == ["surgery_consent/test_0", "surgery_consent/test_3"]
    assert surgery.episodes[0].metrics["success"] == 1.0
    assert len(bug.episodes) == 1
    env = surgery.make_env()
    assert {episode.task for episode in surgery.episodes} <= set(env.task_ids)
    score = env.reset(options={"task": surgery.episodes[0].task})[1]["score"]
    # Which fields were clicked, and what else was typed, is known of calls alone.
    assert score.keys() - surgery.episodes[0].metrics.keys() == {"click_accuracy", "value_accuracy"}
    with pytest.raises(ValueError, match="records no calls"):
        next(replay(env, surgery.episodes[0]))
    assert not rescore([tmp_path / "runs"], write=False)
    assert "records no calls" in capsys.readouterr().out
    # They are the word of whoever submits, and worth nothing to others.
    result = _verified(tmp_path / "runs")
    assert (result.differences, [standing.mean for standing in result.standings]) == ([], [0, 0])
    assert result.standings[1].zeros["without calls"] == 2
    report_on(tmp_path / "runs", tmp_path / "report.html", None, False)
    assert "SurgeryConsent" in (tmp_path / "report.html").read_text()


def test_episodes_are_written_once_whoever_wrote_them(tmp_path):
    records = Records(tmp_path / "site").open()
    client = create_app(records, Access(public=False)).test_client()
    for _ in range(2):
        _submit(client, "bug_report", "test/0")
    assert [export_submissions(tmp_path / "runs", records) for _ in range(2)] == [2, 0]
    [path] = (tmp_path / "runs").glob("*/episodes.jsonl")
    # Cut short by a kill, and gone.
    path.write_bytes(path.read_bytes()[:-9])
    assert export_submissions(tmp_path / "runs", records) == 1
    assert export_submissions(tmp_path / "other", records) == 2
