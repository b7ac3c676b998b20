"""The published FormGym from a checkout: its source as data, its tasks and both scorers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import published_checkout as fixture
import pytest
from json_edits import REMOVED, edit_json
from sizes import sample

from formgym.envs.core.painting import Stamp
from formgym.envs.core.scoring import Gold
from formgym.envs.core.text_sprites import TYPED_FACE, sprite
from formgym.envs.paper_forms.marks import Mark
from formgym.envs.paper_forms.published.env import OfficialEnv
from formgym.envs.paper_forms.published.grading import is_answered, is_right
from formgym.envs.paper_forms.published.interpreter import SourceError
from formgym.envs.paper_forms.published.pages import CANVAS, words_of
from formgym.envs.paper_forms.published.source import KINDS, PublishedSource
from formgym.envs.paper_forms.published.tasks import PublishedTarget

TASKS = [
    {"task": "text"},
    {"task": "text", "domain": "xx"},
    {"task": "doc_transfer"},
    {"task": "database"},
    {"task": "database", "domain": "db"},
    {"task": "funsd"},
]


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkout of each version, and one with what cannot be read, with FUNSD beside them."""
    top = tmp_path_factory.mktemp("published")
    for version in ("A", "B"):
        fixture.write_checkout(top / version, version)  # type: ignore[arg-type]
    fixture.write_funsd(top / "funsd")
    return {version: top / version for version in ("A", "B")}


@pytest.fixture
def copied(roots: dict[str, Path], tmp_path: Path) -> Path:
    """A checkout of the paper to be changed."""
    shutil.copytree(roots["A"], tmp_path / "A")
    return tmp_path / "A"


def played(env: OfficialEnv, task: str) -> tuple[dict[str, float], dict[str, float], float]:
    """The score of doing nothing, the oracle's, and its return."""
    observation, info = env.reset(options={"task": task})
    assert observation in env.observation_space
    before, total = info["score"], info["score"][env.reward_metric]
    for call in env.solution():
        _, reward, _, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info
        total += reward
    return before, info["score"], total


# -- Its source ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["A", "B"])
def test_what_is_read_is_what_runs(version: str, roots: dict[str, Path]) -> None:
    source, run = PublishedSource(roots[version]), fixture.reference(roots[version])
    assert source.version == version
    for name, users in run["values"].items():
        assert source.kind(name) == KINDS[run["kinds"][name]]
        assert [fact.name for fact in source.facts_of([name])] == run["relevant"][name]
        for user, expected in enumerate(users):
            try:
                found = [source.value(name, user)]
            except SourceError:
                found = []
            assert (found, list(map(type, found))) == (expected, list(map(type, expected))), (name, user)
    for name, sentences in run["sentences"].items():
        assert [source.sentence(source.facts[name], user) for user in range(4)] == sentences  # type: ignore[arg-type]
    stored = {name: [fact.database, fact.row, fact.column] for name, fact in source.facts.items() if fact.database}  # type: ignore[union-attr]
    assert stored == run["stored"]


@pytest.mark.parametrize("version", ["A", "B"])
def test_what_cannot_be_read_is_named_by_file_and_line(version: fixture.Version, tmp_path: Path) -> None:
    places = fixture.write_checkout(tmp_path / "broken", version, broken=True)
    names = (tmp_path / "broken/fields.py").read_text().split("class ")[1:]
    names = [name.partition("(")[0] for name in names if not name.startswith("Base")]
    # One page with a field of each class.
    file = tmp_path / "broken/annotations/al_0_0.json"
    marks = [{"name": n, "bounding_box": {"x": 5, "y": 5 + 9 * i, "w": 90, "h": 8}} for i, n in enumerate(names)]
    edit_json(file, {"annotations": marks})
    with pytest.warns(UserWarning, match="fields are left out"):
        env = OfficialEnv(str(tmp_path / "broken"))
    named = [reason.partition(": ")[0] for reason in env.skipped]
    assert {f"{file}:{line}" for file, line in places} <= set(named)
    kept = {target.name for user in range(4) for target in env.open_task(f"al_0_0/{user}").task.targets}
    assert kept < set(names)
    assert len(kept) >= len(names) - sum(env.skipped.values())


ENDLESS = (
    "return ','.join(['a' * 9999] * 9999)",
    "return " + "+".join(["1"] * 900),
    "return [['a' * 9999] * 9999 for i in ['a'] * 9999]",
    "x = y = 2\n        for i in ['a'] * 9999:\n            x = x * x\n        return x",
    "x = ['a']\n        for i in ['a'] * 40:\n            x = [x, x]\n        return x == [x[0], x[1]]",
    "x = 'a'\n        for i in ['a'] * 40:\n            x = x + x\n        return x",
    "return Endless.get_profile_info(user_profile)",
)


@pytest.mark.parametrize("body", ENDLESS)
def test_what_would_take_long_ends_soon(body: str, copied: Path) -> None:
    head = "class Endless(BaseStringField):\n    @classmethod\n    def get_profile_info(self, user_profile):\n        "
    (copied / "fields.py").write_text(head + body)
    with pytest.raises(SourceError, match=r"fields\.py:\d+: cannot read"):
        PublishedSource(copied).value("Endless", 0)


FAULTS: list[tuple[str, Any, str]] = [
    ("fields.py", None, r"fields.py cannot be read: No such file.*checkout"),
    ("fields.py", "def (", r"fields.py is no Python that can be read"),
    ("fields.py", "x = " + "(" * 5000, r"fields.py is no Python that can be read"),
    ("user_features.py", b"\xff", "user_features.py is no Python"),
    ("user_features.py", b" " * 1_000_001, "user_features.py is larger than 1 MB"),
    ("user_features.py", Path("user_features.py"), "is a link"),
    ("annotations/al_0_0.json", "x", "al_0_0.json is no JSON"),
    ("annotations/al_0_0.json", {"item": REMOVED}, r"al_0_0.json is not valid:\s+item: Field required"),
    ("annotations/al_0_0.json", {"item.slots": []}, r"item.slots: Tuple should have at least 1 item"),
    ("annotations/al_0_0.json", {"item.slots.0.width": 0}, r"item.slots.0.width: Input should be greater than 0"),
    ("annotations/al_0_0.json", {"annotations.1.bounding_box.w": REMOVED}, r"annotations.FirstName.bounding_box.w"),
    ("annotations/al_0_0.json", {"item.slots.0.width": 1584}, r"1224 x 1584, annotated as 1584 x 1584: another shape"),
    ("annotations/al_0_0.json", {"annotations.1.bounding_box.y": 1600}, r"'FirstName' lies outside of the page"),
    ("annotations/*.json", None, r"no page of the domain 'al' in .*annotations; there are none"),
    ("annotations/*.json", {"annotations": []}, r"no tasks on the pages 'al' .*no page has fields"),
    ("pngs/*", None, r"no tasks on the pages 'al' .*4 x no picture\).*preprocess"),
]


@pytest.mark.parametrize(("files", "change", "message"), FAULTS)
@pytest.mark.filterwarnings("ignore:al_")
def test_a_broken_checkout(files: str, change: Any, message: str, copied: Path) -> None:
    for path in list(copied.glob(files)):
        if isinstance(change, dict):
            edit_json(path, change)
            continue
        path.unlink()
        if isinstance(change, Path):
            path.symlink_to(change)
        elif change is not None:
            path.write_bytes(change if isinstance(change, bytes) else change.encode())
    with pytest.raises(ValueError, match=message):
        OfficialEnv(str(copied))


def test_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    with pytest.raises(ValueError, match=r"FORMGYM_DATA is not set.*mtoles"):
        OfficialEnv()
    with pytest.raises(ValueError, match=r"no annotations in .*mtoles/FormGym"):
        OfficialEnv(str(tmp_path))
    (tmp_path / "annotations").mkdir()
    with pytest.raises(ValueError, match=r"no folder .*pngs"):
        OfficialEnv(str(tmp_path))


# -- Pages ---------------------------------------------------------------------------------------------------------


def test_boxes(roots: dict[str, Path]) -> None:
    env = OfficialEnv(str(roots["A"]), user=0)
    assert env.skipped == {"no box": 4}
    pages = fixture.pages_of("A")
    for page, scale in (("al_0_0", 1.0), ("al_1_0", 1.0), ("al_2_0", CANVAS[1] / 1836)):
        fields = list(fixture.fields_of(pages[page]))
        targets = {target.name: target.blank for target in env.open_task(f"{page}/0").task.targets}
        for name, (x, y, w, h) in fields:
            if pages[page].names.count(name) == 1:
                assert targets[name] == pytest.approx((x * scale, y * scale, (x + w) * scale, (y + h) * scale), abs=1)
    assert "Initials/2" in {target.name for target in env.open_task("al_0_0/0").task.targets}
    assert words_of("JointTimeAtAddressYears") == "Joint Time At Address Years"
    assert words_of("PreviousTFSCredit_yes") == "Previous TFS Credit yes"


# -- Tasks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["A", "B"])
@pytest.mark.parametrize("options", TASKS, ids=lambda options: "-".join(options.values()))
@pytest.mark.filterwarnings("ignore:.*left out")
def test_the_oracle_is_right_by_both_scorers(version: str, options: dict[str, str], roots: dict[str, Path]) -> None:
    if options.get("domain") == {"A": "db", "B": "xx"}[version]:
        pytest.skip("this version has no such pages")
    for scorer in ("strict", "published"):
        env = OfficialEnv(str(roots[version]), scorer=scorer, copy=False, **options)  # type: ignore[arg-type]
        for task in sample(env.task_ids, 3):
            before, after, total = played(env, task)
            targets = env.open_task(task).task.targets
            ceiling = sum(is_answered(target.value) for target in targets) / len(targets)
            assert (before["strict_accuracy"], after["strict_accuracy"], after["field_accuracy"]) == (0, 1, 1), task
            assert (after["published_field_accuracy"], after["published_accuracy"]) == (1, pytest.approx(ceiling))
            assert total == pytest.approx(1)
            assert len(env.solution()) == 1


def test_facts_are_told_in_the_order_of_the_source(roots: dict[str, Path]) -> None:
    env, run = OfficialEnv(str(roots["A"])), fixture.reference(roots["A"])
    for page, annotated in fixture.pages_of("A").items():
        if page[:4] in ("al_0", "al_1", "al_2", "al_3"):
            needed = {fact for name in annotated.names for fact in run["relevant"][name]}
            for user in range(4):
                told = [sentences[user] for fact, sentences in run["sentences"].items() if fact in needed]
                assert env.reset(options={"task": f"{page}/{user}"})[0]["source"].splitlines() == told


def test_the_page_before_is_the_source(roots: dict[str, Path]) -> None:
    env, run = OfficialEnv(str(roots["A"]), "doc_transfer"), fixture.reference(roots["A"])
    pages = fixture.pages_of("A")
    needed = {name: {f for n in page.names for f in run["relevant"].get(n, ())} for name, page in pages.items()}
    for page, before in (("al_0_0", "al_3_0"), ("al_2_0", "al_1_0")):
        observation, _ = env.reset(options={"task": f"{page}/1"})
        lacking = needed[page] - needed[before]
        told = [sentences[1] for fact, sentences in run["sentences"].items() if fact in lacking]
        assert observation["source"].splitlines() == told
        assert env.open_task(f"{page}/1").task.other.page.name == before  # type: ignore[union-attr]
        blank = OfficialEnv(str(roots["A"])).reset(options={"task": f"{before}/1"})[0]["page"]
        assert 0 < (observation["source_page"] != blank).mean() < 0.05


def test_the_database_has_the_published_tables(roots: dict[str, Path]) -> None:
    env, run = OfficialEnv(str(roots["A"]), "database"), fixture.reference(roots["A"])
    env.reset(options={"task": "cr_0_0/2"})
    assert "features(key, value)" in env.state.source
    rows = env.state.query("SELECT key, value FROM features").splitlines()[1:]  # type: ignore[attr-defined, misc]
    expected = {name for name, (_, row, _) in run["stored"].items() if not row}
    assert {tuple(row.split(" | ")) for row in rows} <= {(name, run["facts"][name][2]) for name in expected}
    env.reset(options={"task": "cr_1_0/2"})
    found = env.state.query("SELECT name, fees, service FROM features")  # type: ignore[attr-defined, misc]
    assert found.splitlines() == ["name | fees | service", "Noon Audit | 400.50 | Audit", "Moss Press | 352 | Printing",
                                  "Agnes Trust | 70 | Custody"]  # fmt: skip
    assert "features(name, fees, service)" in env.state.source
    assert "first name" in env.state.source


def test_of_a_page_of_funsd_only_the_answer_is_white(roots: dict[str, Path]) -> None:
    env = OfficialEnv(str(roots["A"]), "funsd")
    assert len(env.task_ids) == len(fixture.FUNSD_TEST)
    for name, (question, answer) in fixture.FUNSD_TEST.items():
        observation, _ = env.reset(options={"task": f"{name}/0"})
        assert f"“{question}” is: {answer}" in observation["source"]
        page, (left, top, right, bottom) = observation["page"], map(int, env.state.places[0].box)
        assert (page[top:bottom, left:right] == 255).all()
        assert (page[:top, :762] == 225).all()
        assert (page[top:bottom, : left - 1] < 225).any()


def test_what_there_is_not(roots: dict[str, Path]) -> None:
    root = str(roots["A"])
    for options, message in (
        ({"task": "gui"}, "task must be one of 'text', 'doc_transfer', 'database', 'funsd', not 'gui'"),
        ({"domain": "cr"}, "domain of task='text' must be one of 'al', 'xx', not 'cr'"),
        ({"user": 4}, "user must be one of"),
        ({"scorer": "lenient"}, "scorer must be one of 'strict', 'published'"),
        ({"pages": "some"}, "pages must be one of"),
        ({"version": "C"}, "version must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            OfficialEnv(root, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no task 'al_0_0/1'"):
        OfficialEnv(root, user=0).reset(options={"task": "al_0_0/1"})


# -- Grading -------------------------------------------------------------------------------------------------------

GRADINGS = [json.loads(line) for line in (fixture.DATA / "gradings.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", GRADINGS, ids=lambda row: f"{row['kind']}-{row['why']}")
def test_published_verdicts(row: dict[str, Any]) -> None:
    target = PublishedTarget(
        "Field",
        "Field",
        (0, 0, 9, 9),
        Gold("text", None),
        kind=row["kind"],
        value=row["gold"],
        place=(0.1, 0.2, 0.5, 0.4),
    )
    stamp = Stamp(sprite("x", 12, TYPED_FACE), 0, 0)
    for version in row.get("versions", "AB"):
        marks = []
        for text, *place in row["marks"]:
            x, y, *tool = [*place, 0.5, 0.5][:2] if len(place) < 2 else place
            marks.append(Mark(text, 0.1 + x * 0.4, 0.2 + y * 0.2, tool == ["sign"], stamp, None))
        inside = [mark for mark in marks if target.holds(mark.x, mark.y)]
        assert is_right(target.kind, target.value, inside, version) == (version in row["right"]), version
