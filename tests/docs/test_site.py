"""The docs site: its generated pages, its links, and a strict build."""

import re
import subprocess
import sys

import pytest
from build_site import broken_links, with_site_links
from data_sheet import with_current_counts
from environment_pages import details_of, environment_page, first_page, is_shipped, options_of, path_of, write_animation
from markdown_pages import PAGES, ROOT, blocks_of
from page_runner import PageRunner
from sizes import FIRST_OF_EACH_CLASS, LONG, some

from formgym.envs.registration import ids, index
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
SHIPPED = [env_id for env_id in ids() if is_shipped(index()["environments"][env_id])]


@pytest.mark.parametrize("env_id", some((*PLAYED, "FormGym/FUNSD-v0"), ids()))
def test_an_environment_has_a_page_with_its_parts(env_id):
    details = details_of(env_id)
    page = environment_page(details, MEASURED)
    assert page == environment_page(details_of(env_id), MEASURED)
    assert f"# {env_id}\n" in page
    assert index()["environments"][env_id]["licence"] in page
    assert "| oracle | 1.00 [0.40, 1.00] | 4 |\n| no-op | 0.00 | 4 |" in page
    played = ["The task", "Observations", "Actions", "Score", "Splits", "Options", "Baselines", "Example"]
    expected = played if details.own else ["Get the data", "The task", "Actions", "Options", "Baselines"]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == expected
    assert all(f"`{tool.name}`" in page for tool in details.tools)
    for option in details.options:
        assert f"`{option.name}`" in page
        assert option.description, f"{env_id}: {option.name} is not described"
        assert not re.search(r"see ``\w+Env``", option.description)


def test_every_environment_has_a_page_of_its_own():
    assert len({path_of(env_id) for env_id in ids()}) == len(ids())
    assert path_of("FormFactory/ITSupport-v0") == "formfactory/it_support"
    assert path_of("FormGym/AutoLoans-GUI-v0") == "formgym/auto_loans_gui"


def test_options_are_those_that_can_be_passed():
    names = [option.name for option in options_of(type(bare_env("FormGym/Scans-v0")), {"split": "test"})]
    assert names == ["split", "secret", "render_mode", "render_size", "copy"]


@pytest.mark.parametrize("env_id", some(("FormFactory/Grounding-v0",), SHIPPED))
def test_examples_run(env_id, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(environment_page(details_of(env_id)))
    (block,) = [block for block in blocks_of(page) if block.language == "python"]
    assert block.output is not None
    with PageRunner("page.md", tmp_path / "run", tmp_path) as runner:
        assert runner.run(block) is None


@LONG
@pytest.mark.parametrize("env_id", sorted(set(FIRST_OF_EACH_CLASS) & set(SHIPPED)))
def test_commands_run(env_id, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(environment_page(details_of(env_id)).replace("episodes=5", "episodes=1"))
    with PageRunner("page.md", tmp_path / "run", tmp_path) as runner:
        assert runner.run(next(block for block in blocks_of(page) if block.language == "sh")) is None


def test_pictures_are_the_same_again(tmp_path):
    pages = [first_page(bare_env("DocEdit/Invoice-v0")).tobytes() for _ in range(2)]
    assert pages[0] == pages[1]
    for name in "ab":
        write_animation(bare_env("DocEdit/Invoice-v0", split="train"), tmp_path / f"{name}.gif")
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_links_of_the_site_lead_to_its_own_copies():
    docs = ROOT / "docs"
    assert with_site_links("[a](../CONTRIBUTING.md#rules)", docs) == "[a](contributing.md#rules)"
    assert with_site_links("[a](docs/data.md)", ROOT) == "[a](data.md)"
    assert with_site_links("[a](../examples/openenv)", docs) == "a"
    assert with_site_links("[a](https://example.org/b.md)", docs) == "[a](https://example.org/b.md)"
    assert with_site_links("[a](nothing.md)", docs) == "[a](nothing.md)"


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="x">A</h1><a href="b.html#y">b</a><a href="#x">x</a><img src="p.png">')
    (tmp_path / "b.html").write_text('<a href="a.html#x">a</a><a href="c.html">c</a><script src="//cdn.org/s.js">')
    problems = [problem.rpartition("/")[2] for problem in broken_links(tmp_path)]
    assert problems == ["a.html: no b.html#y", "a.html: no p.png", "s.js", "b.html: no c.html"]


def test_every_page_is_in_the_navigation():
    nav = (ROOT / "mkdocs.yml").read_text()
    listed = set(re.findall(r"- ([\w/]+\.md)$", nav, re.MULTILINE))
    there = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert there <= listed
    generated = {"changelog.md", "code_of_conduct.md", "contributing.md", "security.md", "environments/index.md"}
    assert listed - there <= generated


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


def test_the_data_sheet_has_the_counts_of_the_index():
    text = (ROOT / "docs/data_sheet.md").read_text("utf-8")
    assert with_current_counts(text) == text, "python docs/data_sheet.py docs/data_sheet.md"
    without = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("| `scans`"))
    with pytest.raises(ValueError, match="no row for scans"):
        with_current_counts(without)
    with pytest.raises(ValueError, match="row for ghosts"):
        with_current_counts(text + "| `ghosts` | 1 | 2 | MIT | |\n")


@LONG
def test_the_site_builds_strictly(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "docs/build_site.py", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for env_id in ids():
        assert env_id in (tmp_path / "site/environments" / f"{path_of(env_id)}.html").read_text()
    assert "place_text" in (tmp_path / "site/search.json").read_text()
