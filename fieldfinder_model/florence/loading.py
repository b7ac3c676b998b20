"""Load Florence-2 from a local folder and make its inputs.

Nothing is downloaded, and no code from the folder is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image as PillowImage

from ...envs.core.files import parse_json
from .box_tokens import BINS, location_token

_GET = "hf download florence-community/Florence-2-large --local-dir {path}"
_UNREADABLE = (ImportError, OSError, ValueError, KeyError, AttributeError, TypeError, RuntimeError)


class Florence(NamedTuple):
    """A model and its processor.

    Attributes:
        model: a ``Florence2ForConditionalGeneration`` of transformers.
        processor: a ``Florence2Processor``.
    """

    model: Any
    processor: Any


def load_florence(path: Path, device: str | None = None) -> Florence:
    """Load Florence-2 in float32, as saved by transformers' ``save_pretrained``.

    Args:
        path: the folder of the model and its processor.
        device: torch's name of the device for the model; ``None``: a GPU if there is one.

    Raises:
        ValueError: if torch or transformers is not installed, or the folder holds no such model, or one that needs
            remote code; the message says how to get one.
    """
    torch, transformers = needed("torch"), needed("transformers")
    try:
        _check_kind(path)
        model, report = transformers.Florence2ForConditionalGeneration.from_pretrained(
            str(path), local_files_only=True, use_safetensors=True, output_loading_info=True, dtype=torch.float32
        )
        processor = transformers.Florence2Processor.from_pretrained(
            str(path), local_files_only=True, trust_remote_code=False
        )
        _check_parts(report, processor.tokenizer)
    except (*_UNREADABLE, needed("safetensors").SafetensorError) as error:
        raise ValueError(
            f"{path} holds no Florence-2 with its processor: {error}. Get the weights in the form that transformers "
            f"itself reads, for example: {_GET.format(path=path)}"
        ) from error
    return Florence(model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")), processor)


def needed(name: str) -> Any:
    """Import an optional library.

    Raises:
        ValueError: if it is not installed; the message says how to get it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"Florence-2 needs {error.name}: pip install 'formgym[train]'") from None


def _check_kind(path: Path) -> None:
    """Read the kind of a model: transformers' errors about other kinds are unclear."""
    config = parse_json((path / "config.json").read_bytes(), "config.json")
    kinds = config["model_type"], config["text_config"]["model_type"]
    if kinds != ("florence2", "bart"):
        raise ValueError(f"a model of kind {kinds[0]!r} over {kinds[1]!r} is not 'florence2' over 'bart'")


def _check_parts(report: dict[str, Any], tokenizer: Any) -> None:
    """Check that no weights and no location tokens are missing, which transformers makes up."""
    if wrong := sorted(map(str, {*report["missing_keys"], *report["mismatched_keys"]})):
        raise ValueError(f"weights are missing, {', '.join(wrong[:3])} among them")
    ends = {tokenizer.convert_tokens_to_ids(location_token(number)) for number in (0, BINS - 1)}
    if len(ends - {tokenizer.unk_token_id, None}) != 2:
        raise ValueError(f"the tokenizer has no tokens <loc_0> to <loc_{BINS - 1}>")


def pixels(processor: Any, pages: Sequence[PillowImage.Image]) -> Any:
    """Pages as float32 (n, 3, height, width), resized as the processor requires.

    Args:
        processor: a ``Florence2Processor``.
        pages: RGB, of any sizes.
    """
    return processor.image_processor(list(pages), return_tensors="pt")["pixel_values"]


def prompt_tokens(processor: Any, prompts: Sequence[str]) -> dict[str, Any]:
    """Prompts as ``processor(text=..., images=...)`` makes them, without the pages.

    So a page with many targets is encoded once. Padding follows a prompt and is masked.

    Returns:
        ``input_ids`` and ``attention_mask``, int64 (n, longest prompt): places for the picture, the words, the end.
    """
    tokenizer = processor.tokenizer
    before = processor.image_token * processor.num_image_tokens + tokenizer.bos_token
    texts = [before + text + tokenizer.eos_token for text in prompts]
    tokens = tokenizer(texts, add_special_tokens=False, padding=True, padding_side="right", return_tensors="pt")
    return {name: tokens[name] for name in ("input_ids", "attention_mask")}
