"""A tiny Florence-2 with random weights, and pages with a few fields: all of it made here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from formgym.envs.paper_forms.examples import Example, ExamplePage

SIZE = (340, 440)
"""Width and height of a page."""
TARGETS = ("Name", "Date of birth", "Phone | Second reference", "<s>City</s>")
SIZES = st.integers(1, 5000)
"""Widths and heights of pages."""
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<image>", *(f"<loc_{number}>" for number in range(1000))]


def ordered(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Boxes whose edges are of ``values``."""
    spans = st.tuples(values, values).map(sorted)
    return st.tuples(spans, spans).map(lambda both: (both[0][0], both[1][0], both[0][1], both[1][1]))


BINS = ordered(st.integers(0, 999))


def field_pages(count: int) -> list[ExamplePage]:
    """Pages with the same four targets, every time in other places."""
    return [_page(number) for number in range(count)]


def _page(number: int) -> ExamplePage:
    rng = np.random.default_rng(number)
    picture = Image.new("L", SIZE, 250)
    draw = ImageDraw.Draw(picture)
    examples = []
    for row, at in enumerate(rng.permutation(len(TARGETS))):
        left, top = int(rng.integers(90, 160)), 30 + 100 * row + int(rng.integers(40))
        box = (left, top, left + int(rng.integers(60, 180)), top + int(rng.integers(20, 50)))
        draw.text((10, top), TARGETS[at], fill=20)
        draw.rectangle(box, outline=20, width=2)
        examples.append(Example(TARGETS[at], box, box, "line"))
    return ExamplePage(f"page {number}", np.asarray(picture), (), tuple(examples))


def write_florence(folder: Path, dropout: float = 0.0) -> Path:
    """Write a Florence-2 of 200,000 weights with its processor, as ``save_pretrained`` does, and return the folder."""
    import torch
    import transformers

    processor = _processor(transformers)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.Florence2ForConditionalGeneration(_config(transformers, processor, dropout))
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _processor(transformers: Any) -> Any:
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=_tokenizer(),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"},
    )
    # White paper is taken for the mean, so that what is printed on it counts from the first update on.
    images = CLIPImageProcessorPil(
        size={"height": 64, "width": 64}, do_center_crop=False, image_mean=[0.95] * 3, image_std=[0.15] * 3
    )
    # Two strides of 4 leave 16 places of a picture of 64 pixels, and one is for their mean.
    images.image_seq_length = 17
    return transformers.Florence2Processor(images, tokenizer)


def _tokenizer() -> Any:
    """Byte pairs, learned from the prompts; any text can be read."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1400,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([f"Locate the field: {target}" for target in TARGETS], trainer)
    ends = [(token, SPECIAL.index(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return tokenizer


def _config(transformers: Any, processor: Any, dropout: float) -> Any:
    vision = {
        "depths": [1, 1],
        "patch_size": [7, 3],
        "patch_stride": [4, 4],
        "patch_padding": [3, 1],
        "patch_prenorm": [False, True],
        "embed_dim": [16, 32],
        "num_heads": [2, 4],
        "num_groups": [2, 4],
        "window_size": 4,
        "projection_dim": 64,
        "max_position_embeddings": 16,
        "drop_path_rate": dropout,
        "initializer_range": 0.3,
    }
    text = {
        "model_type": "bart",
        "vocab_size": len(processor.tokenizer),
        "d_model": 64,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 128,
        "decoder_ffn_dim": 128,
        "init_std": 0.2,
        "max_position_embeddings": 256,
        "dropout": dropout,
        "bos_token_id": SPECIAL.index("<s>"),
        "pad_token_id": SPECIAL.index("<pad>"),
        "eos_token_id": SPECIAL.index("</s>"),
        "decoder_start_token_id": SPECIAL.index("</s>"),
        "forced_eos_token_id": SPECIAL.index("</s>"),
    }
    return transformers.Florence2Config(
        vision_config=vision, text_config=text, image_token_id=processor.tokenizer.image_token_id
    )
