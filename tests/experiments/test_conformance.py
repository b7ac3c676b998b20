"""The command ``formgym conformance``: what it is asked is checked first, and what fails takes nothing along."""

import re

import pytest

from formgym.envs.web_forms.chromium.settings import browser_path
from formgym.experiments.authoring.web.conformance import conformance


@pytest.mark.parametrize(
    ("forms", "looks", "episodes", "said"),
    [
        (["nda", "nowhere"], None, 1, "no form 'nowhere'; there are .*nda"),
        (["nda"], ["plaid"], 1, "no theme 'plaid'; there are .*clinic"),
        (["nda"], ["clinic"], 51, "nda has 50, not 51"),
    ],
)
def test_what_is_asked_for_is_checked_first(tmp_path, capsys, forms, looks, episodes, said):
    with pytest.raises(ValueError, match=said):
        conformance(forms, looks, episodes, 5, tmp_path)
    assert capsys.readouterr().out == ""


def test_what_fails_is_a_row_and_not_equal(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORMGYM_CHROMIUM", "/nowhere/chromium")
    assert not conformance(["nda"], ["clinic", "night"], 1, 5, tmp_path)
    out = capsys.readouterr().out
    for theme in ("clinic", "night"):
        assert re.search(rf"nda in {theme}: failed: BrowserGone: .*cannot run /nowhere/chromium", out, re.DOTALL)
    assert re.search(r"all\W+0\W+0\W+0\.000 %\W+2\b", out)


@pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium")
def test_frames_are_compared_and_counted(tmp_path, capsys):
    conformance(["nda"], ["clinic"], 1, 3, tmp_path)
    assert re.search(r"nda in clinic: \d+ of \d+ frames equal", capsys.readouterr().out)
