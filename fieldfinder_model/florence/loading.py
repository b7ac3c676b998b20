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

INSTALL = "pip install 'formgym[train]'"
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
        ValueError: if torch or transformers is not installed, or the folder holds no such model; the message says how
            to get one.
    """
    torch, transformers = needed("torch"), needed("transformers")
    check_folder(path)
    try:
        model, report = transformers.Florence2ForConditionalGeneration.from_pretrained(
            str(path), local_files_only=True, use_safetensors=True, output_loading_info=True, dtype=torch.float32
        )
        processor = transformers.Florence2Processor.from_pretrained(str(path), local_files_only=True)
    except (*_UNREADABLE, needed("safetensors").SafetensorError) as error:
        raise ValueError(f"{path} holds no Florence-2 with its processor: {error}. {_how(path)}") from error
    _check_weights(path, report, processor)
    return Florence(model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")), processor)


def needed(name: str) -> Any:
    """Import an optional library.

    Raises:
        ValueError: if it is not installed; the message says how to get it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"Florence-2 needs {error.name}: {INSTALL}") from None


def check_folder(path: Path) -> None:
    """Raise clear errors where those of transformers are unclear.

    Raises:
        ValueError: if there is no folder, or it holds another model or one that needs remote code; the message says how
            to get a model.
    """
    if not path.is_dir():
        raise ValueError(f"there is no folder {path}. {_how(path)}")
    try:
        config = parse_json((path / "config.json").read_bytes(), "config.json")
        kinds = [config["model_type"], config["text_config"]["model_type"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        words = f"{path} holds no Florence-2: its config.json is missing or of no use ({error!r})"
        raise ValueError(f"{words}. {_how(path)}") from None
    if kinds != ["florence2", "bart"]:
        words = f"{path} holds a model of kind {kinds[0]!r} over {kinds[1]!r}, not 'florence2' over 'bart'"
        raise ValueError(f"{words}; weights in the form that needs remote code cannot be used. {_how(path)}")


def _check_weights(path: Path, report: dict[str, Any], processor: Any) -> None:
    wrong = sorted(map(str, {*report["missing_keys"], *report["mismatched_keys"]}))
    if wrong:
        raise ValueError(f"{path} lacks weights that Florence-2 has, {', '.join(wrong[:3])} among them. {_how(path)}")
    tokenizer = processor.tokenizer
    ends = {tokenizer.convert_tokens_to_ids(location_token(number)) for number in (0, BINS - 1)}
    if len(ends - {tokenizer.unk_token_id, None}) != 2:
        raise ValueError(f"the tokenizer in {path} has no tokens <loc_0> to <loc_{BINS - 1}>. {_how(path)}")


def _how(path: Path) -> str:
    return f"Get the weights in the form that transformers itself reads, for example: {_GET.format(path=path)}"


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
