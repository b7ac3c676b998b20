"""Pages of one Chromium in which tests ask what the replay must do too."""

import json

import pytest

from formgym.envs.web_forms.chromium import Browser, browser_path


@pytest.fixture(scope="session")
def driven():
    """A browser that all modules share."""
    if browser_path() is None:
        pytest.skip("no Chromium: apt-get install chromium")
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
