"""Forms of one's own: a page of the web becomes an environment, and what cannot be replayed is named."""

import json

import gymnasium as gym
import pytest
from sizes import LONG, sample

from formgym.envs.web_forms.custom_form import CustomFormEnv
from formgym.experiments.authoring.web.browser import chromium, chromium_path
from formgym.experiments.authoring.web.check_custom_form import check_custom_form
from formgym.experiments.authoring.web.custom_form import capture_custom_form

pytest.importorskip("playwright")
pytestmark = pytest.mark.skipif(chromium_path() is None, reason="no Chromium: apt-get install chromium")

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Order</title><style>
body {font: 16px Arimo, Arial, sans-serif; margin: 20px; background: #f4f4f4}
button:hover {background: #ddd}</style></head><body data-theme="dark"><h1>Order</h1>
<p>Read <a href="/more">more</a> first.</p>
<form class="page"><table><tr><td>Customer:</td><td><input name="customer" required></td></tr></table>
<label>Size <select name="size"><option value="">Choose</option><option value="s">Small</option>
<option value="l">Large</option></select></label>
<fieldset><legend>Delivery</legend><label><input type="radio" name="how" value="post" checked> By post</label>
<label><input type="radio" name="how" value="fetch"> Fetched</label></fieldset>
<p><label><input type="checkbox" name="gift"> It is a gift</label></p>
<p>Discount <input type="number" name="off" min="0" max="50" style="text-align: right"> %</p>
<p><input value="fixed" name="fixed" disabled> <input name="note" value="kept" readonly>
<input type="range" name="r"></p>
<p><textarea name="words" rows="3" cols="30">Please</textarea></p>
<button>Send</button> <input type="reset"></form>
<form><input name="q"><button>Search</button></form>
<canvas id="c" width="30" height="30"></canvas>
<script>document.querySelector("[name=gift]").addEventListener("change", e => { document.title = "Gift"; });</script>
</body></html>"""
VALUES = {"customer": "Ann Lee", "size": "l", "how": "fetch", "gift": True, "off": "15", "words": "Ring\ntwice, please"}


def _captured(folder, html, task=None):
    """A page that is captured, with the values of a task."""
    (folder / "page.html").write_text(html, encoding="utf-8")
    gold = folder / "gold.json" if task else None
    if gold:
        gold.write_text(json.dumps({"tasks": [{"name": "ann", "source": "Ann Lee orders.", "values": task}]}))
    with chromium() as browser:
        return capture_custom_form(str(folder / "page.html"), folder / "out", gold, browser)


def _solved(form):
    """The score of the oracle's episode."""
    env = gym.make("FormFactory/Captured-v0", capture=form.folder)
    env.reset(seed=0)
    for call in env.unwrapped.state.solution():
        info = env.step(env.action_space.from_call(call))[4]
    return env, info["score"]


@pytest.fixture(scope="module")
def form(tmp_path_factory):
    return _captured(tmp_path_factory.mktemp("own"), PAGE, VALUES)


@LONG
def test_labels_are_taken_from_the_page(form):
    labels = {name: (field.label, field.control) for name, field in form.gold.fields.items()}
    assert labels["customer"] == ("Customer", "text")
    assert labels["size"] == ("Size", "select")
    assert labels["how"] == ("Delivery", "radio")
    assert labels["gift"] == ("It is a gift", "checkbox")
    assert not {"fixed", "q", "r"} & labels.keys()


@LONG
@pytest.mark.parametrize("what", ["1 links", "type range", "another form", "a canvas", "scripts that change"])
def test_what_cannot_be_replayed_is_named(form, what):
    assert any(what in line for line in form.capture.inexact), form.capture.inexact


@LONG
def test_it_is_replayed_as_chromium_shows_it(form):
    compared, equal, unequal = check_custom_form(form, seeds=1, steps=15)
    assert not [(one.episode, one.call, where) for one, where in unequal]
    assert compared == equal > 30


@LONG
def test_it_can_be_played(form):
    env, score = _solved(form)
    assert score["strict_accuracy"] == score["success"] == 1.0
    env.reset(seed=0)
    info = env.step(env.action_space.from_call({"tool": "terminate"}))[4]
    assert info["score"]["strict_accuracy"] == info["score"]["success"] == 0.0


@LONG
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"customer": ""}, "'customer' is refused"),
        ({"customer": "Ann", "size": "xl"}, "'size' does not offer .'xl'.; its values: .*'s'"),
        ({"customer": "Ann", "off": "60"}, "'off' is refused with '60'"),
        ({"customer": "Ann", "note": "new"}, "'note' holds 'kept'"),
        ({"customer": "Ann", "gift": "yes"}, "'gift' is a checkbox: its value is true or false"),
        ({"custmer": "Ann"}, "'custmer' is no field"),
        ({"customer": "Ann", "how": "air"}, "'how'"),
    ],
)
def test_a_value_that_cannot_be_entered_is_named(form, values, message):
    path = form.folder / "gold.json"
    kept = path.read_text(encoding="utf-8")
    gold = json.loads(kept)
    gold["tasks"][0]["values"] = {"gift": True} | values
    path.write_text(json.dumps(gold), encoding="utf-8")
    try:
        with pytest.raises(ValueError, match=message):
            CustomFormEnv(capture=form.folder)
    finally:
        path.write_text(kept, encoding="utf-8")


def test_without_a_capture_it_says_how_to_make_one(tmp_path):
    for given in (None, tmp_path):
        with pytest.raises(ValueError, match="formgym import PAGE --out DIR"):
            CustomFormEnv(capture=given)


# Controls that belong to the form by its name, from outside of it, and some inside that belong to another.
APART = """<!DOCTYPE html><html lang="en"><head><title>Apart</title><style>body {font: 16px Arial; margin: 20px}
[hidden].note {display: block} textarea {resize: both} ::selection {background: #fc6}
input:focus {z-index: 5}</style></head><body><p><label>Note <input name="note" form="order"></label></p>
<form id="order"><p><label>Customer <input name="customer" required></label></p>
<p><label><input type="radio" name="how" value="post"> Post</label></p>
<p><input name="q" form="search"> <button form="search">Search</button></p></form>
<p><label><input type="radio" name="how" value="fetch" form="order"> Fetched</label>
<label>Size <select name="size" form="order"><option>Small<option>Large</select></label></p>
<p><label>Words <textarea name="words" form="order" rows="3" cols="30"></textarea></label></p>
<form id="search"><p><label><input type="radio" name="how" value="other"> Other</label></p></form>
<p><label>Lost <input name="lost"></label></p><p hidden class="note">Shown all the same.</p>
<p><button form="order">Send</button> <button type="reset" form="order">Clear</button></p></body></html>"""
APART_VALUES = {"customer": "Ann Lee", "note": "At noon", "how": "fetch", "size": "Large", "words": "Ring\ntwice"}


BARE = """<!doctype html><html><head><title>Library card</title></head><body><h1>Library card</h1><form>
<p style="margin-left: LEFTpx"><label>Full name <input name="full_name" required></label></p>
<p><label for="e">Email</label> <input id="e" type="email" name="email"></p>
<p><label>Branch <select name="branch"><option>North</option><option>South</option></select></label></p>
<p><label><input type="checkbox" name="news"> Send me news</label></p><button>Apply</button></form></body></html>"""


@LONG
@pytest.mark.parametrize("left", [0, 0.25, 0.5, 0.625])
def test_a_page_without_any_style_is_replayed_as_chromium_shows_it(tmp_path, left):
    form = _captured(tmp_path, BARE.replace("LEFT", str(left)))
    compared, equal, unequal = check_custom_form(form, seeds=3, steps=25)
    assert compared == equal, unequal
    assert compared > 60


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    return _captured(tmp_path_factory.mktemp("apart"), APART, APART_VALUES)


@LONG
def test_controls_that_name_the_form_are_used_from_outside_of_it(apart):
    assert apart.gold.fields.keys() == APART_VALUES.keys()
    score = _solved(apart)[1]
    assert score["strict_accuracy"] == score["success"] == 1.0


@LONG
def test_controls_of_another_form_or_of_none_are_a_part_of_the_picture(apart):
    named = "\n".join(apart.capture.inexact)
    for name in ('"q"', '"Search"', '"how"'):
        assert f"{name}: it belongs to another form" in named
    assert '"lost": it is outside of the form' in named
    for name in ("note", "size", "words", "Send", "Clear"):
        assert f'"{name}"' not in named


@LONG
def test_controls_outside_of_the_form_are_replayed_as_chromium_shows_them(apart):
    compared, equal, unequal = check_custom_form(apart, seeds=2, steps=20)
    assert not [(one.episode, one.call, where) for one, where in unequal]
    assert compared == equal > 30


LOOKS = """() => [...document.querySelectorAll("body, body *")].map(one => Object.fromEntries(
  ["", "::selection", "::placeholder"].flatMap(part => { const style = getComputedStyle(one, part);
    return [...style].filter(name => !/^(transition|animation|caret-|user-select|scroll-behavior|--fg-)/.test(name))
      .map(name => [part + name, style.getPropertyValue(name)]); })))"""


@pytest.mark.parametrize("html", sample([PAGE, APART], 1))
def test_a_page_keeps_its_look(browser, html):
    """All but what moves, and lists and files, which get pickers."""
    from formgym.experiments.authoring.web.capture_form import set_up

    page = browser.new_page(viewport={"width": 1024, "height": 768})
    page.set_content(html)
    page.evaluate("""() => {
      document.querySelectorAll("select, script").forEach(one => one.remove());
      Object.assign(document.body.dataset, { own: "", ownForm: "", mode: "env" }) }""")
    before, picture = page.evaluate(LOOKS), page.screenshot()
    set_up(page)
    after = page.evaluate(LOOKS)
    plain = ("::selectionbackground-color", "rgba(0, 0, 0, 0)")
    changed = {
        (name, value, now[name])
        for one, now in zip(before, after, strict=True)
        for name, value in one.items()
        if value != now[name] and (name, value) != plain
    }
    assert not changed
    assert page.screenshot() == picture
    page.close()


def test_the_calendar_of_a_date_opens_from_inside_its_field(browser):
    from formgym.experiments.authoring.web.capture_form import set_up

    page = browser.new_page(viewport={"width": 1024, "height": 768})
    style = "display: block; width: 200px; margin: 5px 9px 30px"
    page.set_content(f'<body data-own="" data-mode="env"><form><input type="date" name="day" style="{style}"></form>')
    set_up(page)
    inside = page.evaluate("""() => {
      const field = document.querySelector("input").getBoundingClientRect();
      const button = document.querySelector(".fg-calendar-button").getBoundingClientRect();
      return [button.left > field.left, button.right <= field.right,
              button.top >= field.top, button.bottom <= field.bottom];
    }""")
    page.close()
    assert all(inside), inside
