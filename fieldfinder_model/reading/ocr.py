"""Read the words of a page with RapidOCR.

Its models come in its wheel (PP-OCR, Apache 2.0).
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from ...envs.core.painting import Gray
from ...envs.paper_forms.examples import Word
from ..processors import threads

_DETECTION, _LARGE = 1000, 1600
"""The longer side of the picture for text detection, in pixels: twice as long finds little more at four times the cost.

Pages longer than ``_LARGE`` have that size: small print on them would be too small to be found.
"""
_RECOGNITION = [3, 48, 64]
"""Channels, height and minimum width of the recogniser's input: short labels are not padded to 320."""


@lru_cache(maxsize=2)
def _engine(side: int) -> Any:
    if importlib.util.find_spec("rapidocr") is None:
        raise ImportError("FieldFinder reads pages by RapidOCR: pip install 'formgym[fieldfinder]'")
    from rapidocr import RapidOCR

    cv2.setNumThreads(threads())
    return RapidOCR(
        params={
            "Det.limit_side_len": side,
            "Det.limit_type": "max",
            "Global.use_cls": False,
            "Global.log_level": "error",
            "Global.max_side_len": 4000,
            "Rec.rec_img_shape": _RECOGNITION,
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads(),
        }
    )


def ocr_words(gray: Gray) -> list[Word]:
    """The words of a page, in the order of the detected lines.

    Args:
        gray: uint8 (height, width).

    Raises:
        ImportError: if RapidOCR is not installed.
    """
    side = _LARGE if max(gray.shape) > _LARGE else _DETECTION
    found = _engine(side)(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), use_cls=False, return_word_box=True)
    if found.boxes is None:
        return []
    words = [word for line in found.word_results or () if isinstance(line, tuple) for word in line]
    if words and all(len(word) == 3 and word[2] is not None for word in words):
        return [Word(text, _upright(corners)) for text, _, corners in words if text.strip()]
    # RapidOCR returns no words at all if it cannot split one of the lines.
    return [word for text, corners in zip(found.txts, found.boxes, strict=True) for word in _split(text, corners)]


def _split(text: str, corners: Sequence[Sequence[float]]) -> Iterator[Word]:
    """The words of a line, with widths in proportion to their letters."""
    left, top, right, bottom = _upright(corners)
    step = (right - left) / max(len(text), 1)
    for word in re.finditer(r"\S+", text):
        yield Word(word.group(), (left + step * word.start(), top, left + step * word.end(), bottom))


def _upright(corners: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    points = np.asarray(corners, np.float64)
    left, top = points.min(axis=0)
    right, bottom = points.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
