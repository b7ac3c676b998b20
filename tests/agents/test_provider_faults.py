"""Every mode of the fault server: whose failure it is, the calls made, and what the ledger has beside the bill."""

import json
import re
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from provider_answers import Answer
from provider_server import faults_of, provider_server
from sizes import ALL, sample

from formgym.agents.base import ModelError
from formgym.agents.models.inspect import InspectModel
from formgym.agents.models.ledger import CostLedger
from formgym.agents.models.metered import MeteredModel
from formgym.agents.models.model import Message, TextBlock
from formgym.agents.models.openai_compatible import OpenAICompatible
from formgym.agents.vlm import VLM
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.runner import Runner

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="needs OpenAI's SDK: pip install 'formgym[llm]'")

MODES = json.loads((Path(__file__).parents[1] / "data/provider_faults.json").read_text("utf-8"))
KEY = "sk-formgym-0123456789abcdef"
PRICES = {name: {"input": 2, "output": 8, "cached_input": 0.5, "cache_write": 2.5} for name in ("tiny", "claude")}
QUESTION = [Message("user", [TextBlock("Fill in the form.")])]
TOOL = {"name": "terminate", "description": "End.", "parameters": {"type": "object", "properties": {}}}
PLAYED = sample(MODES, 10)
"""In how many of them episodes are played."""
_HAS_INSPECT = all(find_spec(name) for name in ("inspect_ai", "anthropic"))


def answer(request):
    """A reply that ends an episode, of a length that is always the same."""
    text = "" if request.tools else '```json\n[{"tool": "terminate"}]\n```'
    return Answer(text, [("terminate", {})] if request.tools else [], 20, 100)


def model_of(mode, url):
    arguments = {"max_tokens": 200, "retries": 4, "max_wait": 0.01, **mode.get("model", {})}
    if mode["wire"] == "openai":
        return OpenAICompatible("tiny", **{"base_url": f"{url}/v1", "timeout": 5, **arguments})
    name, path = ("anthropic/claude-test", "") if mode["wire"] == "anthropic" else ("openai-api/local/tiny", "/v1")
    return InspectModel(name, f"{url}{path}", **{"attempt_timeout": 5, **arguments})


def provider(mode):
    slow = 1.5 if mode["wire"] == "anthropic" else 0.4
    return provider_server(answer=answer, fault=faults_of(mode), slow=slow, is_idempotent=False)


def money(mode, folder):
    """What one question takes: the requests, the bill, the ledger, and what was left out."""
    with provider(mode) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failure, left_out = "", []
        model = MeteredModel(model_of(mode, server.url), None, PRICES, ledger=folder / "l.jsonl")
        try:
            left_out = list(model.generate(QUESTION, [TOOL]).left_out)
        except ModelError as error:
            failure = str(error)
    assert KEY not in failure
    rows = [json.loads(line) for line in (folder / "l.jsonl").read_text("utf-8").splitlines()]
    dollars, tokens = CostLedger(folder / "l.jsonl").paid()
    return {
        "requests": [row["status"] for row in rows if "status" in row],
        "billed_tokens": server.bill["input_tokens"] + server.bill["output_tokens"],
        "billed_dollars": round(server.bill["dollars"], 7),
        "ledger_tokens": tokens,
        "ledger_dollars": round(dollars, 7),
        "left_out": left_out,
    }


def played(mode, folder):
    """The record of an episode."""
    env = "FormGym/AutoLoans-Text-v0"
    with provider(mode) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = VLM(MeteredModel(model_of(mode, server.url), None, PRICES, ledger=folder / "ledger.jsonl"))
        spec = RunSpec(env=env, agent="formgym.agents.Noop", episodes=1, run_dir=folder / "run")
        (episode,) = Runner(spec, agent=agent).run().episodes
    dollars = CostLedger(folder / "ledger.jsonl").paid()[0]
    assert dollars >= server.bill["dollars"] - 1e-12
    return episode


def fate(episode):
    """Whether the provider failed, a request was refused, or neither; what a silent model costs is told elsewhere."""
    if episode.unscored:
        return "unscored"
    return (
        f"stopped: {episode.stop_reason}"
        if episode.ended == "stopped" and episode.stop_reason != "silent"
        else "scored"
    )


def name_of(mode):
    return re.sub(r"\W+", "_", f"{mode['wire']} {mode['mode']}")


@pytest.mark.parametrize("mode", MODES, ids=name_of)
def test_a_mode_has_its_fate_and_its_costs(mode, tmp_path, monkeypatch, capfd):
    if mode["wire"] != "openai" and not (ALL and _HAS_INSPECT):
        pytest.skip("long: make test-all runs it" if _HAS_INSPECT else "needs Inspect and anthropic")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_API_KEY"):
        monkeypatch.setenv(name, KEY)
    expected = mode["expected"]
    took = money(mode, tmp_path)
    assert took | {"fate": expected["fate"]} == expected
    assert took["ledger_dollars"] >= took["billed_dollars"]
    assert took["ledger_tokens"] >= took["billed_tokens"]
    if mode in PLAYED:
        episode = played(mode, tmp_path)
        assert fate(episode) == expected["fate"]
        replies = [one for turn in episode.rounds for one in turn.exchanges if one.stop != "error"]
        assert all(one.left_out == expected["left_out"] for one in replies)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in "".join(capfd.readouterr())


def test_there_are_modes_enough_and_all_kinds_of_fates():
    assert len({(mode["wire"], mode["mode"]) for mode in MODES}) == len(MODES) >= 60
    fates = {mode["expected"]["fate"] for mode in MODES}
    stopped = {f"stopped: {reason}" for reason in ("context", "policy", "images", "parameter", "request")}
    assert fates >= {"scored", "unscored", *stopped}
