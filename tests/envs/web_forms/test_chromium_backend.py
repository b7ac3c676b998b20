"""The Chromium backend's browser: keys really edit, pictures never lag, and nothing is left behind."""

import asyncio
import contextlib
import functools
import http.server
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest
from sizes import LONG, sample, some

from formgym.envs.web_forms.chromium import (
    Browser,
    BrowserError,
    BrowserGone,
    BrowserHold,
    BrowserHung,
    CommandFailed,
    PageGone,
    ScriptFailed,
    browser_path,
)
from formgym.envs.web_forms.chromium.key_codes import pressed

pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium-headless-shell")

SPOTS = {"line": (100, 55), "short": (450, 55), "number": (700, 55), "prose": (100, 150), "tick": (650, 125)}
ADD = (700, 165)
ANSWERS = json.loads(Path(__file__).with_name("chromium_answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def url():
    return Path(__file__).with_suffix(".html").as_uri()


@pytest.fixture(scope="module")
def browser():
    with Browser() as running:
        yield running


@pytest.fixture
def tab(browser, url):
    with browser.open_tab() as opened:
        opened.goto(url)
        yield opened


def _value(tab, name):
    return tab.evaluate(f"document.getElementById({name!r}).value")


def _filled(tab, name, text):
    tab.click(*SPOTS[name])
    tab.type_text(text)
    return _value(tab, name)


def _comes_true(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (is_so := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return is_so


def _gone(pids, seconds=20):
    """Whether all of these processes end in time; one that nobody has waited for has not."""
    return _comes_true(lambda: not any(psutil.pid_exists(pid) for pid in pids), seconds)


def _none_are_zombies():
    """Whether all children that ended have been waited for."""
    statuses = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            statuses.append(process.status())
    return psutil.STATUS_ZOMBIE not in statuses


def _family(pid):
    process = psutil.Process(pid)
    return [pid, *(child.pid for child in process.children(recursive=True))]


def _browser_pid(browser):
    """The browser's main process: the last of those that were started as it, a script being before it perhaps."""
    children = psutil.Process(browser.pid).children(recursive=True)
    alive = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return max(child.pid for child in alive if "--type=" not in (line := " ".join(child.cmdline())) and "pipe" in line)


def _profiles(family):
    """The temporary folders of a browser."""
    return list(Path(tempfile.gettempdir()).glob(f"formgym_browser_{family[0]}_*"))


# --- keys -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "key", "first", "last", "after"),
    [(*row[:5], row[5:]) for row in (*sample(ANSWERS["keys_in_line"], 16), *ANSWERS["keys_in_prose"])],
)
def test_keys_edit_and_move(tab, name, text, key, first, last, after):
    tab.click(*SPOTS[name])
    tab.evaluate(f"({name}.value = {text!r}, {name}.setSelectionRange({first}, {last}), 0)")
    tab.press_key(key)
    assert tab.evaluate(f"[{name}.value, {name}.selectionStart, {name}.selectionEnd]") == after


def test_typed_edits_are_undone_and_what_is_cut_is_pasted(tab):
    assert _filled(tab, "line", "one") == "one"
    tab.press_key("Control+a")
    tab.press_key("Control+x")
    assert _value(tab, "line") == ""
    tab.press_key("Control+v")
    tab.press_key("Control+v")
    assert _value(tab, "line") == "oneone"
    tab.press_key("Control+z")
    assert _value(tab, "line") == "one"
    tab.press_key("Control+Shift+z")
    assert _value(tab, "line") == "oneone"


def test_any_text_is_typed(tab):
    text = "Zoë Müller, 12 €; naïve “quotes” — 日本 Ελλ 👍 e\u0301 ~`{}|<>?:\"'\\"
    assert _filled(tab, "line", text) == text
    assert _filled(tab, "prose", "one\r\ntwo\n\nfour") == "one\ntwo\n\nfour"
    assert _filled(tab, "short", "x\x00\x01\x08\x1by") == "xy"


def test_long_text_is_typed(tab):
    text = "The quick brown fox. " * 50
    assert _filled(tab, "prose", text) == text


def test_native_fields_filter(tab):
    assert _filled(tab, "short", "abcdefgh") == "abcde"
    assert _filled(tab, "number", "1a2b,3.5") == "123.5"


def test_tabulator_moves_the_focus_and_space_ticks(tab):
    assert _filled(tab, "line", "one\ttwo") == "one"
    assert _value(tab, "short") == "two"
    tab.press_key("Shift+Tab")
    assert tab.evaluate("document.activeElement.id") == "line"
    tab.click(*SPOTS["tick"])
    tab.press_key("Space")
    tab.press_key("Space")
    assert tab.evaluate("tick.checked")


def test_page_scripts_hear_keys_as_from_a_keyboard(tab):
    tab.click(*SPOTS["line"])
    tab.type_text("aB\u00e9")
    tab.press_key("Control+c")
    assert tab.evaluate("heard") == ANSWERS["heard"]


@pytest.mark.parametrize("name", ["", "Nope", "Hyper+a", "Shift+Nope", "ab", "Control+"])
def test_unknown_keys_are_refused(name):
    with pytest.raises(ValueError, match=r"no such|no key"):
        pressed(name)


def test_half_a_character_is_refused(tab):
    with pytest.raises(ValueError, match="surrogates"):
        tab.type_text("a\ud83d")
    assert _filled(tab, "line", "b") == "b"


# --- the mouse ------------------------------------------------------------------------------------------------------


def test_clicks(tab):
    _filled(tab, "line", "one two")
    tab.click(55, 55, count=2)
    assert tab.evaluate("[line.selectionStart, line.selectionEnd]") == [0, 3]
    tab.click(500, 600, button="right")
    assert tab.evaluate("heard.filter(([kind]) => /dblclick|contextmenu/.test(kind))") == [
        ["dblclick"],
        ["contextmenu"],
    ]
    assert _filled(tab, "short", "x") == "x"


def test_the_wheel_turns_where_the_mouse_is_and_the_hover_follows(tab):
    hovered = "document.querySelector('i:hover') !== null"
    tab.move(100, 700)
    assert not tab.evaluate(hovered)
    before = tab.screenshot()
    tab.wheel(200)
    assert tab.evaluate("scrollY") == 200
    assert tab.evaluate(hovered)
    shown = tab.screenshot()
    assert shown[730, 100].tolist() == [238, 238, 255]
    tab.wheel(-200)
    assert np.array_equal(tab.screenshot(), before)


def test_dialogs_are_answered(tab):
    tab.evaluate("(add.onclick = () => { alert(1); add.textContent = confirm('?') }, 0)")
    tab.click(*ADD)
    assert tab.evaluate("add.textContent") == "true"


def test_any_command_is_called_and_its_events_are_heard(tab):
    events = []
    tab.listeners.append(lambda method, params: events.append((method, params)))
    tab.call("Runtime.enable")
    metrics = {"width": 300, "height": 200, "deviceScaleFactor": 1, "mobile": False}
    tab.call("Emulation.setDeviceMetricsOverride", metrics)
    assert tab.evaluate("(console.log('heard'), [innerWidth, innerHeight])") == [300, 200]
    logged = [params["args"][0]["value"] for method, params in events if method == "Runtime.consoleAPICalled"]
    assert logged == ["heard"]
    assert tab.context in tab.call_browser("Target.getBrowserContexts")["browserContextIds"]
    with pytest.raises(CommandFailed, match="wasn't found"):
        tab.call("No.suchMethod")


def test_a_proxy_cuts_a_tab_off_all_but_one_address(browser, tmp_path):
    (tmp_path / "index.html").write_text("<title>open</title>")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
        allowed, refused = (f"127.0.0.1:{server.server_port}" for server in servers)
        with browser.open_tab(proxy=("http://127.0.0.1:9", f"<-loopback>;{allowed}")) as tab:
            tab.goto(f"http://{allowed}")
            assert tab.evaluate("document.title") == "open"
            with pytest.raises(CommandFailed, match="cannot be opened"):
                tab.goto(f"http://{refused}")


# --- pictures -------------------------------------------------------------------------------------------------------


def _random_walk(tab, seed, steps):
    """Random actions; the picture after each, and whether the one after that, with nothing done, is the same."""
    rng = np.random.default_rng(seed)
    spots = [*SPOTS.values(), ADD]
    keys = ["Tab", "Shift+ArrowLeft", "Backspace", "Control+a", "Shift+End", "Enter", "Space", "Control+z"]
    for _ in range(steps):
        kind, spot, key, dy = (int(rng.integers(n)) for n in (6, len(spots), len(keys), 400))
        x, y = (int(rng.integers(n)) for n in (1024, 768))
        match kind:
            case 0:
                tab.click(*spots[spot])
            case 1:
                tab.move(x, y)
            case 2:
                tab.type_text("aé 1\n"[: 1 + key % 5])
            case 3:
                tab.press_key(keys[key])
            case 4:
                tab.wheel(dy - 200)
            case _:
                tab.click(x, y, count=2)
        yield tab.screenshot()


def _digests(url, steps):
    with Browser() as browser, browser.open_tab() as tab:
        tab.goto(url)
        return [hash(picture.tobytes()) for picture in _random_walk(tab, 3, steps)]


def test_a_picture_has_the_size_of_the_viewport(browser, url):
    with browser.open_tab(640, 480) as tab:
        tab.goto(url)
        picture = tab.screenshot()
        assert picture.shape == (480, 640, 3)
        assert picture.dtype == np.uint8
        assert picture[400, 5].tolist() == [0xF4, 0xF6, 0xF8]
        assert tab.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [640, 480, 1]


def test_pictures_never_lag(tab):
    for step, picture in enumerate(_random_walk(tab, 1, some(50, 150))):
        assert np.array_equal(picture, tab.screenshot()), f"step {step} was not shown at once"


@LONG
def test_the_same_actions_give_the_same_bytes_in_every_browser(url):
    steps = some(40, 100)
    first = _digests(url, steps)
    assert len(set(first)) > 15
    assert _digests(url, steps) == first


@LONG
def test_two_tabs_do_not_mix(browser, url):
    with browser.open_tab() as alone:
        alone.goto(url)
        expected = [hash(picture.tobytes()) for picture in _random_walk(alone, 2, 30)]
    with browser.open_tab() as one, browser.open_tab() as two:
        for tab in (one, two):
            tab.goto(url)
        pairs = zip(_random_walk(one, 2, 30), _random_walk(two, 2, 30), strict=True)
        both = [[hash(picture.tobytes()) for picture in pair] for pair in pairs]
    assert both == [[digest, digest] for digest in expected]


def test_where_memory_is_not_read_frames_are_photographed_and_open_lists_hang_nothing(browser, monkeypatch):
    def refused(*_):
        raise PermissionError

    monkeypatch.setattr("formgym.envs.web_forms.chromium.tab.FrameBuffer", refused)
    with browser.open_tab(300, 200) as tab:
        tab.goto("data:text/html," + LIST % 50)
        before = tab.screenshot()
        tab.click(60, 60)
        assert tab.screenshot().shape == before.shape
        tab.press_key("ArrowDown")
        tab.press_key("Enter")
        assert tab.evaluate("[s.value, heard]") == ["two", [["input", True], ["change", True]]]
        assert not np.array_equal(tab.screenshot(), before)


def test_contexts_share_nothing(browser, url):
    for _ in range(2):
        with browser.open_tab() as tab:
            tab.goto(url)
            assert tab.evaluate("localStorage.length") == 0
            tab.evaluate("(localStorage.setItem('a', 'b'), 0)")


@LONG
@pytest.mark.parametrize("size", [(1024, 768), (256, 192), (640, 1400)])
def test_frames_in_memory_are_those_that_chromium_photographs(url, size):
    with Browser() as browser, browser.open_tab(*size) as tab:
        tab.goto(url)
        assert tab._frames is not None
        for step, picture in enumerate(_random_walk(tab, 5, some(40, 200))):
            assert np.array_equal(picture, tab._png()), step


def test_a_tab_that_is_resized_is_photographed(tab, url):
    tab.resize(300, 1000)
    assert tab.screenshot().shape == (1000, 300, 3)


LIST = """<body style="margin: 0"><select id=s style="position: absolute; left: 50px; top: %dpx"><option>one
<option>two
<option disabled>three<optgroup label=more><option>four</optgroup></select><script>heard = [];
for (const kind of ["input", "change"])
  s.addEventListener(kind, event => heard.push([kind, event.isTrusted]))</script>"""


@pytest.mark.parametrize("top", [50, 740])
def test_open_native_lists_are_in_the_picture_and_clicks_choose_in_them(browser, top):
    with browser.open_tab() as tab:
        tab.goto("data:text/html," + LIST % top)
        closed = tab.screenshot()
        tab.click(60, top + 10)
        tab.move(500, 500)
        shown = tab.screenshot()
        rows = np.flatnonzero((shown[:, 53] == (0x19, 0x67, 0xD2)).all(axis=1))
        assert 10 < len(rows) < 40
        assert tab.popup["rows"] == 5
        assert (shown != closed).any(axis=2).sum() > 2000
        third, second = (int(rows[0]) + len(rows) // 2 + n * len(rows) for n in (2, 1))
        tab.click(60, third)
        assert tab.popup
        assert tab.evaluate("[s.value, heard]") == ["one", []]
        tab.click(60, second)
        assert not tab.popup
        assert tab.evaluate("[s.value, heard]") == ["two", [["input", True], ["change", True]]]
        tab.click(60, top + 10)
        tab.click(700, 400)
        assert tab.evaluate("[s.value, heard.length]") == ["two", 2]
        tab.move(700, 400)
        assert tab.popup is None


# --- what goes wrong ------------------------------------------------------------------------------------------------


def test_what_is_refused_leaves_the_page_well(tab):
    with pytest.raises(ScriptFailed, match="nothing is not defined"):
        tab.evaluate("nothing.at.all")
    with pytest.raises(ScriptFailed, match="no promise"):
        tab.evaluate("Promise.reject(new Error('no promise'))")
    assert _filled(tab, "line", "a") == "a"
    with pytest.raises(CommandFailed, match="cannot be opened"):
        tab.goto("file:///nowhere/to/be/found.html")


def test_a_page_that_crashes_takes_no_other_with_it(browser, url):
    with browser.open_tab() as doomed, browser.open_tab() as other:
        other.goto(url)
        with pytest.raises((PageGone, CommandFailed)):
            doomed.goto("chrome://crash")
        # The address is refused at once and the page dies a moment later: until then it may still be photographed.
        with pytest.raises(PageGone, match="crashed"):
            _photograph_for(doomed, seconds=10)
        assert _filled(other, "line", "a") == "a"


def _photograph_for(tab, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        tab.screenshot()


def test_a_browser_that_cannot_be_started_says_why():
    with pytest.raises(BrowserGone, match="cannot run /nowhere/chromium"):
        Browser("/nowhere/chromium")
    with pytest.raises(BrowserGone, match="ended"):
        Browser("/bin/false")
    with pytest.raises(BrowserHung, match="did not answer"):
        Browser(_silent(), timeout=0.5)
    if full := shutil.which("chromium"):
        with pytest.raises(BrowserError, match="is not the headless shell of Chromium"):
            Browser(full)


def _silent():
    path = Path(tempfile.mkdtemp()) / "silent"
    path.write_text("#!/bin/sh\nexec sleep 1000\n")
    path.chmod(0o755)
    return str(path)


def test_where_there_is_no_browser_that_is_said(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("FORMGYM_CHROMIUM", raising=False)
    with pytest.raises(BrowserError, match="no headless shell of Chromium found: apt-get install"):
        Browser()


@pytest.fixture
def hold():
    with BrowserHold(timeout=3) as held:
        yield held


@LONG
@pytest.mark.parametrize("is_noticed", [True, False])
@pytest.mark.parametrize(("number", "error"), [(signal.SIGKILL, BrowserGone), (signal.SIGSTOP, BrowserHung)])
def test_a_browser_that_is_killed_or_stopped_is_replaced(hold, url, number, error, is_noticed):
    tab = hold.open_tab()
    tab.goto(url)
    family = _family(tab._browser.pid)
    os.kill(_browser_pid(tab._browser), number)
    if is_noticed:
        with pytest.raises(error):
            tab.click(*SPOTS["line"])
        assert _gone(family)
        with pytest.raises(BrowserGone):
            tab.screenshot()
    tab.close()
    with hold.open_tab() as again:
        again.goto(url)
        assert _filled(again, "line", "a") == "a"
    assert _gone(family)


@LONG
def test_a_page_that_loops_forever_counts_as_hung(hold, url):
    tab = hold.open_tab()
    tab.goto(url)
    tab.evaluate("(add.onclick = () => { for (;;); }, 0)")
    with pytest.raises(BrowserHung):
        tab.click(*ADD)


@LONG
def test_after_an_interrupt_a_reset_begins_anew(hold, url):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    for _ in range(3):
        with hold.open_tab() as tab:
            tab.goto(url)
            family = _family(tab._browser.pid)
            with pytest.raises(KeyboardInterrupt):  # noqa: PT012 (it may come anywhere)
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                while True:
                    tab.click(*SPOTS["line"])
                    tab.screenshot()
        if not tab._browser.alive:
            assert _gone(family)
    signal.signal(signal.SIGALRM, before)
    with hold.open_tab() as tab:
        tab.goto(url)
        assert _filled(tab, "line", "a") == "a"


# --- nothing is left behind -----------------------------------------------------------------------------------------


def test_environments_share_a_browser_and_the_last_ends_it(url):
    before = psutil.Process().children(recursive=True)
    with BrowserHold() as one, BrowserHold() as two:
        with one.open_tab() as first, two.open_tab() as second:
            assert first._browser is second._browser
            family = _family(first._browser.pid)
        one.close()
        with two.open_tab() as tab:
            assert tab._browser.alive
    assert _gone(family, 0.1)
    assert psutil.Process().children(recursive=True) == before
    with two.open_tab() as tab:
        assert tab._browser.alive
    two.close()


def test_who_takes_hold_while_another_lets_go_keeps_the_browser(url):
    with BrowserHold() as one, BrowserHold() as two:
        one.open_tab()
        closing = threading.Thread(target=one.close)
        with BrowserHold._lock:
            closing.start()
            time.sleep(0.3)
            tab = two.open_tab()
        closing.join()
        tab.goto(url)
        assert _filled(tab, "line", "a") == "a"


@LONG
def test_holds_come_and_go_in_threads(url):
    def hold_often(_):
        for _ in range(4):
            with BrowserHold() as hold, hold.open_tab() as tab:
                tab.goto(url)
                assert _filled(tab, "line", "a") == "a"

    before = psutil.Process().children(recursive=True)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(hold_often, range(4)))
    assert psutil.Process().children(recursive=True) == before


@pytest.mark.parametrize("size", [(-1, 768), ("wide", 768)])
def test_a_tab_that_is_refused_leaves_nothing(browser, size):
    def contexts():
        with browser.exclusive_pipe() as pipe:
            return pipe.call("Target.getBrowserContexts")["browserContextIds"]

    before = contexts()
    with pytest.raises(CommandFailed):
        browser.open_tab(*size)
    assert contexts() == before
    with browser.open_tab() as tab:
        assert tab.evaluate("1 + 1") == 2


def test_without_flask_a_reset_says_how_to_get_it():
    script = """
import sys
sys.modules["flask"] = None
import formgym, gymnasium
env = gymnasium.make("FormFactory/NDA-v0", backend="chromium")
try:
    env.reset(seed=0)
except RuntimeError as error:
    print(error)
env.close()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=20)
    assert "pip install 'formgym[web]'" in done.stdout


def _resident(pids):
    """The megabytes of processes, each page divided by those that share it; some may end meanwhile."""
    total = 0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(pid).memory_full_info().pss / 1e6
    return total


@LONG
def test_no_episode_leaves_anything(hold, url):
    sizes, megabytes = [], []
    episodes = 1000
    for number in range(episodes):
        with hold.open_tab() as tab:
            tab.goto(url)
            tab.click(*SPOTS["line"])
            tab.screenshot()
        sizes.append(len(_family(tab._browser.pid)))
        if number % 50 == 49:
            megabytes.append(_resident([os.getpid(), *_family(tab._browser.pid)]))
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
    print(f"{episodes} episodes: {sizes[4]} to {sizes[-1]} processes, megabytes at every 50th: {megabytes}")
    assert max(sizes[5:]) <= max(sizes[:5]) + 2
    assert megabytes[-1] < 1.25 * megabytes[0] + 20
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    # Chromium takes a moment to wait for its own.
    assert _comes_true(_none_are_zombies)
    family = _family(tab._browser.pid)
    hold.close()
    assert _gone(family, 0.1)
    assert not _profiles(family)


SCRIPT = """
import sys, time
from formgym.envs.web_forms.chromium import BrowserHold
hold = BrowserHold()
tab = hold.open_tab()
tab.goto(sys.argv[1])
print(tab._browser.pid, flush=True)
{then}
"""


def _running(url, then):
    """A process with a browser in it, and the processes of that browser."""
    command = [sys.executable, "-c", SCRIPT.format(then=then), url]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    family = _family(int(process.stdout.readline()))
    return process, family


@LONG
@pytest.mark.parametrize("then", ["1 / 0", "sys.exit(3)", "import os; os._exit(1)", "killed", "stopped and killed"])
def test_a_process_that_ends_takes_its_browser_along(url, then):
    process, family = _running(url, "time.sleep(1000)" if "killed" in then else f"sys.stdin.read(); {then}")
    for pid in family[1:] if "stopped" in then else ():
        os.kill(pid, signal.SIGSTOP)
    if "killed" in then:
        process.kill()
    process.wait(20)
    assert _gone(family)
    assert not _profiles(family)


@LONG
def test_a_forked_child_does_not_keep_its_parents_browser(url):
    process, family = _running(url, "import os; os.fork(); time.sleep(1000)")
    time.sleep(0.5)
    (child,) = (p for p in psutil.Process(process.pid).children() if p.pid != family[0])
    process.kill()
    process.wait()
    assert _gone(family)
    assert child.is_running()
    child.kill()


@LONG
def test_a_browser_outlives_its_launcher_but_not_its_end(hold, url):
    tab = hold.open_tab()
    tab.goto(url)
    family = _family(tab._browser.pid)
    assert len(_profiles(family)) == 1
    os.kill(family[0], signal.SIGKILL)
    assert _filled(tab, "line", "a") == "a"
    hold.close()
    assert _gone(family)
    assert not _profiles(family)


# --- where it is used -----------------------------------------------------------------------------------------------


# A worker as Gymnasium's AsyncVectorEnv has them: it begins an episode and fills a field whenever it is told to.
WORK = """
from formgym.envs.web_forms.chromium import BrowserHold
with BrowserHold() as hold:
    while (text := connection.recv()) is not None:
        with hold.open_tab() as tab:
            tab.goto(url)
            tab.click(100, 55)
            tab.type_text(text)
            connection.send((tab.evaluate("line.value"), tab.screenshot(), tab._browser.pid))
connection.send("done")
"""


@LONG
@pytest.mark.parametrize("method", sample(["spawn", "fork"], 1))
def test_workers_have_browsers_of_their_own(url, method):
    context = multiprocessing.get_context(method)
    with BrowserHold() as hold:
        tab = hold.open_tab()
        tab.goto(url)
        workers = []
        for _ in range(2):
            ours, theirs = context.Pipe()
            worker = context.Process(target=exec, args=(WORK, {"connection": theirs, "url": url}), daemon=True)
            worker.start()
            workers.append((worker, ours))
        for _, pipe in workers:
            pipe.send("text")
        replies = [pipe.recv() for _, pipe in workers]
        assert [reply[0] for reply in replies] == ["text", "text"]
        assert np.array_equal(replies[0][1], replies[1][1])
        pids = {tab._browser.pid, *(reply[2] for reply in replies)}
        assert len(pids) == 3
        families = [_family(reply[2]) for reply in replies]
        assert _filled(tab, "line", "text") == "text"
        assert np.array_equal(tab.screenshot(), replies[0][1])
        workers[0][1].send(None)
        assert workers[0][1].recv() == "done"
        workers[1][0].kill()
        for worker, _ in workers:
            worker.join(20)
        assert all(_gone(family) for family in families)
        assert _value(tab, "line") == "text"


def test_a_tab_is_not_used_across_a_fork(url):
    with BrowserHold() as hold:
        tab = hold.open_tab()
        tab.goto(url)
        pid = os.fork()
        if pid == 0:
            try:
                tab.screenshot()
            except BrowserGone:
                tab.close()
                hold.close()
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert _filled(tab, "line", "a") == "a"


def test_a_running_event_loop_is_no_hindrance(url):
    async def fill():
        with BrowserHold() as hold, hold.open_tab() as tab:
            tab.goto(url)
            return _filled(tab, "line", "a")

    assert asyncio.run(fill()) == "a"
