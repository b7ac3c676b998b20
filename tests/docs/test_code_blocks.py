"""Code blocks of the README and of the docs: they are what they say, and do what they say."""

import ast
import json
import tomllib
from contextlib import contextmanager
from html.parser import HTMLParser

import gymnasium as gym
import jinja2
import pytest
import yaml
from markdown_pages import DIRECTIVES, PAGES, blocks_of
from page_runner import PageRunner
from shell_commands import CONFIGURED, check_set_up, composed, formgym_commands, lines_of, overrides_of, parsed
from sizes import LONG

from formgym.envs.web_forms.chromium import browser_path

PARSERS = {
    "python": ast.parse,
    "sh": lines_of,
    "text": str,
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
    "html": lambda code: HTMLParser().feed(code),
    "jinja": lambda code: jinja2.Environment(autoescape=True).parse(code),
    "mermaid": str,
    "bibtex": str,
    "sql": str,
    "ini": str,
}
MAX_SKIPPED = 12
BLOCKS = [block for path in PAGES.values() for block in blocks_of(path)]


@contextmanager
def naming(block):
    """Adds where a block is to an exception."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{block.place}\n{block.code}")
        raise


SHELL = [block for block in BLOCKS if block.language == "sh" and "skip" not in block.directives]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_in_languages_that_are_parsed(page):
    for block in blocks_of(PAGES[page]):
        assert block.language in PARSERS, f"{block.place}: {block.language}"
        assert set(block.directives) <= DIRECTIVES, f"{block.place}: {block.directives}"
        with naming(block):
            PARSERS[block.language](block.code)


def test_few_blocks_are_skipped_and_each_has_a_reason():
    reasons = {block.place: block.directives["skip"] for block in BLOCKS if "skip" in block.directives}
    assert all(len(reason.split()) >= 2 for reason in reasons.values()), reasons
    assert len(reasons) <= MAX_SKIPPED, reasons


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.place)
def test_shell_blocks_name_what_there_is(block):
    for line in lines_of(block.code):
        check_set_up(line)
    for arguments in formgym_commands(block.code):
        verb, rest = parsed(arguments)
        if verb in CONFIGURED:
            overrides_of(verb, rest)


@LONG
@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.place)
def test_configurations_of_shell_blocks_compose(block):
    for arguments in formgym_commands(block.code):
        verb, rest = parsed(arguments)
        for config in composed(verb, overrides_of(verb, rest)) if verb in CONFIGURED else ():
            assert CONFIGURED[verb] == "train" or config.env.id.removeprefix("formgym:") in gym.registry


@LONG
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, data_root):
    blocks = blocks_of(PAGES[page])
    if browser_path() is None and any("formgym import" in block.code for block in blocks):
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    with PageRunner(page, tmp_path, data_root) as runner:
        faults = [fault for block in blocks if (fault := runner.run(block))]
    assert not faults, "\n\n".join(faults)


def test_a_page_runs_as_its_directives_say(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(_PAGE)
    with PageRunner("page.md", tmp_path / "run", tmp_path) as runner:
        faults = [(block.line, runner.run(block)) for block in blocks_of(page)]
    assert [line for line, fault in faults if fault] == [21, 27, 34]
    told = [fault for _, fault in faults if fault]
    assert "1 / 0" in told[0]
    assert "ZeroDivisionError" in told[0]
    assert "expected in the output\nwrong" in told[1]
    assert "no verb" in told[2] or "No such command" in told[2]


_PAGE = """# A page

<!-- test: file data/numbers.json -->
```json
[1, 2]
```

```python
import json
total = sum(json.load(open("data/numbers.json")))
print("is", total)
```

```text
is   3
```

A block that fails:

```python
total = 1 / 0
```

The variable is as before, and the output is wrong:

```python
print(total)
```
```text
wrong
```

```sh
make run
formgym nothing
```

<!-- test: skip it has no reason to run -->
```sh
exit 1
```
"""
