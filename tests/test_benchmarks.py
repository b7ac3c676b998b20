"""The scripts in benchmarks/: what they compare with is right, and nothing is left behind."""

import re
import subprocess
import sys

import psutil
import pytest
from bench_web import _tree_clock, run_web_benchmark
from conformance import conformance
from pillow_page import pillow_page
from sizes import LONG

from formgym.envs.documents.scene.document import shipped_document
from formgym.envs.web_forms.chromium.settings import browser_path

BROWSER = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium")


@BROWSER
@LONG
def test_a_benchmark_leaves_no_browser():
    before = psutil.Process().children(recursive=True)
    metrics = run_web_benchmark(1)
    assert psutil.Process().children(recursive=True) == before
    assert metrics["candidates"]["step, Chromium backend"]["chromium_ratio"] == 1
    assert metrics["candidates"]["a click, Chromium backend"]["ratio_to_memcpy"] > 1
    assert metrics["candidates"]["memcpy of a page"]["ratio_to_memcpy"] == 1


def test_the_clock_of_a_benchmark_counts_only_what_was_started_after_it():
    script = "import time; [None for _ in range(10**7)]; print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as other:
        clock = _tree_clock()
        began = clock()
        other.stdout.readline()
        assert clock() - began < 0.1
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as own:
            own.stdout.readline()
            assert clock() - began > 0.1
            own.kill()
        other.kill()


def test_what_documents_are_compared_with_draws_the_page():
    page = shipped_document("bakery_menu").pages[0]
    picture = pillow_page(page)
    assert picture.size == (page.width, page.height)
    assert len(picture.getcolors(1 << 20)) > 200


@pytest.mark.parametrize(
    ("forms", "looks", "episodes", "message"),
    [
        (["nda", "nowhere"], [], 1, "no form 'nowhere'; there are .*nda"),
        (["nda"], ["plaid"], 1, "no theme 'plaid'; there are .*clinic"),
        (["nda"], ["clinic"], 51, "nda has 50, not 51"),
    ],
)
def test_conformance_checks_names_first(tmp_path, capsys, forms, looks, episodes, message):
    with pytest.raises(ValueError, match=message):
        conformance(forms, looks, episodes, 5, tmp_path)
    assert capsys.readouterr().out == ""


def test_a_comparison_that_fails_is_a_row_and_not_equal(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORMGYM_CHROMIUM", "/nowhere/chromium")
    assert not conformance(["nda"], ["clinic", "night"], 1, 5, tmp_path)
    out = capsys.readouterr().out
    for theme in ("clinic", "night"):
        assert re.search(rf"nda in {theme}: failed: BrowserGone: .*cannot run /nowhere/chromium", out, re.DOTALL)
    assert re.search(r"all\W+0\W+0\W+0\.000 %\W+2\b", out)


@BROWSER
def test_frames_are_compared_and_counted(tmp_path, capsys):
    conformance(["nda"], ["clinic"], 1, 3, tmp_path)
    assert re.search(r"nda in clinic: \d+ of \d+ frames equal", capsys.readouterr().out)
