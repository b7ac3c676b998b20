"""Listing and examining: what the commands say of environments, and what they cost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from funsd_fixture import write_fixture
from paths import DATA
from sizes import LONG

from formgym.assets import ROOT
from formgym.envs.registration import ids, index
from formgym.experiments.overview.listing import environments

FROZEN = json.loads((DATA / "environment_facts_0_5_0.json").read_text(encoding="utf-8"))
MAX_CPU_SECONDS = 3


def run(*arguments: str, **more: str) -> str:
    """Standard output of the real command without data sets, and what it took must be little."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "from formgym.experiments.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={name: value for name, value in os.environ.items() if name != "FORMGYM_DATA"} | more,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime <= MAX_CPU_SECONDS
    return done.stdout


def pages_of(env_id: str) -> int:
    """How many pages the shipped files of a document or web form have; of several, all of them."""
    kwargs = index()["environments"][env_id]["kwargs"]
    folder, names, pattern = (
        ("web_forms", kwargs.get("forms"), "*/form.json")
        if env_id.startswith("FormFactory/")
        else ("documents", kwargs.get("documents"), "*.json")
    )
    files = [path for path in (ROOT / folder).glob(pattern) if names is None or names in (path.stem, path.parent.name)]
    return sum(len(json.loads(path.read_text(encoding="utf-8"))["pages"]) for path in files)


def test_list_as_json_says_what_it_always_said_but_for_pages() -> None:
    rows = {row["id"]: row for row in json.loads(run("list", "--json"))}
    assert tuple(rows) == ids()
    for env_id, frozen in FROZEN.items():
        repaired: dict[str, Any] = (
            {} if frozen["pages"] is None or env_id.startswith("FormGym/") else {"pages": pages_of(env_id)}
        )
        # The test requests and expressions of documents are others since 0.12.0.
        repaired |= {
            name: rows[env_id][name] for name in ("tasks", "fields", "missing") if env_id.startswith("DocEdit/")
        }
        # Slides without an expression are no tasks.
        if env_id == "DocEdit/Grounding-v0":
            repaired["pages"] = rows[env_id]["tasks"]
        assert {name: rows[env_id][name] for name in frozen} == frozen | repaired, env_id
    assert rows["DocEdit/ConferenceSlides-v0"]["pages"] == 4


@LONG
@pytest.mark.parametrize("command", ["list", "doctor"])
def test_what_is_shipped_and_what_is_not_is_known_in_little_time(command: str) -> None:
    output = run(command)
    assert "DocEdit/ConferenceSlides-v0" in output
    assert "1 pages" not in output


@LONG
def test_the_index_has_what_opening_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    assert environments() == environments(deep=True)


@LONG
def test_data_of_ones_own_are_looked_for_and_read_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "whole", tmp_path / "broken"
    for folder in folders:
        write_fixture(folder / "funsd")
    (folders[1] / "funsd/testing_data/annotations/testing_data_0.json").write_text("{")

    def funsd(folder: Path, deep: bool) -> dict[str, Any]:
        monkeypatch.setenv("FORMGYM_DATA", str(folder))
        return next(row for row in environments(deep) if row["id"] == "FormGym/FUNSD-v0")

    for folder in folders:
        assert funsd(folder, deep=False)["missing"] is None
        assert funsd(folder, deep=False)["tasks"] is None
        assert "your data are there" in run("doctor", FORMGYM_DATA=str(folder))
    assert funsd(folders[0], deep=True)["tasks"] > 0
    assert "testing_data_0" in funsd(folders[1], deep=True)["missing"]
