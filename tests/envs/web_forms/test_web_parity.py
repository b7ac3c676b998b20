"""Captured pages and real Chromium, frame by frame; ``benchmarks/conformance.py`` compares all forms and themes."""

import json

import pytest
from conformance import conform
from sizes import ALL, LONG, sample

from formgym.envs.web_forms.chromium.settings import browser_path
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.html.themes import themes

pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium-headless-shell")
_ALL = [(form, theme) for theme in themes() for form in web_forms()]
# Some forms, the themes in turn; FORMGYM_TEST_ALL asks for every pair.
_IN_TURN = [(form, themes()[i % len(themes())]) for i, form in enumerate(web_forms())]
_SOME = _ALL if ALL else sample(_IN_TURN, 2)


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

    with Browser() as browser:
        return browser.version


@LONG
@pytest.mark.parametrize("theme", themes())
def test_a_form_photographed_anew_is_the_shipped_capture(theme, tmp_path):
    from build_assets import page_source

    from formgym.envs.web_forms.chromium import Browser
    from formgym.envs.web_forms.forms.form import web_form
    from formgym.envs.web_forms.html.form_document import form_html
    from formgym.experiments.authoring.web.capture_form import capture_web_form

    form, shipped = "personal_loan", CAPTURES / "personal_loan" / theme
    page = tmp_path / "page.html"
    page.write_text(form_html(web_form(form), theme, runtime=False), encoding="utf-8")
    folder = tmp_path / form / theme
    with Browser() as browser:
        capture_web_form(page.as_uri(), page_source(form, theme), folder, tmp_path / "faces", browser)
    taken = json.loads((shipped / "capture.json").read_text())
    if taken["browser"] != json.loads((folder / "capture.json").read_text())["browser"]:
        pytest.skip(f"the shipped capture was taken with {taken['browser']}")
    names = sorted(path.name for path in shipped.iterdir())
    assert names == sorted(path.name for path in folder.iterdir())
    for name in names:
        assert (folder / name).read_bytes() == (shipped / name).read_bytes(), name
    for suffix in (".json", ".webp"):
        name = taken["face"].rpartition("/")[2] + suffix
        assert (tmp_path / "faces" / name).read_bytes() == (CAPTURES / "faces" / name).read_bytes()
