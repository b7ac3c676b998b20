"""Pages of others in Chromium: what they hold is read, what they try is contained, what they do counts."""

import json
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sizes import LONG

from formgym.envs.web_forms.chromium import BrowserError, browser_path
from formgym.envs.web_forms.custom.env import CustomFormEnv
from formgym.envs.web_forms.custom.gold import GoldServer
from formgym.envs.web_forms.custom.servers import CommandServer

pytestmark = pytest.mark.skipif(browser_path() is None, reason="apt-get install chromium-headless-shell")
TEXT = {"a": {"label": "A", "control": "text"}}


@pytest.fixture
def open_page(tmp_path):
    """Makes an environment of a page with one task, and resets it."""
    made = []

    def open_(html, values=None, fields=TEXT, **gold):
        folder = tmp_path / f"page{len(list(tmp_path.glob('page*')))}"
        folder.mkdir()
        (folder / "index.html").write_text(f"<!doctype html><meta charset=utf-8>{html}")
        task = {"name": "t", "values": {"a": "one"} if values is None else values}
        (folder / "gold.json").write_text(json.dumps({"tasks": [task], "fields": fields, **gold}))
        env = CustomFormEnv(folder, allow_commands="server" in gold)
        made.append(env)
        env.reset(seed=0)
        return env

    yield open_
    for env in made:
        env.close()


def play(env, calls=None):
    """The info of every step of some calls, or of the solution."""
    return [env.step(env.action_space.from_call(call))[4] for call in calls or env.solution()]


def press(env, selector):
    """The feedback of a click in the middle of an element."""
    left, top, right, bottom = env.state.page.live.call("place", selector)
    return play(env, [{"tool": "click", "x": int((left + right) / 2), "y": int((top + bottom) / 2)}])[0]["feedback"]


@pytest.mark.parametrize("script", [
    "",  # The browser sends it.
    "f.onsubmit = (e) => { e.preventDefault(); fetch('/x', {method: 'POST', body: new FormData(f)}) }",
    "f.onsubmit = (e) => { e.preventDefault(); f.remove() }",
    "f.onsubmit = (e) => { e.preventDefault(); f.reset() }",
    "f.onsubmit = (e) => { e.preventDefault(); document.title = 'Thanks' }",
    "b.type = 'button'; b.onclick = () => fetch('/x', {method: 'POST', body: JSON.stringify({a: f.a.value})})",
    "b.type = 'button'; b.onclick = () => { f.method = 'post'; HTMLFormElement.prototype.submit.call(f) }",
])  # fmt: skip
def test_a_form_is_submitted_however_the_page_does_it(open_page, script):
    env = open_page(
        f"<form id=f><label>A <input name=a required></label><button id=b>Send</button></form><script>{script}</script>"
    )
    press(env, "[name=a]")
    play(env, [{"tool": "type_text", "text": "one"}])
    assert env.state.page.submitted is None
    press(env, "#b")
    assert env.state.page.submitted == {"a": "one"}
    assert env.state.finished
    assert env.state.metrics()["success"] == 1.0


@pytest.mark.parametrize("script", [
    "f.a.required = true",
    "f.onsubmit = (e) => { e.preventDefault(); f.a.classList.add('is-invalid') }",
    "f.onsubmit = (e) => { e.preventDefault(); f.insertAdjacentHTML('beforeend', '<input name=more>') }",
])  # fmt: skip
def test_what_is_refused_or_leads_on_is_no_submission(open_page, script):
    env = open_page(f"<form id=f><input name=a><button id=b>Send</button></form><script>{script}</script>")
    press(env, "#b")
    assert env.state.page.submitted is None
    assert not env.state.finished


def test_what_is_declared_decides(open_page):
    html = """<form onsubmit="event.preventDefault()"><input name=a><button id=b>Save</button></form>
        <a id=c href="#" onclick="setTimeout(() => thanks.hidden = false, 900)">Done</a>
        <p id=thanks hidden>Thanks</p>"""
    env = open_page(html, submitted="#thanks")
    press(env, "#b")
    press(env, "#c")
    assert env.state.page.submitted is None
    press(env, "[name=a]")
    assert env.state.page.submitted is not None
    env = open_page(html, submit="#c")
    press(env, "#b")
    assert env.state.page.submitted is None
    press(env, "#c")
    assert env.state.page.submitted is not None


def test_what_a_page_tries_is_caught_and_reported(open_page):
    env = open_page(
        """<input name=a><button id=a1 onclick="alert('Hello'); confirm('Sure?')">1</button>
        <button id=a2 onclick="for (let i = 0; i < 100; i++) window.open('/other')">2</button>
        <a id=a3 href=data:application/octet-stream,x download=loot.bin>3</a><a id=a4 href=https://example.org/>4</a>
        <button id=a5 onclick="print()">5</button><button id=a6 onclick="location = 'index.html?2'">6</button>"""
    )
    feedback = press(env, "#a1")
    assert 'dialog: "Hello"' in feedback
    assert 'dialog: "Sure?"' in feedback
    assert "another window" in press(env, "#a2")
    assert "loot.bin" in press(env, "#a3")
    assert "https://example.org/" in press(env, "#a4")
    press(env, "#a5")
    assert "/index.html?2" in press(env, "#a6")
    assert env.state.page.live.call("place", "#a6") is not None
    targets = env.state.page.live.tab.call_browser("Target.getTargets")["targetInfos"]
    mine = [
        one for one in targets if one["type"] == "page" and one["browserContextId"] == env.state.page.live.tab.context
    ]
    assert len(mine) == 1


def test_nothing_but_the_folder_is_reached(open_page, tmp_path):
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.2)
        port = other.getsockname()[1]
        urls = [
            f"http://127.0.0.1:{port}/",
            f"http://localhost:{port}/",
            f"http://[::1]:{port}/",
            f"ws://127.0.0.1:{port}/",
        ]
        env = open_page(
            f"""<link rel=prefetch href=http://127.0.0.1:{port}/p><link rel=preconnect href=http://127.0.0.1:{port}>
            <img src=http://127.0.0.1:{port}/i><iframe src=http://127.0.0.1:{port}/f></iframe><iframe src=file:///etc/passwd></iframe>
            <input name=a><script>for (const url of {urls}) url.startsWith("ws") ? new WebSocket(url) : fetch(url);
            navigator.sendBeacon("{urls[0]}"); typeof RTCPeerConnection</script>"""
        )
        press(env, "[name=a]")
        with suppress(TimeoutError):
            heard.append(other.accept()[1])
    assert heard == []
    assert env.state.page.live.refused
    paths = ["gold.json", "GOLD.JSON", ".//gold.json", "%67old.json", "../page0/gold.json", ".hidden", "../../x"]
    script = f"Promise.all({paths}.map((path) => fetch(path).then((answer) => answer.ok, () => false)))"
    page = env.state.page.live
    page.tab.post("Emulation.setVirtualTimePolicy", {"policy": "advance"})
    assert page.tab.evaluate(script) == [False] * 7
    assert page.tab.evaluate("typeof RTCPeerConnection") == "undefined"


def test_a_page_cannot_fool_its_reader(open_page):
    env = open_page(
        """<form id=f><input name=a value=two><button>Go</button></form><script>
        Object.defineProperty(HTMLInputElement.prototype, "value", {get: () => "one", set() {}});
        Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = () => [];
        Element.prototype.getBoundingClientRect = () => { throw 1; }; Object.entries = null;
        JSON.stringify = () => "{}"; globalThis.formgym = {report: () => ({})};</script>"""
    )
    assert env.state.page.draft() == {"a": "two"}
    assert env.state.metrics()["field_accuracy"] == 0.0


@pytest.mark.parametrize("script", ["for (;;) alert('again')", pytest.param("for (;;);", marks=LONG)])
def test_an_endless_page_ends_its_episode_and_the_next_one_begins(open_page, script):
    env = open_page(f'<input name=a><button onclick="{script}">1</button>')
    with pytest.raises(BrowserError, match=r"dialog after another|did not answer"):
        press(env, "button")
    env.reset(seed=0)
    press(env, "[name=a]")
    assert env.state.page.has_focus


def test_a_server_of_the_page_runs_only_if_allowed_and_ends_with_its_children(tmp_path, open_page):
    (tmp_path / "serve.py").write_text(
        "import http.server, os, subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]), bind='127.0.0.1')\n"
    )
    server = {"command": ["python3", str(tmp_path / "serve.py"), "{port}"]}
    env = open_page("<form method=post><input name=a><button>Go</button></form>", server=server)
    folder = env.state.page.pages.folder
    with pytest.raises(ValueError, match="allow_commands=True"):
        CustomFormEnv(folder)
    assert [info["score"]["success"] for info in play(env)][-1] == 1.0
    env.reset(seed=0)
    assert not env.state.page.live.tab.evaluate("fetch('/gold.json').then((answer) => answer.ok, () => false)")
    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
    env.close()
    assert not [pid for pid in pids if _runs(pid)]
    with pytest.raises(ValueError, match="does not answer"):
        CommandServer(GoldServer(command=("python3", "-c", "raise SystemExit('no luck')")), tmp_path)


def test_a_server_of_the_page_gets_no_other_variable_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("FORMGYM_SECRET", "hidden")
    program = "import os, sys; sys.exit(' '.join(sorted(os.environ)))"
    with pytest.raises(ValueError, match="does not answer") as raised:
        CommandServer(GoldServer(command=(sys.executable, "-c", program)), tmp_path)
    # Python sets LC_CTYPE itself where LANG is missing.
    assert set(str(raised.value).splitlines()[-1].split()) - {"LANG", "LC_CTYPE"} == {"HOME", "PATH", "PORT", "TMPDIR"}


def test_a_page_is_at_the_same_port_again_unless_that_is_taken(tmp_path, open_page):
    page = f"<title>{tmp_path}</title><input name=a>"
    first = open_page(page)
    port = first.state.page.live.evaluate("location.port")
    second = open_page(page)
    assert second.state.page.live.evaluate("location.port") != port
    first.close()
    third = open_page(page)
    assert third.state.page.live.evaluate("location.port") == port


def test_programs_of_a_page_share_no_port_and_take_the_same_again(tmp_path):
    command = ("python3", "-m", "http.server", "{port}", "--bind", "127.0.0.1", "--directory", str(tmp_path))
    server = GoldServer(command=command)
    one, other = (CommandServer(server, tmp_path) for _ in range(2))
    one.close()
    again = CommandServer(server, tmp_path)
    other.close()
    again.close()
    assert again.port == one.port
    assert other.port != one.port


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_errors_of_tasks_say_where(tmp_path, open_page):
    for gold, words in (
        ({"fields": {}}, "task 't': 'a' is no field"),
        ({"values": {"a": True}}, "'a' is a text: its value is a text, not True"),
        ({"values": {}}, "asks for nothing"),
        ({"page": "other.html"}, "there is no file 'other.html'"),
    ):
        with pytest.raises(ValueError, match=words):
            open_page("<input name=a>", **gold)
    env = open_page("<select name=a><option>two</select>", fields={"a": {"label": "A", "control": "select"}})
    with pytest.raises(
        ValueError, match=r"task 't': field 'a' cannot be brought to 'one': it offers no 'one', but two"
    ):
        env.solution()


def test_the_clock_and_chance_are_the_same_in_every_episode(open_page):
    script = "p.textContent = [new Date().toDateString(), Math.random(), crypto.randomUUID()]"
    env = open_page(f"<input name=a><p id=p></p><script>{script}</script>")
    first = env.page()
    env.reset(seed=1)
    assert (first == env.page()).all()
    assert env.state.page.live.evaluate("document.getElementById('p').textContent").startswith("Mon Mar 02 2026")
