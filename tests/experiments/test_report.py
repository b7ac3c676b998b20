"""The report: one file, the metrics in it, nothing of an agent's comes alive, and replays show exact pixels."""

import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from made_runs import made_episode
from PIL import Image
from sizes import LONG, sample

from formgym.agents.base import Exchange
from formgym.envs.core.metrics import places, title
from formgym.experiments.reporting.field_tables import field_findings
from formgym.experiments.reporting.page_images import changed_rects, png
from formgym.experiments.reporting.paper_tables import paper_tables
from formgym.experiments.reporting.replay_frames import cut
from formgym.experiments.reporting.report import report_on, worth_showing, write_report
from formgym.experiments.running.episodes import Episode, Round
from formgym.experiments.running.rollout import page_digest, replay
from formgym.experiments.running.run_folder import Run, find_runs
from formgym.experiments.running.sweep import sweep
from formgym.experiments.terminal.console import EMPTY, format_number

AGENTS = ("noop", "random", "oracle")
NASTY = {
    "script": "<script>alert(1)</script>",
    "closing": "</script><img src=x onerror=alert(2)>",
    "long": "w" * 1000,
    "right to left": "שלום \u202eevil\u202c عالم 😀👩‍👩‍👧",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "runs" / "sweep"
    one_form = "env.forms=[iron_bridge_dealer_application]"
    sweep([f"agent={','.join(AGENTS)}", one_form, "episodes=2", f"run_dir={folder}"])
    return folder


@pytest.fixture(scope="module")
def report(folder):
    return write_report(find_runs(folder), folder / "report.html", 2)


@pytest.fixture(scope="module")
def nasty_run(folder):
    """A run whose texts try to break out of the report, made by really doing them; and one that failed at length."""
    run = find_runs(folder)[0]
    env = run.make_env()
    env.reset(seed=1)
    _, _, right, bottom = env.state.task.targets[0].blank
    x, y = (right - 3) / env.state.width, (bottom - 3) / env.state.height
    calls = [{"tool": "place_text", "x": x, "y": y, "text": text} for text in NASTY.values()]
    calls += [{"tool": "query_sql", "query": "SELECT " + "<b>x</b>, " * 300}, {"tool": "<i>", "x": float("nan")}]
    asked = {"image": "page", "width": 80, "height": 90, "sha256": "0" * 64}
    prompt = [
        {"role": "system", "content": ["be brief " * 300]},
        {"role": "user", "content": [NASTY["closing"], asked]},
    ]
    exchanges = [Exchange(prompt, reply, [{"tool": NASTY["script"]}], {"cost": 0.25}) for reply in NASTY.values()]
    infos = [env.step(env.action_space.from_call(call))[-1] for call in calls]
    score = env.state.score()
    done = [(info["feedback"], info["valid"]) for info in infos]
    feedback, valid = map(list, zip(*done, strict=True))
    episode = made_episode(
        task=env.state.task_id,
        metrics=dict(score.metrics),
        seed=1,
        rounds=[
            Round(calls=calls, feedback=feedback, valid=valid, carried_out=len(calls), exchanges=exchanges),
            Round(calls=["?"], feedback=["no call here"], valid=[False], carried_out=0, exchanges=exchanges[:1]),
        ],
        fields=list(score.fields),
        usage={"tokens": 12},
        ended="truncated",
        page_sha256=page_digest(env.page()),
    )
    error = "<script>oh</script>" * 6000
    failed = episode.model_copy(update={"index": 1, "metrics": None, "fields": [], "error": error})
    other = episode.model_copy(update={"index": 2, "page_sha256": "0" * 64})
    summary = run.summary | {"agent": "<u>nasty</u>", "episodes": 3, "errors": 1, "unscored": 1}
    return Run(run.folder, summary, (episode, failed, other), run.spec)


@pytest.fixture(scope="module")
def nasty_report(nasty_run):
    return write_report([nasty_run], nasty_run.folder / "report.html")


class Elements(HTMLParser):
    """The elements of a page, as a browser would see them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def text_of(path):
    return path.read_text(encoding="utf-8")


def test_report_holds_the_metrics(folder, report):
    html = text_of(report)
    for run in find_runs(folder):
        assert run.summary["agent"] in html
        for name, score in run.summary["scores"].items():
            assert title(name) in html
            assert f'<td class="n figure">{format_number(score["mean"], places(name))}<' in html
    assert "95 % interval" in html
    noop = find_runs(folder)[0]
    given_up = sum(not field.correct for episode in worth_showing(noop.episodes, 2) for field in episode.fields)
    assert html.count("<small>gave up</small>") >= given_up > 0
    assert "differs from the record" not in html
    assert "No replay" not in html


def test_report_needs_no_network(report):
    for tag, attributes in Elements(text_of(report)).found:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)
    outside = re.sub(r'<script type="(text/plain|application/json)".*?</script>', "", text_of(report), flags=re.DOTALL)
    assert "url(" not in outside
    assert "@import" not in outside
    assert set(re.findall(r"https?://[^\"'\s<]+", outside)) <= {"http://www.w3.org/2000/svg"}


def test_pages_are_embedded_once_and_the_file_is_small(folder, report):
    html = text_of(report)
    pages = re.findall(r'id="page-(\w+)"', html)
    assert len(pages) == len(set(pages))
    shown = [episode for run in find_runs(folder) for episode in worth_showing(run.episodes, 2)]
    assert len(pages) <= len({episode.task for episode in shown}) < len(shown)
    assert report.stat().st_size < 4_000_000


def test_nothing_of_an_agents_comes_alive(nasty_report):
    html = text_of(nasty_report)
    for markup in ("<script>alert", "<u>nasty", "<b>x", "<img", "<script>oh"):
        assert markup not in html
    elements = Elements(html).found
    assert not {"u", "img", "iframe"} & {tag for tag, _ in elements}
    assert html.count("<script") == html.count("</script>")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]


def test_failures_and_differences_are_shown_at_bearable_length(nasty_report):
    html = text_of(nasty_report)
    assert "characters left out" in html
    assert html.count("&lt;script&gt;oh") < 300
    assert "unscored</b>" in html
    assert '<td class="n bad">3<small>1 unscored</small></td>' in html
    assert html.count("Replay differs from the record") == 1


def test_episodes_that_cannot_be_replayed_are_reported_all_the_same(nasty_run, tmp_path):
    episode = nasty_run.episodes[0].model_copy(update={"task": "no such/task"})
    lost = Run(nasty_run.folder, nasty_run.summary, (episode,), nasty_run.spec)
    nowhere = Run(tmp_path / "moved", nasty_run.summary, (episode,))
    html = text_of(write_report([lost, nowhere], tmp_path / "report.html"))
    assert html.count("No replay:") == 2
    assert "place_text" in html


def test_worth_showing():
    def episode(index, value):
        metrics = None if value is None else {"strict_accuracy": value}
        return Episode.model_construct(index=index, metrics=metrics)

    some = [episode(i, value) for i, value in enumerate([0.5, 0.1, None, 0.9, 0.3, None])]
    assert [e.index for e in worth_showing(some, 4)] == [2, 1, 4, 3]
    assert [e.index for e in worth_showing(some, 1)] == [2]
    assert [e.index for e in worth_showing(some, 99)] == [2, 1, 4, 0, 5, 3]
    assert worth_showing(some, 0) == []
    assert [e.index for e in worth_showing([some[2], some[5]], 4)] == [2, 5]
    assert [e.index for e in worth_showing([some[0]], 1)] == [0]


def test_field_findings_count_what_the_records_say(folder):
    for run in find_runs(folder):
        fields = [field for episode in run.episodes for field in episode.fields]
        total = field_findings(run.episodes).kinds[-1]
        assert total.kind == "all"
        assert total.expected == sum(f.expected is not None for f in fields)
        assert total.right == sum(f.expected is not None and f.correct for f in fields)
        assert total.kept == sum(f.expected is None for f in fields)
        assert total.spoilt == sum(f.expected is None and not f.correct for f in fields)
    assert not field_findings(find_runs(folder)[2].episodes).failures.rows


@pytest.mark.parametrize("colours", ["gray", "few", "many"])
def test_png_loses_nothing(colours):
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (40, 50, 3), dtype=np.uint8)
    if colours == "gray":
        picture[...] = picture[..., :1]
    if colours == "few":
        picture = picture[:2, :40].repeat(20, axis=0)
    read = Image.open(io.BytesIO(png(picture)))
    assert np.array_equal(np.asarray(read.convert("RGB")), picture)


def test_patches_in_order_give_the_page():
    rng = np.random.default_rng(0)
    for _ in range(50):
        before = np.zeros((150, 200, 3), np.uint8)
        after = before.copy()
        for _ in range(rng.integers(8)):
            y, x = rng.integers(140), rng.integers(190)
            after[y : y + rng.integers(1, 40), x : x + rng.integers(1, 60), rng.integers(3)] = 9
        patched = before.copy()
        for left, top, right, bottom in changed_rects(before, after):
            patched[top:bottom, left:right] = after[top:bottom, left:right]
        assert np.array_equal(patched, after)


@pytest.mark.parametrize(("runs", "episodes", "words"), [((), 4, "no runs"), ("all", -1, "negative")])
def test_misuse(folder, tmp_path, runs, episodes, words):
    with pytest.raises(ValueError, match=words):
        write_report(find_runs(folder) if runs else [], tmp_path / "report.html", episodes)


def test_command(folder, tmp_path, monkeypatch, capsys):
    report_on(find_runs(folder)[0].folder, tmp_path / "mine.html", 1)
    assert "mine.html" in capsys.readouterr().out
    assert (tmp_path / "mine.html").stat().st_size > 10_000
    monkeypatch.chdir(folder.parent.parent)
    report_on(None, tmp_path / "latest.html", 0)
    assert "3 runs" in text_of(tmp_path / "latest.html")


# -- In a real browser ------------------------------------------------------------------------------------------------


def viewer_of(page, run, episode):
    shown = page.locator(f"#run-{run}-episode-{episode}")
    shown.evaluate("element => { element.open = true; }")
    shown.locator("canvas[data-step]").wait_for(timeout=20_000)
    return shown.locator(".viewer")


def pixels(viewer, part="page"):
    data = viewer.locator(f"[data-part={part}]").evaluate("canvas => canvas.toDataURL('image/png')")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data.split(",")[1]))).convert("RGB"))


def slide(viewer, step):
    viewer.locator("input[type=range]").evaluate(
        "(range, step) => { range.value = step; range.dispatchEvent(new Event('input', {bubbles: true})); }", step
    )


@pytest.mark.parametrize("agent", sample([1, 2], 1))
def test_slider_shows_exactly_the_pixels_of_the_replay(folder, report, opened, agent):
    run = find_runs(folder)[agent]
    episode = worth_showing(run.episodes, 2)[-1]
    moments = [(step.page, step.feedback) for step in replay(run.make_env(), episode)]
    viewer = viewer_of(opened(report), agent, episode.index)
    last = len(moments) - 1
    assert np.array_equal(pixels(viewer), moments[last][0])
    for step in (0, 1, 2, last // 2, 3, last, last - 1, last // 3, last // 3 + 1, 0, last):
        slide(viewer, step)
        assert np.array_equal(pixels(viewer), moments[step][0]), step
        assert cut(moments[step][1]) in viewer.locator("[data-part=step]").text_content()


def test_buttons_and_keys(folder, report, opened):
    page = opened(report)
    episode = worth_showing(find_runs(folder)[1].episodes, 2)[0]
    viewer = viewer_of(page, 1, episode.index)
    canvas, last = viewer.locator("[data-part=page]"), episode.n_calls

    def at():
        return int(canvas.get_attribute("data-step"))

    for button, step in {"first": 0, "next": 1, "last": last, "back": last - 1}.items():
        viewer.locator(f"[data-go={button}]").click()
        assert at() == step
    viewer.focus()
    for key, step in [("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("End", last), ("ArrowRight", last)]:
        page.keyboard.press(key)
        assert at() == step
    viewer.locator("[data-go=play]").click()
    page.wait_for_function("canvas => Number(canvas.dataset.step) > 1", arg=canvas.element_handle(), timeout=10_000)
    viewer.locator("[data-go=play]").click()
    assert 1 < at() < last
    viewer.locator(".steps li").nth(5).click()
    assert at() == 5


def test_player_shows_prompt_and_reply_as_text_and_marks_the_point(nasty_run, opened, tmp_path):
    episode = nasty_run.episodes[0]
    page = opened(write_report([replace(nasty_run, episodes=(episode,))], tmp_path / "report.html"))
    viewer = viewer_of(page, 0, 0)
    talk, marks = viewer.locator("[data-part=talk]"), viewer.locator("svg[data-part=overlay] circle.ring")
    # The keys work before anything was clicked. The last step is the round in which no call was carried out.
    assert "no call here" in viewer.locator("[data-part=step]").text_content()
    page.keyboard.press("Home")
    assert not talk.is_visible()
    page.keyboard.press("ArrowRight")
    for text in (*NASTY.values(), "picture of the page, 80 × 90 pixels", "cost 0.25", "question 4 of 4"):
        assert text in talk.text_content()
    assert not talk.locator("details", has_text="be brief").first.evaluate("details => details.open")
    assert talk.locator("details", has_text="alert(1)").first.evaluate("details => details.open")
    assert page.locator("img, .talk script, .talk u").count() == 0
    (call, *_), env = episode.rounds[0].calls, nasty_run.make_env()
    env.reset(seed=episode.seed, options={"task": episode.task})
    height, width = env.state.paper
    x, y = (float(marks.first.get_attribute(name)) for name in ("cx", "cy"))
    assert (x, y) == pytest.approx((call["x"] * width, call["y"] * height), abs=0.06)


def test_page_before_the_action_is_beside_the_page_after_it(folder, report, opened):
    run = find_runs(folder)[2]
    episode = worth_showing(run.episodes, 2)[-1]
    pages = [step.page for step in replay(run.make_env(), episode)]
    viewer = viewer_of(opened(report), 2, episode.index)
    viewer.locator("[data-switch=beside]").check()
    for step in (1, 5, 4, 0):
        slide(viewer, step)
        assert np.array_equal(pixels(viewer), pages[step])
        assert np.array_equal(pixels(viewer, "before"), pages[max(step - 1, 0)])


def test_boxes_lie_where_the_fields_are(folder, report, opened):
    run = find_runs(folder)[2]
    episode = worth_showing(run.episodes, 2)[0]
    env = run.make_env()
    env.reset(options={"task": episode.task})
    viewer = viewer_of(opened(report), 2, episode.index)
    viewer.locator("[data-switch=change]").uncheck()
    viewer.locator("[data-switch=boxes]").check()
    look = """all => all.map(rect => [...["x", "y", "width", "height"].map(name => Number(rect.getAttribute(name))),
                                       rect.getAttribute("class")])"""
    drawn = viewer.locator("svg[data-part=overlay] rect").evaluate_all(look)
    targets = env.state.task.targets
    assert len(drawn) == len(targets)
    for (x, y, width, height, kind), target in zip(drawn, targets, strict=True):
        assert (x, y, x + width, y + height) == pytest.approx(target.blank)
        assert kind == ("empty" if target.gold.value is None else "right")
    slide(viewer, 0)
    assert viewer.locator("svg[data-part=overlay] rect.right").count() == 0


@pytest.mark.parametrize("width", sample([400, 800, 1280], 2))
def test_nothing_overflows(nasty_run, nasty_report, opened, width):
    page = opened(nasty_report)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    viewer = viewer_of(page, 0, 0)
    for step in range(len(nasty_run.episodes[0].rounds[0].calls) + 1):
        slide(viewer, step)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = "all => all.filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1).length"
        assert not viewer.locator(".step, .step *").evaluate_all(wide)
    assert any(NASTY["script"] in text for text in page.locator("#run-0-episode-0 td bdi").all_inner_texts())


@LONG
def test_help_and_other_tasks_make_rows_of_their_own_in_the_tables_of_the_paper(folder):
    run = find_runs(folder)[2]
    usual = run.summary | {"settings": {}, "ground_truth": []}
    changes = [{}, {"wrappers": ["ground_truth_coordinates"]}, {"settings": {"split": "train"}}]
    changes += [{"wrappers": ["feedback", "field_finder"]}, {"wrappers": ["field_finder"]}]
    (table,) = paper_tables([replace(run, summary=usual | change) for change in changes])
    # Of the iterative flow: alone, and with FieldFinder.
    ours = {row.cells[0].text: tuple(cell != EMPTY for cell in row.cells[3:5]) for row in table.rows[:4]}
    assert ours == {
        "oracle": (True, True),
        "oracle (ground_truth_coordinates)": (True, False),
        "oracle (split=train)": (True, False),
        "oracle (feedback)": (False, True),
    }
    assert all(row.style == "published" for row in table.rows[4:])
