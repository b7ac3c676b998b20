"""Pages of strangers: all that a letter says can be entered and counts, and every frame is Chromium's own."""

import pytest
from foreign_page_fixture import NAMES
from sizes import some

from formgym.envs.web_forms.chromium import browser_path

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'formgym[web]'")
pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium-headless-shell")

# In a sample, those that need no packages from npm.
PLAIN = ["web_component", "wizard_plain"]
# What docs/web_forms.md says is not entered: fields short of all, and frames that differ.
SHORT = {
    "bootstrap4": (1, 2),
    "bulma": (2, 0),
    "materialize": (30, 0),
    "pico": (0, 7),
    "uswds": (10, 0),
    "wizard_vue": (1, 0),
}


@pytest.mark.parametrize("name", some(PLAIN, NAMES))
def test_a_page_is_entered_scored_and_pictured_as_it_is(name, tmp_path):
    from foreign_page_walk import judged, reference_browser

    with reference_browser() as browser:
        verdict = judged(name, tmp_path, browser)
    short, unequal = SHORT.get(name, (0, 0))
    assert verdict.scored == verdict.entered >= verdict.fields - short, verdict.faults
    assert len(verdict.unequal) <= unequal, verdict.unequal
    assert verdict.score == (1.0 if verdict.entered else 0.0, 0.0)
