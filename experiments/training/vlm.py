"""Training runs of vision-language models that point: right answers, then reward."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...agents.bridges.grounding import Row, grounding_reward, grounding_rows
from ...envs.core.files import atomic_write
from ..terminal.console import print_table, say, table_of
from .command import check_same_run

TINY = "tiny"
RESULT = "result.json"
_BATCH = 8
"""How many answers are generated at a time when a model is measured."""
_MARKS = ["<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>", "<global-img>"]
_PICTURE, _PATCH, _SCALE = 128, 16, 4
_TEMPLATE = (
    "<|im_start|>{% for message in messages %}{{ message['role'] | capitalize }}:"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %} {{ part['text'] }}{% endif %}"
    "{% endfor %}<end_of_utterance>\n{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)

Settings = Mapping[str, Any]
Rates = dict[str, dict[str, float]]
"""The mean rewards by split and name."""


def train_vlm(
    model: str,
    data: Settings,
    n_rows: Mapping[str, int],
    reward: Mapping[str, float],
    sft: Settings,
    grpo: Settings,
    run_dir: str,
    seeds: Sequence[int],
    split: str = "dev",
    wandb: str | None = None,
) -> Path:
    """Train and measure a model that points; the folder of the run.

    It learns the right answers of the train split (SFT), and then from reward alone (GRPO). Each stage has a folder
    with its model and ``result.json``; one that is there is read and not trained again.

    Args:
        model: the folder of a model, or ``"tiny"``: random weights, to try a run.
        data: arguments of ``grounding_rows``.
        n_rows: how many rows are trained on (``train``) and measured on (``measured``).
        reward: weights by name.
        sft: arguments of TRL's ``SFTConfig``; ``max_steps: 0`` leaves the stage out.
        grpo: arguments of TRL's ``GRPOConfig``; the same.
        run_dir: the folder; made if it is not there.
        seeds: of the runs, one after another.
        split: that is measured.
        wandb: ``"offline"`` or ``"online"`` logs to Weights & Biases.

    Raises:
        ValueError: if there is no such model, the train split is to be measured, the data cannot be made, or the folder
            holds a run with other settings.
        RuntimeError: if a package is missing.
    """
    try:
        import trl  # noqa: F401
    except ImportError as error:
        raise RuntimeError(
            f"vision-language models are trained with TRL: pip install 'formgym[vlm]' ({error})"
        ) from None
    if model != TINY and not (Path(model) / "config.json").is_file():
        raise ValueError(
            f"no model in {model}: it needs config.json, weights and a processor, as save_pretrained writes"
        )
    if split == "train":
        raise ValueError("split is what is measured, and no model is measured on what it was trained on: dev or test")
    if wandb:
        os.environ["WANDB_MODE"] = wandb
    sizes = {"train": n_rows["train"], split: n_rows["measured"]}
    rows = {name: grounding_rows(n=n, split=name, reward=dict(reward), **data) for name, n in sizes.items()}
    settings = {"model": model, "data": dict(data), "n_rows": dict(n_rows), "reward": dict(reward), "split": split}
    check_same_run(Path(run_dir), settings | {"sft": dict(sft), "grpo": dict(grpo)})
    run = _Run(model, rows.pop("train"), rows, reward, {"sft": sft, "grpo": grpo}, "wandb" if wandb else "none")
    table = [
        (seed, stage, split, *(f"{rates[name]:.3f}" for name in reward))
        for seed in seeds
        for stage, found in run.stages(Path(run_dir) / f"seed-{seed}", seed)
        for split, rates in found.items()
    ]
    print_table(table_of(f"{model}: mean rewards", ("seed", "stage", "split", *reward), table, 3))
    return Path(run_dir)


@dataclass(frozen=True)
class _Run:
    """The stages of a run and what they share; see ``train_vlm``."""

    model: str
    train: list[Row]
    measured: Mapping[str, list[Row]]
    reward: Mapping[str, float]
    settings: Mapping[str, Settings]
    report_to: str

    def stages(self, folder: Path, seed: int) -> Iterator[tuple[str, Rates]]:
        """The mean rewards at the start and after each stage, read or trained."""
        source = self.model
        for name in ("start", *(stage for stage, config in self.settings.items() if config["max_steps"])):
            stage = folder / name
            if not (stage / RESULT).exists():
                say(f"seed {seed}: {name}")
                self._train_stage(name, source, stage, seed)
            if name != "start":
                source = str(stage)
            yield name, json.loads((stage / RESULT).read_text())["rates"]

    def _train_stage(self, name: str, source: str, folder: Path, seed: int) -> None:
        model, processor = _loaded(source, seed)
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        began = time.perf_counter()
        log: list[dict[str, float]] = []
        if name != "start":
            trainer = self._trainer(name, model, processor, part, seed)
            trainer.train()
            log = trainer.state.log_history
            model.save_pretrained(part)
            processor.save_pretrained(part)
        seconds = round(time.perf_counter() - began, 2)
        length = self.settings["grpo"].get("max_completion_length", 64)
        rates = {
            split: _mean_rewards(model, processor, rows, self.reward, length) for split, rows in self.measured.items()
        }
        atomic_write(part / RESULT, json.dumps({"rates": rates, "seconds": seconds, "log": log}, indent=1).encode())
        part.rename(folder)

    def _trainer(self, name: str, model: Any, processor: Any, folder: Path, seed: int) -> Any:
        import torch
        from datasets import Dataset

        trl: Any = import_module("trl")
        on_gpu = torch.cuda.is_available()
        usual = {"output_dir": str(folder), "report_to": self.report_to, "save_strategy": "no", "logging_steps": 1}
        settings = {**usual, "bf16": on_gpu, "use_cpu": not on_gpu, "seed": seed, **self.settings[name]}
        if name == "sft":
            columns = "prompt", "image", "completion"
            answered = (row | {"completion": [{"role": "assistant", "content": row["answer"]}]} for row in self.train)
            rows = [{column: row[column] for column in columns} for row in answered]
            return trl.SFTTrainer(
                model, trl.SFTConfig(**settings), train_dataset=Dataset.from_list(rows), processing_class=processor
            )
        rows = [{column: row[column] for column in ("prompt", "image", "box", "size", "unit")} for row in self.train]
        return trl.GRPOTrainer(
            model,
            [grounding_reward(one) for one in self.reward],
            trl.GRPOConfig(**settings, reward_weights=list(self.reward.values())),
            Dataset.from_list(rows),
            processing_class=processor,
        )


def _loaded(source: str, seed: int) -> tuple[Any, Any]:
    """A model and its processor, from a folder or tiny; nothing is downloaded."""
    if source == TINY:
        return tiny_model(seed)
    transformers: Any = import_module("transformers")
    # Otherwise transformers would ask whether to run the code that lies beside the weights.
    safely = {"local_files_only": True, "trust_remote_code": False}
    processor = transformers.AutoProcessor.from_pretrained(source, **safely)
    processor.tokenizer.padding_side = "left"
    return transformers.AutoModelForImageTextToText.from_pretrained(source, **safely), processor


def _mean_rewards(
    model: Any, processor: Any, rows: Sequence[Row], reward: Sequence[str] | Mapping[str, float], max_length: int
) -> dict[str, float]:
    """The mean rewards of a model's likeliest answers."""
    import torch

    replies: list[str] = []
    model.eval()
    for begin in range(0, len(rows), _BATCH):
        chats = [_with_picture(row) for row in rows[begin : begin + _BATCH]]
        inputs = processor.apply_chat_template(
            chats,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        ).to(model.device)
        with torch.inference_mode():
            written = model.generate(**inputs, max_new_tokens=max_length, do_sample=False)
        replies += processor.batch_decode(written[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    columns = {name: [row[name] for row in rows] for name in ("box", "size", "unit")}
    return {name: sum(grounding_reward(name)(replies, **columns)) / len(rows) for name in reward}


def _with_picture(row: Row) -> list[dict[str, Any]]:
    """The prompt of a row with its picture in it."""
    text = row["prompt"][0]["content"]
    return [{"role": "user", "content": [{"type": "image", "image": row["image"]}, {"type": "text", "text": text}]}]


# -- A model to try a run ---------------------------------------------------------------------------------------------


def tiny_model(seed: int = 0) -> tuple[Any, Any]:
    """A model of SmolVLM's architecture (Idefics3) and its processor.

    Its tokens are bytes, its pictures 128 pixels wide and high: it can be trained, and knows nothing.

    Args:
        seed: of its weights.
    """
    import torch

    transformers: Any = import_module("transformers")
    tokenizer = _byte_tokenizer(transformers)
    # Large weights: with the usual ones so small a model learns slowly.
    size: dict[str, float] = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "initializer_range": 0.1,
    }
    config = transformers.Idefics3Config(
        text_config={
            "model_type": "llama",
            **size,
            "num_key_value_heads": 2,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 4096,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={**size, "image_size": _PICTURE, "patch_size": _PATCH},
        scale_factor=_SCALE,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )
    edge = {"longest_edge": _PICTURE}
    pictures = transformers.Idefics3ImageProcessorPil(size=edge, max_image_size=edge, do_image_splitting=False)
    n_tokens = (_PICTURE // _PATCH // _SCALE) ** 2
    processor = transformers.Idefics3Processor(pictures, tokenizer, image_seq_len=n_tokens, chat_template=_TEMPLATE)
    torch.manual_seed(seed)
    return transformers.Idefics3ForConditionalGeneration(config), processor


def _byte_tokenizer(transformers: Any) -> Any:
    """A tokenizer whose tokens are bytes and the marks of the template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tokens = [*_MARKS, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    inner = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token=_MARKS[0],
        eos_token=_MARKS[1],
        pad_token=_MARKS[0],
        additional_special_tokens=_MARKS[2:],
        padding_side="left",
    )
