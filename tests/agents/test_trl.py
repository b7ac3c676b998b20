"""TRL on our bridges with tiny models of random weights: GRPO on whole episodes, SFT on their chats."""

import json

import pytest
from sizes import ALL

if not ALL:  # TRL is slow to import.
    pytest.skip("long: make test-all runs it", allow_module_level=True)
pytestmark = pytest.mark.usefixtures("one_thread")
pytest.importorskip("trl", reason="needs TRL: pip install 'formgym[vlm]'")

from datasets import Dataset  # noqa: E402
from tiny_qwen_fixture import tiny_qwen  # noqa: E402
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer  # noqa: E402

from formgym.agents.bridges.chat import chat_messages  # noqa: E402
from formgym.agents.bridges.trl import environment_class, episode_rows  # noqa: E402
from formgym.agents.session import Session  # noqa: E402

SCAN = "FormGym/Scans-v0"
USUAL = {
    "max_steps": 2,
    "per_device_train_batch_size": 2,
    "report_to": "none",
    "save_strategy": "no",
    "logging_steps": 1,
    "use_cpu": True,
    "bf16": False,
}


def test_grpo_plays_whole_episodes(tmp_path):
    """One of two completions solves the task, the other calls badly: rewards 1 and 0, pictures in the replies."""
    model, processor = tiny_qwen()
    trainer = GRPOTrainer(
        model=model,
        processing_class=processor,
        args=GRPOConfig(str(tmp_path), num_generations=2, max_completion_length=2_000, **USUAL),
        train_dataset=Dataset.from_list(episode_rows(4)),
        environment_factory=environment_class(SCAN, unit="thousand", max_side=128),
    )
    pictures = []

    def scripted(prompt_ids, images, *_, **__):
        """What a model would write: a call, right or wrong; the end of the task; a last word."""
        pictures.append([len(one) for one in images])
        texts = []
        for i, environment in enumerate(trainer.environments):
            if len(pictures) % 3 == 0:
                texts.append("Done.<|im_end|>")
                continue
            call = {"tool": "place_text", "x": 1} if i else environment._session.solution()[0]
            call = {"tool": "terminate"} if len(pictures) % 3 == 2 else call
            function = {"name": call.pop("tool"), "arguments": call}
            texts.append(f"<tool_call>\n{json.dumps(function, ensure_ascii=False)}\n</tool_call><|im_end|>")
        return [processor.tokenizer(text)["input_ids"] for text in texts], None

    trainer._generate_single_turn = scripted
    trainer.train()
    steps = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(steps) == 2
    for step in steps:
        assert step["rewards/FormGymScansV0/mean"] == step["reward"] == 0.25, "one of two blanks, in one of two"
        assert step["tools/failure_frequency"] == 0
        assert abs(step["loss"]) < 10
        assert step["grad_norm"] > 0
    assert pictures == [[1, 1], [2, 1], [2, 1]] * 2


def test_chats_of_episodes_are_rows_for_sft(tmp_path):
    chats = []
    for env_id in (SCAN, "FormFactory/Atomic-v0"):
        with Session(env_id, seed=1, unit="thousand", max_side=128) as session:
            chats.append(chat_messages(session))
    rows = Dataset.from_list(chats, on_mixed_types="use_json")
    assert rows[0]["messages"][-2]["tool_calls"][0]["function"] == {"name": "terminate", "arguments": {}}
    model, processor = tiny_qwen()
    config = SFTConfig(str(tmp_path), max_length=None, **USUAL)
    trainer = SFTTrainer(model, config, train_dataset=rows, processing_class=processor)
    batch = next(iter(trainer.get_train_dataloader()))
    assert len(batch["image_grid_thw"]) == sum(len(chat["images"]) for chat in chats)
    text = processor.tokenizer.decode(batch["input_ids"][0])
    assert '"name": "place_text"' in text or '"name": "click"' in text
    assert "null" not in text
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert len(losses) == 2
    assert losses[1] < losses[0] < 10
