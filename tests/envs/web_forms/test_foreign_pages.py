"""Pages of strangers: all that a letter says can be entered and counts, and every frame is Chromium's own."""

import pytest
from foreign_page_fixture import NAMES
from sizes import some

from formgym.envs.web_forms.chromium import browser_path

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'formgym[web]'")
pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium")

# In a sample, those that need no packages from npm.
PLAIN = ["web_component", "wizard_plain"]


@pytest.mark.parametrize("name", some(PLAIN, NAMES))
def test_a_page_is_entered_scored_and_pictured_as_it_is(name, tmp_path):
    from foreign_page_walk import judged, reference_browser

    with reference_browser() as browser:
        verdict = judged(name, tmp_path, browser)
    assert (verdict.entered, verdict.scored) == (verdict.fields, verdict.fields), verdict.faults
    assert verdict.unequal == {}
    assert verdict.score == (1.0, 0.0)
