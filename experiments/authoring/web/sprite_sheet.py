"""A sheet of small pictures: each is kept once, in rows of one large picture."""

from __future__ import annotations

import numpy as np

from ....envs.core.painting import Image


class Sheet:
    """Small pictures, numbered as they come; equal ones share a number."""

    _WIDTH = 1024

    def __init__(self) -> None:
        self._numbers: dict[tuple[tuple[int, ...], bytes], int] = {}
        self._pictures: list[Image] = []

    def add(self, picture: Image) -> int:
        """The number of a picture: uint8 (height, width, 3)."""
        key = picture.shape, picture.tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self._pictures)
            self._pictures.append(picture)
        return self._numbers[key]

    def packed(self) -> tuple[Image, list[tuple[int, int, int, int]]]:
        """All pictures in one, and where each is: left, top, width, height."""
        places = self._places()
        height = max((y + h for _, y, _, h in places), default=1)
        width = max((x + w for x, _, w, _ in places), default=1)
        sheet = np.zeros((height, width, 3), np.uint8)
        for (x, y, w, h), picture in zip(places, self._pictures, strict=True):
            sheet[y : y + h, x : x + w] = picture
        return sheet, places

    def _places(self) -> list[tuple[int, int, int, int]]:
        """Rows of pictures of like height, the tallest first."""
        places: dict[int, tuple[int, int, int, int]] = {}
        x = y = row = 0
        for i in sorted(range(len(self._pictures)), key=lambda i: (-self._pictures[i].shape[0], i)):
            h, w = self._pictures[i].shape[:2]
            if x and x + w > self._WIDTH:
                x, y, row = 0, y + row, 0
            places[i] = x, y, w, h
            x, row = x + w, max(row, h)
        return [places[i] for i in range(len(self._pictures))]
