"""The checkout that tests of the published FormGym play has what the published source has; hostile ones are read."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import published_checkout as fixture
import pytest

from formgym.envs.paper_forms.datasets.form_nlu import FormNluEnv
from formgym.envs.paper_forms.published.env import OfficialEnv
from formgym.envs.paper_forms.published.source import PublishedSource, SourceError

STATEMENTS = "Return Assign Raise If For"
CALLS = "int hasattr Exception concatenate_address str join get_profile_info"
OPERATORS = {"A": "Add Sub Eq Or Not", "B": "Add Sub Eq Or Not FloorDiv Mod"}
EXPRESSIONS = "Attribute Subscript JoinedStr ListComp IfExp List"


@pytest.fixture(scope="module", params=["A", "B"])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def root(version: fixture.Version, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp(f"published_{version}") / "FormGym"
    fixture.write_checkout(folder, version)
    return folder


def test_it_has_every_construct(root: Path, version: str) -> None:
    classes = [
        node
        for name in ("user_features.py", "fields.py")
        for node in ast.parse((root / name).read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("Base")
    ]
    nodes = [node for one in classes for node in ast.walk(one)]
    called = {getattr(n.func, "id", getattr(n.func, "attr", "")) for n in nodes if isinstance(n, ast.Call)}
    there = {type(node).__name__ for node in nodes} | called
    expected = " ".join((STATEMENTS, CALLS, OPERATORS[version], EXPRESSIONS)).split()
    assert set(expected) <= there
    assert ("FloorDiv" in there) == (version == "B")


def test_it_runs(root: Path, version: str) -> None:
    said: Any = fixture.reference(root)
    values = fixture.reference_values(root)
    assert values[1, "FullName"] == "Teodor Bao Okafor-Lind"
    assert values[1, "HousingTime"] == (140 if version == "B" else "140 months")
    assert values[3, "Housing_Else"] is True
    assert (1, "MarriedName") not in values
    assert said["relevant"]["Total_Both"] == ["CROI_1003", "CROI_1004", "CROI_1005"]
    assert said["relevant"]["EarlierCityState"] == ["Phone", "Email", "EarlierCity", "EarlierState"]
    assert said["sentences"]["Preferred"][3].endswith("out of work: full-time")
    classless = {n for page in fixture.pages_of(version).values() for n in page.names} - said["kinds"].keys()
    assert ("Term" in classless) == (version == "A")
    assert "NeverWritten" in classless
    # What the paper plays has values for all.
    paper = [page for name, page in fixture.pages_of(version).items() if name < "al_4" or name.startswith("cr")]
    assert all((user, name) in values for page in paper for name in page.names for user in range(4))


def test_what_no_reader_should_accept_is_marked(version: fixture.Version, tmp_path: Path) -> None:
    places = fixture.write_checkout(tmp_path / "checkout", version, broken=True)
    assert len(set(places)) == len(places) > 25
    texts = [(tmp_path / "checkout" / file).read_text().splitlines()[line - 1] for file, line in places]
    for construct in ("eval(", "lambda", "import os", "while True", "try:", "__class__", ":>20", "(*[", "* 1000000000"):
        assert any(construct in text for text in texts), construct
    assert not any("#!" in text for text in texts)


def test_gradings_are_of_every_kind_and_verdict() -> None:
    rows = [json.loads(line) for line in (fixture.DATA / "gradings.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = {"string", "numeric", "checkbox", "date", "name", "signature", "duration"}
    assert {row["kind"] for row in rows if row["right"]} == {row["kind"] for row in rows if not row["right"]} == kinds


# -- Hostile checkouts -----------------------------------------------------------------------------------------------

METHOD = """

class Hostile(BaseStringField):
    {decorator}
    def get_profile_info(self, user_profile):
        {body}
"""
UNREADABLE = {
    "loops in loops": "a = 'x' * 9000\n        for i in a:\n            for j in a:\n                b = 1\n",
    "what grows": "a = ['x'] * 9000\n        a = [a for b in a]\n        return str(a)",
    "a record": "return user_features.HousingEnum",
    "a list": "return [[1], [2]]",
    "bytes": "return b'x'",
    "its own attribute": "return self.kinds",
    "a module's name": "return TOLERANCE",
    "a keyword": "return City.get_profile_info(user_profile=user_profile)",
    "two targets": "a, b = 'x', 'y'\n        return a",
    "a format by a sign": "return '%99999999d' % 1",
    "a long number": "return str(int('9' * 4000))",
}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A checkout to be made hostile."""
    fixture.write_checkout(tmp_path / "checkout", "B")
    return tmp_path / "checkout"


def append(root: Path, text: str) -> PublishedSource:
    """The source of a checkout with some more lines."""
    with (root / "fields.py").open("a") as file:
        file.write(text)
    return PublishedSource(root)


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_is_not_known_is_not_guessed(what: str, hostile: Path) -> None:
    source = append(hostile, METHOD.format(decorator="@classmethod", body=UNREADABLE[what]))
    with pytest.raises(SourceError, match=r"fields.py:\d+: (cannot read|the value of)"):
        source.value("Hostile", 0)
    assert source.value("City", 0) == "Lessing"


def test_the_last_definition_counts_and_other_decorators_are_not_known(hostile: Path) -> None:
    source = append(hostile, METHOD.format(decorator="@print", body="return 'x'"))
    with pytest.raises(SourceError, match="decorators of get_profile_info"):
        source.value("Hostile", 0)
    twice = METHOD.format(decorator="@classmethod", body="return 'first'").rstrip() + "\n\n    @classmethod"
    source = append(hostile, f"{twice}\n    def get_profile_info(self, user_profile):\n        return 'second'\n")
    assert source.value("Hostile", 0) == "second"
    source = append(hostile, "\ndef str(x):\n    return 'shadowed'\n")
    assert source.value("Wage", 0) == "48850"
    assert source.value("HousingYears", 0) == "shadowed"


def test_fields_that_need_each_other_twice_end(hostile: Path) -> None:
    lines = [f"return {f'D{i - 1}.get_profile_info(user_profile) + ' * 2}''" if i else "return ''" for i in range(60)]
    texts = [
        METHOD.format(decorator="@classmethod", body=line).replace("Hostile", f"D{i}") for i, line in enumerate(lines)
    ]
    source = append(hostile, "".join(texts))
    assert source.value("D9", 0) == ""
    with pytest.raises(SourceError, match="so many steps"):
        source.value("D59", 0)
    assert source.facts_of(["D59"]) == ()


def test_a_long_name_is_read_in_time(hostile: Path) -> None:
    source = append(hostile, METHOD.format(decorator="@classmethod", body=f"return 'x'  # {'a' * 500_000}"))
    assert source.value("Hostile", 0) == "x"
    assert source.facts_of(["Hostile"]) == ()


@pytest.mark.parametrize("version", ["A", "B"])
def test_nothing_is_executed(version: fixture.Version, tmp_path: Path) -> None:
    """Each file would remove another file if it were imported, and a field's value if it were computed by Python."""
    root, victim = tmp_path / "checkout", tmp_path / "victim"
    fixture.write_checkout(root, version, broken=True)
    victim.write_text("there")
    for file in [*root.glob("*.py")]:
        file.write_text(file.read_text() + f"\n\n__import__('os').remove({str(victim)!r})\n")
    append(root, METHOD.format(decorator="@classmethod", body=f"return __import__('os').remove({str(victim)!r})"))
    page = json.loads((root / "annotations/al_0_0.json").read_text())
    page["annotations"][0]["name"] = "Hostile"
    (root / "annotations/al_0_0.json").write_text(json.dumps(page))
    before = sorted(tmp_path.rglob("*"))
    with pytest.warns(UserWarning, match="left out"):
        env = OfficialEnv(str(root))
    env.reset(options={"task": "al_0_0/0"})
    assert [reason for reason in env.skipped if "__import__" in reason]
    source = PublishedSource(root)
    for name in ("Imports", "Executes", "WritesAFile", "Hostile"):
        with pytest.raises(SourceError):
            source.value(name, 0)
    assert sorted(tmp_path.rglob("*")) == before
    assert victim.read_text() == "there"


def test_files_that_are_none(hostile: Path) -> None:
    path = hostile / "fields.py"
    text = path.read_text()
    for make in (path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to(path), lambda: path.write_bytes(b"x\0")):
        path.unlink()
        make()
        with pytest.raises(ValueError, match=r"fields\.py"):
            OfficialEnv(str(hostile))
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_text(text)
    (hostile / "annotations/loop").symlink_to(hostile / "annotations")
    (hostile / "annotations/al.json").write_bytes((hostile / "annotations/al_0_0.json").read_bytes())
    assert len(OfficialEnv(str(hostile)).task_ids) == 16


# -- Pages around those of the paper -----------------------------------------------------------------------------------


def test_the_page_before_is_the_last_one_that_can_be_shown(tmp_path: Path) -> None:
    fixture.write_checkout(tmp_path / "A", "A")
    with pytest.warns(UserWarning, match="al_4_0 is left out"):
        env = OfficialEnv(str(tmp_path / "A"), "doc_transfer", pages="all")
    assert len(env.task_ids) == 16
    assert env.skipped["no picture"] == 1


def test_a_blank_answer_is_right_when_nothing_is_written_by_the_published_grading_alone(tmp_path: Path) -> None:
    fixture.write_checkout(tmp_path / "A", "A")
    env = OfficialEnv(str(tmp_path / "A"))
    right = [task for task in env.task_ids if env.reset(options={"task": task})[1]["score"]["published_accuracy"]]
    assert right == ["al_2_0/1"]
    assert [f.name for f in _blank(env, right[0]) if f.metrics["published"]] == ["SpouseName"]


def _blank(env: OfficialEnv, task: str) -> Any:
    env.reset(options={"task": task})
    answered = {target.name for target in env.state.task.targets if target.value == " "}  # type: ignore[attr-defined]
    return [field for field in env.state.score().fields if field.name in answered]


@pytest.mark.parametrize("version", ["A", "B"])
def test_form_nlu_is_found_in_the_checkout_that_has_it(version: fixture.Version, tmp_path: Path) -> None:
    fixture.write_checkout(tmp_path / "FormGym", version)
    if version == "B":
        assert FormNluEnv(str(tmp_path / "FormGym")).task_ids
    else:
        with pytest.raises(ValueError, match=r"neither val.json .*FormGym/annotations/form-nlu"):
            FormNluEnv(str(tmp_path / "FormGym"))
