"""Captured pages and real Chromium, frame by frame; ``formgym conformance`` compares all forms and themes."""

import json
import os

import pytest

from formgym.envs.web_forms.chromium.settings import browser_path
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.form import web_forms
from formgym.envs.web_forms.markup.themes import themes
from formgym.experiments.conformance import conform

pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium")
_ALL = [(form, theme) for theme in themes() for form in web_forms()]
# Each form once, the themes in turn; FORMGYM_TEST_ALL asks for every pair.
_SOME = _ALL if os.environ.get("FORMGYM_TEST_ALL") else [(f, themes()[i % len(themes())]) for i, f in enumerate(web_forms())]


@pytest.mark.parametrize(("form", "theme"), _SOME)
def test_every_frame_and_value_is_chromiums(form, theme):
    """Equality is asserted against the version that took the pictures."""
    taken = json.loads((CAPTURES / form / theme / "capture.json").read_text())["browser"]
    result = conform(form, theme, seeds=[11], steps=25, instances=[7])
    if result.compared != result.equal and taken != _version():
        pytest.skip(f"taken with {taken}, compared with {_version()}: {result.equal} of {result.compared} frames equal")
    assert not result.differences, [(d.episode, d.step, d.call, d.rects, d.values) for d in result.differences]


def _version():
    from formgym.envs.web_forms.chromium import Browser

    browser = Browser()
    try:
        with browser.speaking() as pipe:
            return "Chromium " + pipe.call("Browser.getVersion")["product"].partition("/")[2]
    finally:
        browser.end()
