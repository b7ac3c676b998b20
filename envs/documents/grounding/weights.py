"""Weights: what each feature of an element counts when words are to be understood."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load
from .ranking import Weights

LEARNED = ROOT / "document_models" / "ranker.json"
"""The weights that were learned on the train split."""
_HAND_SET = MappingProxyType(
    {
        "same name": 8.0,
        "same unpaged": 2.0,
        "name in words": 3.0,
        "name in anchor": -1.0,
        "like name": 2.0,
        "words of name": 3.0,
        "text in words": 4.0,
        "words of text": 1.0,
        "same text": 5.0,
        "begins": 1.5,
        "ends": 1.5,
        "holds": 2.0,
        "like text": 1.5,
        "quoted name": 4.0,
        "kind": 2.5,
        "loose kind": 1.0,
        "other kind": -2.0,
        "group": -1.5,
        "colour": 2.0,
        "near colour": 1.5,
        "other colour": -1.5,
        "style": 2.0,
        "other style": -2.0,
        "other page": -5.0,
        "ordinal": 4.0,
        "place": 3.0,
        "towards": 1.0,
        "related": 1.5,
        "nearest": 3.0,
        "near": 2.0,
        "not related": -2.0,
        "anchor": -4.0,
        "fits": 1.5,
        "hidden": -2.0,
        "wide": -0.5,
    }
)


class _Weights(RootModel[dict[str, float]]):
    """Weights by the names of features."""


def hand_set_weights() -> Weights:
    """Weights that were set by hand."""
    return _HAND_SET


@lru_cache(maxsize=1)
def learned_weights() -> Weights:
    """Weights that were learned, shipped.

    Raises:
        ValueError: if the file is missing or broken.
    """
    return MappingProxyType(load(_Weights, LEARNED).root)
