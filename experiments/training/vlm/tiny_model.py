"""A tiny vision-language model with random weights, to try a training run without a download."""

from __future__ import annotations

from typing import Any

_BYTES_BEFORE_TEXT = ["<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>", "<global-img>"]
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
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        Idefics3Config,
        Idefics3ForConditionalGeneration,
        Idefics3ImageProcessorPil,
        Idefics3Processor,
        LlamaConfig,
        PreTrainedTokenizerFast,
    )

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*_BYTES_BEFORE_TEXT, *alphabet]
    inner = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token=tokens[0],
        eos_token=tokens[1],
        pad_token=tokens[0],
        additional_special_tokens=tokens[2:5],
        padding_side="left",
    )
    pictures = Idefics3ImageProcessorPil(
        size={"longest_edge": _PICTURE}, max_image_size={"longest_edge": _PICTURE}, do_image_splitting=False
    )
    tokens_per_picture = (_PICTURE // _PATCH // _SCALE) ** 2
    processor = Idefics3Processor(pictures, tokenizer, image_seq_len=tokens_per_picture, chat_template=_TEMPLATE)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    # Large weights: with the usual ones so small a model learns slowly.
    size["initializer_range"] = 0.1
    text = LlamaConfig(
        **size,
        num_key_value_heads=2,
        vocab_size=len(tokenizer),
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=0,
    )
    config = Idefics3Config(
        text_config=text,
        vision_config={**size, "image_size": _PICTURE, "patch_size": _PATCH},
        scale_factor=_SCALE,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=0,
    )
    torch.manual_seed(seed)
    return Idefics3ForConditionalGeneration(config), processor
