"""Runs of models: the cache, the ledger of the sweep, budgets that are raised, and what a first-time user reads."""

import json
import os
import urllib.request

import pytest
from command_line import formgym_command
from provider_server import provider_server, random_faults
from sizes import LONG

from formgym.agents.models.inspect import InspectModel
from formgym.agents.models.ledger import CostLedger
from formgym.agents.models.metered import MeteredModel
from formgym.agents.models.openai_compatible import OpenAICompatible
from formgym.experiments.running.episodes import EpisodeFiles
from formgym.experiments.running.run_folder import LEDGER, RunFolder
from formgym.experiments.running.sweep import spec_of


def _command(*overrides, folder, **variables):
    environment = {**os.environ, "FORMGYM_CACHE": str(folder / "cache"), **variables}
    return formgym_command("sweep", *overrides, cwd=folder, env=environment)


def test_the_jobs_of_a_sweep_have_one_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path / "cache"))
    spec = spec_of("agent=vlm", "model=scripted", "model.replies=[Done.]", "prices={}")
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "multirun.yaml").touch()
    for folder, ledger in (("sweep/a", "sweep"), ("sweep/b", "sweep"), ("alone", "alone")):
        assert RunFolder(tmp_path / folder).ledger == tmp_path / ledger / LEDGER
    assert (spec.name, spec.agent["model"], spec.model["name"]) == ("vlm (scripted)", None, "scripted")
    assert isinstance(spec.make_agent(tmp_path / LEDGER)._model, MeteredModel)


def test_what_is_missing_is_said_before_anything_runs(tmp_path):
    environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    result = _command("agent=vlm", "model=openai_compatible", "run_dir=run", folder=tmp_path, **environment)
    assert result.returncode == 2
    assert "set the environment variable OPENAI_API_KEY" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_server_has_a_url_and_a_model_of_inspect_a_name():
    with pytest.raises(ValueError, match=r"model\.base_url must be a URL"):
        OpenAICompatible("any", base_url="localhost:8000")
    with pytest.raises(ValueError, match=r"model\.name is missing"):
        InspectModel("")


@LONG
def test_a_spent_budget_leaves_episodes_unscored_and_a_higher_one_runs_them(tmp_path):
    pytest.importorskip("openai", reason="needs OpenAI's SDK: pip install 'formgym[llm]'")
    with provider_server(fault=random_faults(0.3, 2)) as server:
        model = ["agent=vlm", "model=openai_compatible", "model.name=tiny", f"model.base_url={server.url}/v1"]
        run = [
            "env=formgym/auto_loans_text",
            "episodes=6",
            "concurrency=3",
            "run_dir=run",
            "model.max_wait=0.05",
            "model.max_tokens=200",
        ]
        prices = "prices={tiny: {input: 2, output: 8}}"
        first = _command(*model, *run, prices, "budget.dollars=0.15", folder=tmp_path)
        assert first.returncode == 0, first.stderr
        spent = [episode for episode in list(EpisodeFiles(tmp_path / "run/episodes.jsonl")) if episode.unscored]
        assert 0 < len(spent) < 6
        assert all("budget.dollars=MORE" in episode.error and episode.metrics is None for episode in spent)
        paid = CostLedger(tmp_path / "run" / LEDGER).paid()[0]
        assert 0 < paid <= 0.15
        second = _command(*model, *run, prices, "resume=true", "retry=errors", "budget.dollars=1", folder=tmp_path)
        assert second.returncode == 0, second.stderr
        episodes = list(EpisodeFiles(tmp_path / "run/episodes.jsonl"))
        bill = json.load(urllib.request.urlopen(f"{server.url}/bill"))
    assert [episode.error for episode in episodes] == [None] * 6
    dollars, tokens = CostLedger(tmp_path / "run" / LEDGER).paid()
    # Lost replies are entered by the most that they may have cost.
    assert dollars >= bill["dollars"]
    assert tokens >= bill["input_tokens"] + bill["output_tokens"]
    assert sum(episode.usage["cost"] for episode in episodes) == pytest.approx(bill["dollars"], abs=1e-12)
