"""What all tests share: where data is, and one environment of every id."""

import os
import signal
from collections import Counter
from importlib import import_module
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from custom_form_fixture import write_form
from hypothesis import HealthCheck, settings
from sizes import ALL, FIRST_OF_EACH_CLASS, some

import formgym  # noqa: F401  (registers the environments)
from formgym.envs.registration import ids
from formgym.envs.web_forms.chromium.settings import SWITCHES, browser_path, environment

# Tests assert no times: how long an example takes is the machine's affair.
settings.register_profile(
    "untimed", deadline=None, max_examples=some(12, 100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

# Under nohup and in some CI, SIGHUP is ignored, which processes that tests start would inherit.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A folder `shared/data` beside the checkout is used as if FORMGYM_DATA named it.
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if "FORMGYM_DATA" not in os.environ and _BESIDE.is_dir():
    os.environ["FORMGYM_DATA"] = str(_BESIDE)


# The folder of each data set that users bring, and the module that draws a tiny one.
_DATA = {
    "FormGym/FUNSD-v0": ("funsd", "funsd_fixture"),
    "FormGym/FUNSD-GUI-v0": ("funsd", "funsd_fixture"),
    "FormGym/XFUND-v0": ("xfund", "xfund_fixture"),
    "FormGym/FormNLU-v0": ("form_nlu", "form_nlu_fixture"),
    "FormGym/Official-v0": ("formgym_official", "published_checkout"),
    "DocEdit/External-v0": ("docedit", "pptc_fixture"),
}


@pytest.fixture(scope="session")
def data_root(tmp_path_factory):
    """A folder with tiny made data sets in the layouts of those that users bring, as FORMGYM_DATA may name it."""
    root = tmp_path_factory.mktemp("data")
    for folder, module in set(_DATA.values()):
        import_module(module).write_fixture(root / folder)
    import_module("published_formfactory_fixture").write_checkout(root / "formfactory_official")
    return root


@pytest.fixture(scope="session")
def arguments(data_root, tmp_path_factory):
    """What each id must be made with in a test: the made data where it needs a user's own."""
    own = {
        "FormFactory/Published-v0": {
            "root": str(data_root / "formfactory_official"),
            "forms": ["account_opening"],
            "allow_commands": True,
        },
        "FormFactory/Custom-v0": {"form": str(Path(__file__).parent / "own_page")},
        "FormGym/Custom-v0": {"form": str(write_form(tmp_path_factory.mktemp("form") / "membership"))},
    }
    data = {env_id: {"root": str(data_root / folder)} for env_id, (folder, _) in _DATA.items()}
    return {name: {} for name in ids()} | data | own


def pytest_generate_tests(metafunc):
    """Runs a test that needs ``env_id`` on one id of each class."""
    if "env_id" in metafunc.fixturenames and not any(
        "env_id" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")
    ):
        metafunc.parametrize("env_id", some(FIRST_OF_EACH_CLASS, ids()))


def pytest_collection_modifyitems(items):
    """Skips what plays pages of others where there is no browser."""
    if browser_path() is None:
        for item in items:
            if "FormFactory/Custom-v0" in item.nodeid:
                item.add_marker(pytest.mark.skip(reason="needs Chromium: apt-get install chromium-headless-shell"))


def pytest_terminal_summary(terminalreporter):
    """Says what was skipped and what would run it."""
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} {reason.replace('Skipped: ', 'skipped: ')}")
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    if actions := [n for report in reports for name, n in report.user_properties if name == "actions"]:
        terminalreporter.write_line(f"{sum(actions):,} random and hostile actions in {len(actions)} environments.")
    if not ALL:
        terminalreporter.write_line("Samples of the batteries were run; make test-all runs them whole.")


@pytest.fixture
def env(env_id, arguments):
    env = gym.make(env_id, **arguments[env_id])
    yield env
    env.close()


@pytest.fixture(scope="module")
def one_thread():
    """PyTorch with one thread, on which results are repeatable."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def browser():
    """Chromium as Playwright drives it, which is nothing of ours."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'formgym[dev]'")
    if browser_path() is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    variables = os.environ | environment()
    with (
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser_path(), args=SWITCHES, env=variables) as browser,
    ):
        yield browser


@pytest.fixture
def opened(browser):
    """Opens a file in a real browser; in the end nothing must have been complained of, or asked of a network."""
    complaints, asked = [], []
    context = browser.new_context(viewport={"width": 1280, "height": 900})

    def open_(path):
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.resolve().as_uri())
        return page

    yield open_
    context.close()
    assert complaints == []
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]


class _UnreadPage:
    """A page without labels, which takes no time to read."""

    picture = np.zeros((4, 1, 1), np.uint8), (1.0, 1.0)

    def __init__(self, pixels, shape):
        pass

    def labels(self, name):
        return []


@pytest.fixture
def unread_pages(monkeypatch):
    """``LabelWindow`` finds no labels: all windows are blank, and a cell is one of a grid over the page."""
    monkeypatch.setattr("formgym.wrappers.label_window._read", _UnreadPage)
