"""The docs site: its generated pages, its links, and a strict build."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from markdown_pages import PAGES, ROOT, blocks_of
from page_runner import PageRunner
from sizes import FIRST_OF_EACH_CLASS, LONG, some

from formgym.envs.registration import ids, index
from formgym.experiments.documentation.constructor_options import options_of
from formgym.experiments.documentation.environment_details import details_of, is_shipped, path_of
from formgym.experiments.documentation.environment_pages import environment_page
from formgym.experiments.documentation.sample_episode import animation, first_page, save_animation
from formgym.experiments.documentation.site_files import with_site_links
from formgym.experiments.running.rollout import bare_env

PLAYED = ("FormGym/Scans-v0", "FormFactory/SurgeryConsent-v0", "DocEdit/Invoice-v0")
ELSEWHERE = ("mailto:", "../../actions/")
"""Links that lead out of the repository, such as to a hosting platform's runs of the tests."""
SITE_ONLY = ("docs/index.md", "docs/api/")
MEASURED = {
    "metric": "strict_accuracy",
    "baselines": {
        "oracle": {"episodes": 4, "scores": {"strict_accuracy": {"mean": 1.0, "ci95": [0.4, 1.0]}}},
        "noop": {"episodes": 4, "scores": {"strict_accuracy": {"mean": 0.0, "ci95": None}}},
    },
}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def parts(page):
    return re.findall(r"^## (.+)$", page, re.MULTILINE)


@pytest.mark.parametrize("env_id", some((*PLAYED, "FormGym/FUNSD-v0", "FormFactory/Captured-v0"), ids()))
def test_an_environment_has_a_page_with_its_parts(env_id):
    details = details_of(env_id)
    page = environment_page(details)
    assert page == environment_page(details_of(env_id))
    assert f"# {env_id}\n" in page
    assert index()["environments"][env_id]["licence"] in page
    played = ["The task", "Observations", "Actions", "Score", "Splits", "Options", "Example"]
    wanted = ["Get the data", "The task", "Actions", "Options"]
    assert parts(page) == (played if details.own else wanted)
    for tool in details.tools:
        assert f"`{tool.name}`" in page
    for option in details.options:
        assert f"`{option.name}`" in page
        assert option.description, f"{env_id}: {option.name} is not described"
        assert not re.search(r"see ``\w+Env``", option.description)


def test_every_environment_has_a_page_of_its_own():
    paths = [path_of(env_id) for env_id in ids()]
    assert len(set(paths)) == len(paths)
    assert path_of("FormFactory/ITSupport-v0") == "formfactory/it_support"
    assert path_of("FormGym/AutoLoans-GUI-v0") == "formgym/auto_loans_gui"


def test_baselines_have_intervals():
    page = environment_page(details_of("FormGym/Scans-v0"), MEASURED)
    assert "| oracle | 1.00 [0.40, 1.00] | 4 |" in page
    assert "| no-op | 0.00 | 4 |" in page


def test_options_are_those_that_can_be_passed():
    names = [option.name for option in options_of(type(bare_env("FormGym/Scans-v0")), {"split": "test"})]
    assert names == ["split", "secret", "render_mode", "render_size", "copy"]


@pytest.mark.parametrize(
    "env_id", some(("FormFactory/Grounding-v0",), [i for i in ids() if is_shipped(index()["environments"][i])])
)
def test_examples_run(env_id, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(environment_page(details_of(env_id)))
    python = [block for block in blocks_of(page) if block.language == "python"]
    assert [block.output is not None for block in python] == [True]
    with PageRunner("page.md", tmp_path / "run", tmp_path) as runner:
        assert runner.run(python[0]) is None


@LONG
@pytest.mark.parametrize("env_id", [i for i in FIRST_OF_EACH_CLASS if is_shipped(index()["environments"][i])])
def test_commands_run(env_id, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(environment_page(details_of(env_id)).replace("episodes=5", "episodes=1"))
    with PageRunner("page.md", tmp_path / "run", tmp_path) as runner:
        assert runner.run(next(block for block in blocks_of(page) if block.language == "sh")) is None


def test_pictures_are_the_same_again(tmp_path):
    pages = [first_page(bare_env("DocEdit/Invoice-v0")).tobytes() for _ in range(2)]
    assert pages[0] == pages[1]
    frames = animation(bare_env("DocEdit/Invoice-v0", split="train"))
    save_animation(frames, tmp_path / "a.gif")
    save_animation(frames, tmp_path / "b.gif")
    assert len(frames) > 1
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_links_of_the_site_lead_to_its_own_copies():
    docs = ROOT / "docs"
    assert with_site_links("[a](../CONTRIBUTING.md#rules)", docs) == "[a](contributing.md#rules)"
    assert with_site_links("[a](docs/data.md)", ROOT) == "[a](data.md)"
    assert with_site_links("[a](../examples/openenv)", docs) == "a"
    assert with_site_links("[a](https://example.org/b.md)", docs) == "[a](https://example.org/b.md)"
    assert with_site_links("[a](nothing.md)", docs) == "[a](nothing.md)"


def test_every_page_is_in_the_navigation():
    nav = (ROOT / "mkdocs.yml").read_text()
    listed = set(re.findall(r"- ([\w/]+\.md)$", nav, re.MULTILINE))
    there = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert there <= listed
    assert {name.removeprefix("docs/") for name in listed - there} <= {
        *("changelog.md", "code_of_conduct.md", "contributing.md", "security.md", "environments/index.md")
    }


@pytest.mark.parametrize("page", PAGES)
def test_links_between_files_of_the_repository_lead_somewhere(page):
    text = re.sub(r"^( *)```.*?^\1```", "", PAGES[page].read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        file = target.partition("#")[0]
        if "://" in target or target.startswith(ELSEWHERE) or not file:
            continue
        path = (PAGES[page].parent / file).resolve()
        if path.is_relative_to(ROOT / "docs/environments"):
            assert page.startswith(SITE_ONLY), f"{page}: {target} is generated, and is there on the site alone"
        else:
            assert path.exists(), f"{page}: {target}"


class References(HTMLParser):
    """The addresses that a page loads something from."""

    def __init__(self):
        super().__init__()
        self.loaded = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("script", "img", "iframe", "source"):
            self.loaded.append(given.get("src") or "")
        if tag == "link" and given.get("rel") in ("stylesheet", "preconnect", "icon", "prefetch"):
            self.loaded.append(given.get("href") or "")


@LONG
def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path):
    (tmp_path / "path").mkdir()
    (tmp_path / "path/formgym").symlink_to(ROOT)
    variables = os.environ | {"PYTHONPATH": str(tmp_path / "path"), "NO_MKDOCS_2_WARNING": "1"}
    generate = [sys.executable, "-m", "formgym.experiments.documentation", str(tmp_path)]
    subprocess.run(generate, env=variables, check=True)
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(tmp_path / "mkdocs.yml")]
    result = subprocess.run(build, env=variables, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
    site = tmp_path / "site"
    for env_id in ids():
        assert env_id in (site / "environments" / f"{path_of(env_id)}.html").read_text()
    for page in site.rglob("*.html"):
        references = References()
        references.feed(page.read_text())
        assert not [address for address in references.loaded if "//" in address], page
    found = json.loads((site / "search/search_index.json").read_text())["docs"]
    assert any("place_text" in entry["text"] for entry in found)
