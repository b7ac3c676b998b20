"""The checkout that tests of the published FormGym play: it has what the published source has, and it runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import published_checkout as fixture
import pytest

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
