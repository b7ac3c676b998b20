"""``formgym train experiment=vlm_grounding``: SFT and GRPO of a tiny model, its files, and plain errors."""

import json
import sys

import pytest
from sizes import LONG

from formgym.experiments.training import vlm
from formgym.experiments.training.vlm import tiny_model, train_vlm

SETTINGS = {
    "model": "tiny",
    "data": {"env_id": "FormFactory/Grounding-v0", "max_side": 128},
    "n_rows": {"train": 64, "measured": 16},
    "reward": {"hit": 1.0, "format": 0.5},
    "sft": {
        "max_steps": 80,
        "per_device_train_batch_size": 8,
        "learning_rate": 5e-3,
        "max_length": None,
        "logging_steps": 20,
    },
    "grpo": {
        "max_steps": 2,
        "per_device_train_batch_size": 8,
        "num_generations": 8,
        "max_completion_length": 32,
        "learning_rate": 1e-4,
    },
    "seeds": [0],
}


def test_a_missing_model_or_package_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trl", None)
    with pytest.raises(RuntimeError, match=r"pip install 'formgym\[vlm\]'"):
        train_vlm(**SETTINGS, run_dir=str(tmp_path))
    monkeypatch.setitem(sys.modules, "trl", sys)
    with pytest.raises(ValueError, match=r"no model in .*nothing: it needs config.json"):
        train_vlm(**SETTINGS | {"model": str(tmp_path / "nothing")}, run_dir=str(tmp_path))
    with pytest.raises(ValueError, match="split is what is measured"):
        train_vlm(**SETTINGS, split="train", run_dir=str(tmp_path))
    with pytest.raises(ValueError, match="goes with action='box'"):
        train_vlm(**SETTINGS | {"reward": {"iou": 1.0}}, run_dir=str(tmp_path))


@LONG
@pytest.mark.usefixtures("one_thread")
def test_a_tiny_model_learns_the_form_of_answers_and_then_from_reward(tmp_path, monkeypatch):
    pytest.importorskip("trl", reason="needs TRL: pip install 'formgym[vlm]'")
    seen = []

    def watched(seed):
        model, processor = tiny_model(seed)
        model.model.vision_model.register_forward_hook(lambda *_: seen.append(1))
        return model, processor

    monkeypatch.setattr(vlm, "tiny_model", watched)
    folder = train_vlm(**SETTINGS, run_dir=str(tmp_path / "run")) / "seed-0"
    assert len(seen) > 80, "pictures are encoded in every step"
    found = {name: json.loads((folder / name / "result.json").read_text()) for name in ("start", "sft", "grpo")}
    assert found["start"]["rates"]["dev"]["format"] == 0
    assert found["sft"]["rates"]["dev"]["format"] > 0.8
    steps = [entry for entry in found["grpo"]["log"] if "reward" in entry]
    assert len(steps) == 2
    assert all(abs(step["loss"]) < 10 for step in steps)
    assert any(step["grad_norm"] > 0 for step in steps)
    assert all(
        step["reward"] == pytest.approx(step["rewards/hit/mean"] + step["rewards/format/mean"] / 2) for step in steps
    )
    assert any(step["reward"] > 0 for step in steps)
    assert (folder / "grpo/model.safetensors").exists()
    trained = len(seen)
    train_vlm(**SETTINGS, run_dir=str(tmp_path / "run"))
    assert len(seen) == trained, "a stage that is there is not trained again"
    with pytest.raises(ValueError, match="holds a run with other settings"):
        train_vlm(**SETTINGS | {"reward": {"hit": 1.0}}, run_dir=str(tmp_path / "run"))
