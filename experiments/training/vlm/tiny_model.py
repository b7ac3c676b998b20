"""A tiny vision-language model with random weights, to try a training run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MARKS = ["<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>", "<global-img>"]
_PICTURE, _PATCH, _SCALE = 128, 16, 4
_TEMPLATE = (
    "<|im_start|>{% for message in messages %}{{ message['role'] | capitalize }}:"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %} {{ part['text'] }}{% endif %}"
    "{% endfor %}<end_of_utterance>\n{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)


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
