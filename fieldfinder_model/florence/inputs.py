"""What Florence-2 reads: the pixels of pages, and prompts in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PIL import Image as PillowImage
from torch import Tensor


def pixels(processor: Any, pages: Sequence[PillowImage.Image]) -> Tensor:
    """Pages as float32 (n, 3, height, width), drawn together to the size that the processor asks for.

    Args:
        processor: a ``Florence2Processor``.
        pages: RGB, of any sizes.
    """
    values: Tensor = processor.image_processor(list(pages), return_tensors="pt")["pixel_values"]
    return values


def prompt_tokens(processor: Any, prompts: Sequence[str]) -> dict[str, Tensor]:
    """Prompts as ``processor(text=..., images=...)`` makes them, without the pages being needed.

    So a page that is asked for many fields is read once. Padding follows a prompt and is masked.

    Returns:
        ``input_ids`` and ``attention_mask``, int64 (n, longest prompt): places for the picture, the words, the end.
    """
    tokenizer = processor.tokenizer
    before = processor.image_token * processor.num_image_tokens + tokenizer.bos_token
    texts = [before + text + tokenizer.eos_token for text in prompts]
    tokens = tokenizer(texts, add_special_tokens=False, padding=True, padding_side="right", return_tensors="pt")
    return {name: tokens[name] for name in ("input_ids", "attention_mask")}
