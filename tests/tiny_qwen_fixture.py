"""A tiny Qwen3-VL with random weights and a tokenizer of bytes: its chat template has tools with pictures."""

from pathlib import Path
from types import SimpleNamespace

import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2VLImageProcessorPil,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
)

_MARKS = "endoftext im_start im_end vision_start vision_end image_pad video_pad".split()
_TOOLS = [f"<{slash}{name}>" for name in ("tool_call", "tool_response", "think") for slash in ("", "/")]
_TEMPLATE = Path(trl.__file__).parent / "chat_templates/qwen3_vl.jinja"


class _Processor(Qwen3VLProcessor):
    """Without a video processor, which needs torchvision."""

    def check_argument_for_proper_class(self, name, argument):
        return None


def tiny_qwen():
    """The model and its processor."""
    marks = [f"<|{mark}|>" for mark in _MARKS]
    vocabulary = [*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    inner = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(vocabulary)}, merges=[]))
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=marks[1:],
        padding_side="left",
    )
    tokenizer.add_tokens(_TOOLS)
    tokenizer.chat_template = _TEMPLATE.read_text()
    images = Qwen2VLImageProcessorPil(patch_size=16, merge_size=2, min_pixels=32 * 32, max_pixels=128 * 128)
    video = SimpleNamespace(merge_size=2, temporal_patch_size=2, model_input_names=[])
    processor = _Processor(images, tokenizer, video, chat_template=tokenizer.chat_template)
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3], "mrope_interleaved": True}
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": 8192,
            "rope_parameters": rope,
            "pad_token_id": 0,
            "eos_token_id": 2,
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "patch_size": 16,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": 64,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        **{f"{name}_token_id": i for i, name in enumerate(("vision_start", "vision_end", "image", "video"), start=3)},
    )
    return Qwen3VLForConditionalGeneration(config), processor
