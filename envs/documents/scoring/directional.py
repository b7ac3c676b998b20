"""Directional similarity: whether a picture changed as its description did.

After the directional loss of StyleGAN-NADA (Gal et al. 2022), as InstructPix2Pix uses it for edits (Brooks et al. 2023,
section 3.1.2): the cosine of the difference of two pictures' embeddings and the difference of their captions'. Small
edits of large pages are lost in it, so it is measured in the box of the change, too. What it says depends on the
encoder, whose name goes with the metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...core.boxes import Rect
from ...core.painting import Image
from ..operations.values import colour_name, ink_of
from ..painting.pictures import EMBEDDED
from ..scene.document import ORDER, Document, Page, changes, fields_of
from ..scene.elements import Element

Embeddings = NDArray[np.float32]
"""A row for each picture or text."""

_INSTALL = "pip install 'formgym[clip]'"
_NOTHING = 1e-9


class ImageTextEncoder(Protocol):
    """An encoder of pictures and texts into one space."""

    @property
    def name(self) -> str:
        """The name of the encoder, reported with its metrics."""
        ...

    def images(self, pictures: Sequence[Image]) -> Embeddings:
        """Embeddings of pictures, each uint8 (height, width, 3): float32 (n, d)."""
        ...

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """Embeddings of texts: float32 (n, d)."""
        ...


class ClipEncoder:
    """CLIP, or a similar model of transformers, from a local folder.

    Args:
        path: a folder with the model and its processor, as ``save_pretrained`` writes them.
        device: where it runs, as torch names it.

    Raises:
        ValueError: if torch or transformers is not installed, or the folder has no such model.
    """

    def __init__(self, path: Path, device: str = "cpu") -> None:
        try:
            self._torch: Any = import_module("torch")
            transformers: Any = import_module("transformers")
        except ImportError as error:
            raise ValueError(f"directional similarity by CLIP needs {error.name}: {_INSTALL}") from None
        if not (path / "config.json").is_file():
            raise ValueError(f"{path} is no folder with a model: it has no config.json")
        try:
            # Otherwise transformers would ask whether to run the code that lies beside the weights.
            safely = {"local_files_only": True, "trust_remote_code": False}
            self._model = transformers.AutoModel.from_pretrained(str(path), **safely).eval().to(device)
            self._processor = transformers.AutoProcessor.from_pretrained(str(path), **safely)
            self._max_length = self._model.config.text_config.max_position_embeddings
            self._encode = self._model.get_image_features, self._model.get_text_features
        except (ImportError, OSError, ValueError, KeyError, AttributeError, RuntimeError) as error:
            raise ValueError(f"{path} holds no CLIP-like model with its processor: {error}") from error
        self._device = device
        self.name = f"clip:{path.resolve().name}"

    def images(self, pictures: Sequence[Image]) -> Embeddings:
        """Embeddings of pictures, padded to squares because CLIP crops to the middle."""
        squares = [PillowImage.fromarray(_squared(picture)) for picture in pictures]
        return self._embedded(self._encode[0], self._processor.image_processor(squares, return_tensors="pt"))

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """Embeddings of texts, truncated to the model's length."""
        lengths = {"padding": "max_length", "truncation": True, "max_length": self._max_length}
        return self._embedded(self._encode[1], self._processor.tokenizer(list(texts), return_tensors="pt", **lengths))

    def _embedded(self, encode: Any, inputs: Any) -> Embeddings:
        with self._torch.inference_mode():
            found = encode(**inputs.to(self._device))
        # Since transformers 5 a model's output, before it the embeddings themselves.
        rows: Embeddings = getattr(found, "pooler_output", found).float().cpu().numpy()
        return rows


def directional_metrics(
    encoder: ImageTextEncoder, before: Image, after: Image, box: Rect | None, caption_before: str, caption_after: str
) -> dict[str, float | str]:
    """Compare the direction of an edit with that of the expected one.

    Args:
        encoder: of pictures and texts.
        before: the page before the edit: uint8 (height, width, 3).
        after: the page after it, of the same size.
        box: of what the edit changed (``changed_box``); ``None``: nothing.
        caption_before: what the page shows before the expected edit; see ``captions``.
        caption_after: what it should show after it.

    Returns:
        ``encoder``: its name. ``directional_similarity`` and ``directional_similarity_boxed``, of the page and of the
        box alone: from -1 to 1; 0 if nothing changed. They are left out if the captions are the same to the encoder,
        for there is no direction then.

    Raises:
        ValueError: if the pages differ in size.
    """
    if before.shape != after.shape:
        raise ValueError(f"pages of one size are compared; these have {before.shape[:2]} and {after.shape[:2]}")
    metrics: dict[str, float | str] = {"encoder": encoder.name}
    expected = _direction(encoder.texts([caption_before, caption_after]))
    if np.linalg.norm(expected) < _NOTHING:
        return metrics
    views = {"directional_similarity": (before, after)}
    left, top, right, bottom = box or (0, 0, 0, 0)
    crops = before[top:bottom, left:right], after[top:bottom, left:right]
    for name, pictures in {**views, "directional_similarity_boxed": crops}.items():
        made = _direction(encoder.images(pictures)) if box is not None else np.zeros_like(expected)
        lengths = np.linalg.norm(made) * np.linalg.norm(expected)
        metrics[name] = float(np.clip(made @ expected / lengths, -1, 1)) if lengths > _NOTHING**2 else 0.0
    return metrics


def _direction(embeddings: Embeddings) -> NDArray[np.float64]:
    """The difference of two embeddings, both scaled to length 1."""
    rows = embeddings.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    before, after = rows / np.maximum(lengths, _NOTHING)
    direction: NDArray[np.float64] = after - before
    return direction


def _squared(picture: Image) -> Image:
    """A picture in the middle of a white square."""
    height, width = picture.shape[:2]
    side = max(height, width)
    square = np.full((side, side, 3), 255, np.uint8)
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = picture
    return square


_MAX_TEXT = 80
"""The maximum length of a quoted text, around the place where it differs."""


def captions(before: Document, after: Document) -> tuple[str, str]:
    """Captions of two documents that describe the elements which differ.

    Such a caption is ``a poster with text 'Live in June', black, bold``. Both captions describe the look of each
    changed element, and its place or size if that changed. If nothing differs, both are ``a poster`` (or another kind).

    Args:
        before: the document before the edit.
        after: the document after it; for directional similarity, the expected one.
    """
    fields: dict[str, list[str]] = {}
    for name, field in changes(before, after):
        fields.setdefault(name, []).append(field)
    both = [_phrases(before, after, name, changed) for name, changed in fields.items()]
    visible = [[pair[side] for pair in both if pair[side]] for side in (0, 1)]
    start = before.kind
    if not start.endswith("s"):
        start = f"{'an' if start[0].lower() in 'aeiou' else 'a'} {start}"
    first, second = (f"{start} with {'; '.join(phrases)}" if phrases else start for phrases in visible)
    return first, second


def _phrases(before: Document, after: Document, name: str, changed: Sequence[str]) -> tuple[str, str]:
    """The phrases for an element in both documents; "" where it does not exist."""
    old, new = before.find(name), after.find(name)
    if old is None or new is None:
        return (_looks(old, "") if old else ""), (_looks(new, "") if new else "")
    words = [
        [
            _looks(one, other.text),
            *(_FIELD_WORDS[field](one, document.pages[0]) for field in changed if field in _FIELD_WORDS),
        ]
        for one, other, document in ((old, new, before), (new, old, after))
    ]
    if words[0] == words[1]:
        # Words are coarse: two greys are both grey, and most places on a page are in its middle.
        for words_of_one, element, document in zip(words, (old, new), (before, after), strict=True):
            words_of_one += [_exact_value(element, document, field) for field in changed]
    return ", ".join(filter(None, words[0])), ", ".join(filter(None, words[1]))


def _looks(element: Element, other_text: str) -> str:
    """An element's type, text, colour and style."""
    style, ink = element.style, ink_of(element)
    words = [
        f"{_kind(element)} '{_excerpt(element.text, other_text)}'" if element.text.strip() else _kind(element),
        colour_name(ink) if ink else "",
        *(word for word in ("bold", "italic") if getattr(style, word) and element.text),
        "underlined" if style.underline and element.text else "",
        "struck through" if style.strike and element.text else "",
    ]
    return ", ".join(filter(None, words))


def _kind(element: Element) -> str:
    if element.type == "shape":
        return "oval" if element.shape == "ellipse" else str(element.shape)
    if element.type != "image" or str(element.asset).startswith(EMBEDDED):
        return {"image": "picture"}.get(element.type, element.type)
    kind, name = str(element.asset).split("/")[:2]
    return f"{'icon' if kind == 'icon' else 'picture'} of {name.replace('_', ' ')}"


def _excerpt(text: str, other: str) -> str:
    """A text; of a long one, the part where it begins to differ from another text."""
    common = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, common - _MAX_TEXT // 4) if len(text) > _MAX_TEXT and other != text else 0
    return " ".join(text[start : start + _MAX_TEXT].split())


def _place(element: Element, page: Page) -> str:
    across, down = (
        words[min(max(int(3 * at / length), 0), 2)]
        for at, length, words in zip(
            element.centre, (page.width, page.height), (("left", "", "right"), ("top", "", "bottom")), strict=True
        )
    )
    return f"at the {' '.join(filter(None, (down, across)))}" if across or down else "in the middle"


_FIELD_WORDS: dict[str, Any] = {
    "position": _place,
    "size": lambda element, page: f"{element.bbox[2]} pixels wide and {element.bbox[3]} high",
    "angle": lambda element, page: f"turned by {element.angle:g} degrees" if element.angle else "upright",
    "opacity": lambda element, page: f"{element.opacity:.0%} opaque",
    "style.size": lambda element, page: f"in letters of {element.style.size} pixels",
    "style.face": lambda element, page: f"in {element.style.face}",
    "style.align": lambda element, page: {"center": "centred"}.get(
        element.style.align, f"aligned to the {element.style.align}"
    ),
    "style.stroke": lambda element, page: _on("outline", element.style.stroke),
    "style.fill": lambda element, page: _on("filling", element.style.fill),
    "style.stroke_width": lambda element, page: f"lines of {element.style.stroke_width} pixels",
}
"""The phrase for an element whose field changed."""


def _on(part: str, colour: Any) -> str:
    return f"{colour_name(colour)} {part}" if colour else f"no {part}"


def _exact_value(element: Element, document: Document, field: str) -> str:
    """A field and its exact value."""
    if field == ORDER:
        page, layer = document.places[element.id]
        return f"layer {layer + 1} of {len(document.pages[page].elements)}"
    return f"{field.removeprefix('style.').replace('_', ' ')} {fields_of(element)[field]}"
