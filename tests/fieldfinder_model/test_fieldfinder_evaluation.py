"""FieldFinder measured: locators whose boxes are known get the metrics that geometry says."""

import json
import os
import subprocess
import sys

import funsd_fixture
import numpy as np
import pytest
from sizes import LONG
from typer.testing import CliRunner

from formgym.envs.core.locators import Detection
from formgym.envs.paper_forms.examples import Example, ExamplePage, Word
from formgym.experiments.cli import app
from formgym.experiments.fieldfinder.evaluation import Plan, evaluate_locators
from formgym.experiments.terminal.console import user_errors
from formgym.fieldfinder_model.data.example_pages import pages
from formgym.fieldfinder_model.evaluation.error_taxonomy import CAUSES, cause_of
from formgym.fieldfinder_model.evaluation.localisation_metrics import by_kind, causes, latencies, means, tallies
from formgym.fieldfinder_model.evaluation.measuring import TOP, measure
from formgym.fieldfinder_model.locators import named_locator
from formgym.fieldfinder_model.locators.rule_locators import RightOfLabel, RuleLocator
from formgym.fieldfinder_model.processors import processors, threads


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return str(funsd_fixture.write_fixture(tmp_path_factory.mktemp("funsd")))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


class Knowing:
    """Knows every answer of some pages, and gives it moved by a part of its width and height."""

    def __init__(self, known, across=0.0, down=0.0, before=0):
        self._boxes = {example.target: example.box for page in known for example in page.examples}
        self._shift = across, down
        self._before = before
        self.forgot = 0

    def locate(self, page, target):
        assert page.ndim == 3
        assert not page.flags.writeable
        left, top, right, bottom = self._boxes[target]
        dx, dy = self._shift[0] * (right - left), self._shift[1] * (bottom - top)
        astray = [Detection((0.0, 0.0, 1.0, 1.0), 0.1)] * self._before
        return [*astray, Detection((left + dx, top + dy, right + dx, bottom + dy), 0.5)]

    def locate_all(self, page, targets):
        return [self.locate(page, target) for target in targets]

    def forget(self):
        self.forgot += 1


class Silent(Knowing):
    def locate(self, page, target):
        return []


def _pages(root, protocol="answers"):
    return list(pages("funsd", protocol, root=root, limit=1))


def test_one_that_knows_all_scores_everything(root):
    known = _pages(root)
    locator = Knowing(known)
    results = measure(locator, known)
    assert len(results) == 4
    assert {round(value, 9) for value in means(results).values()} == {1.0}
    assert causes(results) == {"right": 4}
    assert [result.first for result in results] == [True, False, False, False]
    assert locator.forgot == 1


@pytest.mark.parametrize(("across", "overlap"), [(0.25, 0.6), (0.5, 1 / 3), (1.0, 0.0)])
def test_one_that_is_off_has_the_overlap_that_geometry_says(root, across, overlap):
    known = _pages(root)
    metrics = means(measure(Knowing(known, across), known))
    assert metrics["iou"] == pytest.approx(overlap)
    assert metrics["iou_50"] == (overlap >= 0.5)
    assert metrics["centre_in_box"] == (across <= 0.5)


def test_one_that_finds_nothing(root):
    known = _pages(root)
    results = measure(Silent(known), known)
    assert set(means(results).values()) == {0.0}
    assert causes(results) == {"nothing found": 4}


def test_the_right_one_may_come_later(root):
    known = _pages(root)
    metrics = means(measure(Knowing(known, before=TOP - 1), known))
    assert (metrics["centre_in_field"], metrics["top_5"]) == (0, 1)
    assert means(measure(Knowing(known, before=TOP), known))["top_5"] == 0


def test_what_a_locator_says_of_the_label_counts_where_it_is_known(root):
    class Telling(Knowing):
        def label(self, page, target):
            return {"NAME:": (90, 138, 140, 150), "DATE:": (600, 10, 640, 20)}.get(target)

    known = _pages(root)
    results = measure(Telling(known), known)
    assert [result.label_met for result in results] == [True, False, False, False]
    assert means(results)["label_met"] == 0.25
    assert "label_met" not in means(measure(Knowing(known), known))


def test_one_page_a_target_is_still_one_document(root):
    known = _pages(root, "single")
    results = measure(Knowing(known), known)
    assert len({result.page for result in results}) == 4
    assert {result.document for result in results} == {"training_data_0"}
    assert all(result.first for result in results)
    assert latencies(results)["further_seconds"] is None
    assert latencies(results)["first_seconds"] > 0


def test_tallies_are_by_document_and_by_kind(root):
    known = list(pages("funsd", root=root))
    results = measure(Knowing(known), known)
    assert tallies(results)["iou"] == ([pytest.approx(4), pytest.approx(4)], [4, 4])
    assert {kind: len(of) for kind, of in by_kind(results).items()} == {"line": 4, "table": 4}


# -- What went wrong ---------------------------------------------------------------------------------------------------


def _case(kind="line", target="Date"):
    """A page with the label twice; the second is the right one, and its answer is to the right of it."""
    words = [Word("Date", (10, 10, 40, 20)), Word("Date", (10, 110, 40, 120)), Word("Name", (10, 60, 40, 70))]
    example = Example(target, (60, 108, 120, 122), (45, 100, 180, 130), kind, ((10, 110, 40, 120),))
    other = Example("Name | Date", (60, 58, 120, 72), (45, 50, 180, 80), kind, ((10, 60, 40, 70),))
    return example, ExamplePage("page", np.full((300, 300), 255, np.uint8), words, [example, other])


@pytest.mark.parametrize(
    ("best", "kind", "matched", "cause"),
    [
        (None, "line", None, "nothing found"),
        ((60, 108, 120, 122), "line", None, "right"),
        ((140, 108, 170, 122), "line", None, "right field, box off"),
        ((60, 8, 120, 22), "line", None, "the same label elsewhere"),
        ((200, 200, 240, 220), "line", False, "label not read or another matched"),
        ((60, 78, 120, 80), "table", None, "another cell of the table"),
        ((60, 78, 120, 80), "line", None, "another field"),
        ((200, 108, 260, 122), "line", None, "too far left or right"),
        ((60, 148, 120, 162), "line", None, "too far up or down"),
        ((200, 200, 240, 220), "line", None, "elsewhere"),
        ((200, 108, 260, 122), "below", None, "not on the label's line"),
    ],
)
def test_causes(best, kind, matched, cause):
    example, page = _case(kind)
    assert cause_of(best, example, page, matched) == cause
    assert cause in (*CAUSES, "right")


def test_without_label_boxes_the_page_tells_the_rest():
    example, page = _case()
    bare = Example(example.target, example.box, example.field, example.kind)
    assert cause_of((60, 8, 120, 22), bare, page, None) == "too far up or down"


# -- The command -------------------------------------------------------------------------------------------------------


def make_knowing(root, across=0.0):
    """An entry point, as a user's own would be."""
    return Knowing(list(pages("funsd", "answers", root=root)), across)


def _evaluated(root, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "own_locators", sys.modules[__name__])
    options = {"root": root, "across": 0.4}
    plan = Plan(["funsd"], ["answers", "single"], ["own_locators:make_knowing"], root=root, options=options)
    return evaluate_locators(plan, out)


def test_the_command_writes_metrics_and_pictures(root, tmp_path, monkeypatch):
    evaluations = _evaluated(root, tmp_path, monkeypatch)
    result = json.loads((tmp_path / "summary.json").read_text())
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [run["protocol"] for run in result["runs"]] == ["answers", "single"]
    for run, evaluation in zip(result["runs"], evaluations, strict=True):
        assert run["metrics"]["iou"]["mean"] == pytest.approx(0.6 / 1.4)
        assert sum(row["protocol"] == run["protocol"] for row in rows) == len(evaluation.results) == run["targets"] == 8
        assert run["documents"] == 2
        assert run["dropped"]["empty text"] == 2
    page = (tmp_path / "errors.html").read_text()
    assert page.count("data:image/webp") == sum(
        min(6, count) for run in result["runs"] for cause, count in run["causes"].items() if cause != "right"
    )
    assert "right field, box off" in page


class Failing(Knowing):
    """Ends the run at the second page."""

    def locate_all(self, page, targets):
        if self.forgot == 2:
            raise KeyboardInterrupt
        return super().locate_all(page, targets)


def test_rows_are_written_as_they_come(root, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "own_locators", sys.modules[__name__])
    monkeypatch.setattr(sys.modules[__name__], "Knowing", Failing)
    plan = Plan(["funsd"], ["answers"], ["own_locators:make_knowing"], root=root, options={"root": root})
    with pytest.raises(KeyboardInterrupt):
        evaluate_locators(plan, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(rows) == 4
    assert len({row["page"] for row in rows}) == 1
    with pytest.raises(ValueError, match=r"results\.jsonl is there already"):
        evaluate_locators(plan, tmp_path)


def test_targets_are_located_together_or_one_by_one(root):
    class Counting(Knowing):
        rounds = ()

        def locate_all(self, page, targets):
            self.rounds += (len(targets),)
            return super().locate_all(page, targets)

    known = _pages(root)
    counting = Counting(known)
    measure(counting, known)
    assert counting.rounds == (4,)
    measure(counting, known, together=False)
    assert counting.rounds == (4,)


def test_a_page_is_read_by_ocr_once_for_all_locators_and_runs(monkeypatch):
    pytest.importorskip("rapidocr")
    read = []

    def reader(gray):
        read.append(gray.shape)
        return [Word("Date", (10, 10, 40, 20))]

    monkeypatch.setattr("formgym.fieldfinder_model.reading.ocr.ocr_words", reader)
    _, page = _case()
    first = measure(RuleLocator(), [page])
    again = measure(RightOfLabel(), [page])
    assert len(read) == 1
    assert first[0].found
    assert again[0].found
    assert first[0].first
    assert first[0].seconds > 0


@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("3", 3), ("2,4", 2), ("", None), ("0", None), ("x", None)])
def test_threads_follow_the_environment(value, expected, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert threads() == (expected or processors())


@LONG
def test_one_thread_does_all_the_work_where_one_is_set(tmp_path):
    pytest.importorskip("rapidocr")
    code = (
        "import time, numpy as np, cv2\n"
        "page = np.full((900, 700), 255, np.uint8)\n"
        "for i in range(12): cv2.putText(page, 'Date of birth', (40, 60 + 70 * i), 0, 1.0, 0, 2)\n"
        "from formgym.fieldfinder_model.reading.ocr import ocr_words\n"
        "ocr_words(page); here, all_ = time.thread_time(), time.process_time()\n"
        "words = ocr_words(page)\n"
        "assert words; print((time.process_time() - all_) / (time.thread_time() - here))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[-1]) < 1.05


@LONG
def test_the_gallery_opens_without_complaint(root, tmp_path, opened, monkeypatch):
    _evaluated(root, tmp_path, monkeypatch)
    page = opened(tmp_path / "errors.html")
    assert page.locator("figure.case").count() > 0
    assert page.locator("figure.case img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_the_data_are_told(root, tmp_path):
    out = tmp_path / "pictures"
    result = CliRunner().invoke(app, ["fieldfinder", "data", "funsd", "--root", root, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "2 documents, 2 pages with 8 targets" in result.output
    assert "4 line, 4 table" in result.output
    assert "2 empty text" in result.output
    assert sorted(path.name for path in out.iterdir()) == ["training_data_0.png", "training_data_1.png"]


def test_mistakes_are_told(root, tmp_path, capsys):
    with pytest.raises(ValueError, match="cannot be had"):
        named_locator("no_such_module:make")
    with pytest.raises(ValueError, match="cannot be had"):
        named_locator("json:no_such_thing")
    with pytest.raises(ValueError, match=r"locator 'florence' cannot be made with {}: .*'path'"):
        named_locator("florence")
    with pytest.raises(ValueError, match=r"locator 'rules' cannot be made with {'weights': 'x'}"):
        named_locator("rules", weights="x")
    with pytest.raises(SystemExit), user_errors():
        app(["fieldfinder", "evaluate", "--option", "nothing", "--out", str(tmp_path)], standalone_mode=False)
    assert "NAME=VALUE" in capsys.readouterr().err
