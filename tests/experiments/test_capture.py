"""Capture: shipped pages are what the browser shows, and users can bring forms of their own."""

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image
from sizes import sample

from formgym.envs.paper_forms.paper_form import paper_form, shipped_forms
from formgym.envs.web_forms.chromium import Browser, browser_path
from formgym.experiments.authoring.paper_capture import capture_form, write_form

OWN_FORM = """<html lang="en"><head><title>Own form</title><meta name="description" content="A form of one's own">
<style>body {width: 600px; height: 400px; margin: 0; background: white; font: 14px Arimo}
i {position: absolute; border-bottom: 1px solid black}</style></head><body>
<p style="margin: 20px">Name</p>
<i style="left: 100px; top: 15px; width: 200px; height: 28px" data-field="name" data-label="First name"
   data-matcher="name" data-value="{{ first_name }}"></i>
<i style="left: 100px; top: 80px; width: 14px; height: 14px" data-field="rents" data-label="Home: rented"
   data-matcher="checkbox" data-when="residence_type=rent"></i>
</body></html>"""


@pytest.fixture(scope="module")
def browser():
    if browser_path() is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    with Browser() as browser:
        yield browser


@pytest.mark.parametrize("folder", sample(shipped_forms(), 2), ids=lambda folder: folder.name)
def test_a_form_is_photographed_again_as_it_is_shipped(browser, folder, tmp_path, record_property):
    form, picture = capture_form(folder, browser)
    shipped = paper_form(folder.name)
    assert form.source_sha256 == shipped.source_sha256, "form.html changed: run make assets"
    (tmp_path / "page.png").write_bytes(picture)
    again, before = (np.asarray(Image.open(path / "page.png").convert("RGB")) for path in (tmp_path, folder))
    differing = float((again != before).any(axis=2).mean())
    record_property("differing_pixels", differing)
    if form.browser == shipped.browser:
        assert differing == 0
        assert form.fields == shipped.fields
    else:
        print(f"{form.browser} draws {100 * differing:.3f} % of the pixels otherwise than {shipped.browser}")
        assert [field.name for field in form.fields] == [field.name for field in shipped.fields]


def test_a_form_of_ones_own_becomes_a_task(browser, tmp_path):
    folder = tmp_path / "own_form"
    folder.mkdir()
    # A tick may depend on a derived fact.
    text = OWN_FORM.replace("residence_type=rent", "initials=MAT")
    (folder / "form.html").write_text(text, encoding="utf-8")
    form = write_form(folder, browser)
    assert form.size == (400, 600)
    assert form.fields[1].when == "initials=MAT"
    assert form.fields[0].box == (100.0, 15.0, 300.0, 44.0)
    env = gym.make("FormGym/AutoLoans-Text-v0", forms=[str(folder)])
    for task in env.unwrapped.task_ids:
        env.reset(options={"task": task})
        for call in env.unwrapped.state.solution():
            info = env.step(env.action_space.from_call(call))[4]
        assert info["score"]["strict_accuracy"] == 1.0


def test_a_form_that_is_not_captured_yet_says_how(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_form").mkdir()
    with pytest.raises(ValueError, match=r"write \./own_form"):
        gym.make("FormGym/AutoLoans-Text-v0", forms=["own_form"])
    with pytest.raises(ValueError, match=r"formgym import \./own_form writes it"):
        gym.make("FormGym/AutoLoans-Text-v0", forms=["./own_form"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('data-field="name"', 'data-field="rents"', "there are two"),
        ("left: 100px; top: 15px", "left: 590px; top: 15px", "not on the page"),
        ("{{ first_name }}", "{{ frist_name }}", "'frist_name': first_name, "),
        ('data-label="First name"', "", "field 'name' has no data-label"),
        ("width: 600px; height: 400px", "width: 200px", "the body's width and height"),
        ("data-field", "data-x", "no field"),
        ('data-matcher="name"', 'data-matcher="money"', "field name: the answer '.*' is no money"),
    ],
)
def test_an_authors_mistake_names_file_and_field(browser, tmp_path, old, new, words):
    (tmp_path / "form.html").write_text(OWN_FORM.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=words) as caught:
        write_form(tmp_path, browser)
    assert "form.html" in str(caught.value)
    assert not (tmp_path / "form.json").exists()


def test_a_folder_without_a_form_is_named(browser, tmp_path):
    with pytest.raises(ValueError, match=r"form\.html"):
        write_form(tmp_path, browser)
