"""Pages of one Chromium in which tests ask what the replay must do too, and the site as it is served."""

import json
import threading

import pytest

from formgym.envs.web_forms.chromium import Browser, browser_path


@pytest.fixture(scope="session")
def driven():
    """A browser that all modules share."""
    if browser_path() is None:
        pytest.skip("no Chromium: apt-get install chromium-headless-shell")
    browser = Browser()
    yield browser
    browser.end()


@pytest.fixture(scope="module")
def page(driven, request):
    """A tab with the ``HTML`` of the module, in which the script of its name has run."""
    with driven.open_tab() as tab:
        tab.goto(f"data:text/html,<!DOCTYPE html><html lang=en><meta charset=utf-8><body>{request.module.HTML}")
        tab.evaluate(f"(() => {{{request.path.with_suffix('.js').read_text(encoding='utf-8')}0}})()")
        yield tab


@pytest.fixture(scope="module")
def asked(page):
    """The answers of a function of the page to each of some cases."""
    return lambda function, cases: page.evaluate(f"{json.dumps(cases)}.map({function})")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as it is served: its URL, and its records."""
    from formgym.envs.web_forms.site.app import listening_server
    from formgym.envs.web_forms.site.records import Records

    records = Records(tmp_path_factory.mktemp("site")).open()
    server, url = listening_server("127.0.0.1", 0, records)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield url, records
    server.shutdown()
