"""Fine-tune Florence-2 to find fields (FormGym); imports no torch until it runs."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pydantic
from PIL import Image as PillowImage

from ...envs.core.files import Data
from ...envs.paper_forms.examples import ExamplePage
from .box_tokens import bins_text, box_bins, prompt
from .loading import load_florence, needed, pixels, prompt_tokens

BEST, CHECKPOINTS, HISTORY = "best", "checkpoints", "history.json"
NO_TOKEN = -100
"""The label of tokens without a loss, which torch's cross entropy ignores."""


class FlorenceRecipe(Data):
    """Hyperparameters of fine-tuning Florence-2.

    Epochs, batch size, learning rate, cosine schedule and early stopping are FormGym's (section FieldFinder).

    >>> FlorenceRecipe().learning_rate
    1e-06

    Attributes:
        epochs: the maximum number of passes over the training examples.
        batch_size: examples for each update of the weights.
        micro_batch_size: examples that go through the network at once; the gradients of a batch are accumulated. It
            divides ``batch_size``. ``None``: the whole batch.
        learning_rate: at its highest; it falls to 0 along half a cosine.
        warmup: share of the updates in which the rate rises to its highest; the published code has it, the paper not.
        weight_decay: of AdamW.
        patience: validations in a row without a new best one, after which training stops; ``None``: no early stopping.
        freeze_vision: do not train the vision tower, and use no dropout in it.
        precision: the data type of training. ``"auto"``: bfloat16 on a GPU that has it, float16 with scaled losses on
            one that does not, float32 elsewhere. Weights are always float32.
        seed: of the order of the examples, and of dropout.
    """

    epochs: int = pydantic.Field(default=4, ge=1)
    batch_size: int = pydantic.Field(default=8, ge=1)
    micro_batch_size: int | None = pydantic.Field(default=None, ge=1)
    learning_rate: float = pydantic.Field(default=1e-6, gt=0)
    warmup: float = pydantic.Field(default=0.05, ge=0, lt=1)
    weight_decay: float = pydantic.Field(default=0.01, ge=0)
    patience: int | None = pydantic.Field(default=1, ge=1)
    freeze_vision: bool = False
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    seed: int = pydantic.Field(default=0, ge=0)

    @pydantic.model_validator(mode="after")
    def _check_parts(self) -> FlorenceRecipe:
        if self.micro_batch_size is not None and self.batch_size % self.micro_batch_size:
            raise ValueError(f"micro_batch_size {self.micro_batch_size} does not divide batch_size {self.batch_size}")
        return self


class PromptedExample(NamedTuple):
    """A page with a prompt and its answer as texts."""

    page: ExamplePage
    prompt: str
    answer: str


def finetune(
    model_path: Path,
    train_pages: Sequence[ExamplePage],
    valid_pages: Sequence[ExamplePage],
    out: Path,
    recipe: FlorenceRecipe,
    *,
    device: str | None = None,
) -> list[dict[str, float]]:
    """Fine-tune Florence-2 on pages; keep the weights with the lowest validation loss.

    The loop is transformers' ``Trainer``.

    Args:
        model_path: a folder with Florence-2 and its processor; see ``load_florence``.
        train_pages: to learn from.
        valid_pages: to decide when to stop.
        out: the folder for ``best/`` (for ``FlorenceLocator``) and ``history.json``, the trainer's state.
        recipe: how to train.
        device: ``"cpu"``, or ``None`` for a GPU if there is one.

    Returns:
        Epoch and losses (nats per token) of each validation.

    Raises:
        ValueError: if torch, transformers or accelerate is missing, the model cannot be used, there are no examples, or
            no validation loss is finite.
    """
    transformers = needed("transformers")
    for library in ("torch", "accelerate"):
        needed(library)
    examples, valid = prompted_examples(train_pages), prompted_examples(valid_pages)
    florence = load_florence(model_path, device)
    if recipe.freeze_vision:
        freeze(florence.model.model.vision_tower)
    callbacks = [] if recipe.patience is None else [transformers.EarlyStoppingCallback(recipe.patience)]
    trainer = transformers.Trainer(
        florence.model,
        _arguments(out, recipe, device),
        lambda batch: collate(florence.processor, batch),
        train_dataset=examples,
        eval_dataset=valid,
        callbacks=callbacks,
    )
    trainer.train()
    rows = _validations(trainer.state.log_history)
    trainer.state.save_to_json(str(out / HISTORY))
    if not any(math.isfinite(row["valid_loss"]) for row in rows):
        raise ValueError("no validation loss is finite: lower learning_rate, or take precision='float32'")
    shutil.rmtree(out / CHECKPOINTS)
    for part in florence:
        part.save_pretrained(out / BEST)
    return rows


def _validations(log: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Epoch, training loss and validation loss of each validation in a trainer's log."""
    losses = {row["epoch"]: row["loss"] for row in log if "loss" in row}
    return [
        {"epoch": row["epoch"], "train_loss": losses.get(row["epoch"], math.nan), "valid_loss": row["eval_loss"]}
        for row in log
        if "eval_loss" in row
    ]


def freeze(tower: Any) -> None:
    """Keep a module's weights, and keep it in evaluation mode when the model around it is trained.

    Dropout and the running means of batch normalisation, which are no weights, change with the mode.
    """
    tower.requires_grad_(False).eval()
    tower.train = lambda mode=True: tower


def _arguments(out: Path, recipe: FlorenceRecipe, device: str | None) -> Any:
    torch, transformers = needed("torch"), needed("transformers")
    precision, parts = recipe.precision, recipe.micro_batch_size or recipe.batch_size
    if precision == "auto":
        on_gpu = device != "cpu" and torch.cuda.is_available()
        precision = ("bfloat16" if torch.cuda.is_bf16_supported() else "float16") if on_gpu else "float32"
    return transformers.TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=parts,
        per_device_eval_batch_size=parts,
        gradient_accumulation_steps=recipe.batch_size // parts,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=recipe.warmup,
        weight_decay=recipe.weight_decay,
        bf16=precision == "bfloat16",
        fp16=precision == "float16",
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        logging_nan_inf_filter=False,
        save_total_limit=1,
        save_only_model=True,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        remove_unused_columns=False,
        label_names=["labels"],
        dataloader_pin_memory=False,
        report_to="none",
        use_cpu=device == "cpu",
        seed=recipe.seed,
    )


def prompted_examples(pages: Sequence[ExamplePage]) -> list[PromptedExample]:
    """The examples of all pages, page after page.

    Raises:
        ValueError: if there is no example at all, or one without a valid prompt and answer; the message names the page.
    """
    examples = []
    for page in pages:
        height, width = page.gray.shape
        for target, box in ((one.target, one.box) for one in page.examples):
            try:
                examples.append(PromptedExample(page, prompt(target), bins_text(box_bins(box, width, height))))
            except ValueError as error:
                raise ValueError(f"page {page.name!r}, target {target!r}: {error}") from None
    if not examples:
        raise ValueError("there is no example on these pages: nothing can be learned or measured")
    return examples


def collate(processor: Any, examples: Sequence[PromptedExample]) -> dict[str, Any]:
    """Examples as one batch of tensors; prompts and answers are padded to the longest of them.

    The attention mask decides what is padding, because an answer might have the padding token.
    """
    pictures = [PillowImage.fromarray(example.page.gray).convert("RGB") for example in examples]
    answers = [example.answer for example in examples]
    tokens = processor.tokenizer(answers, padding=True, padding_side="right", return_tensors="pt")
    return {
        **prompt_tokens(processor, [example.prompt for example in examples]),
        "pixel_values": pixels(processor, pictures),
        "labels": tokens["input_ids"].masked_fill(tokens["attention_mask"] == 0, NO_TOKEN),
    }
