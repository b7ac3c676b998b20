"""The commands to one page, and the drawing and decoding of its frames."""

from __future__ import annotations

import base64
import io
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from .pipe import Answer, BrowserHung, Listener, PageGone, Pipe

Image = NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PLAIN_RGB = bytes((8, 2, 0, 0, 0))  # 8 bits, RGB, not interlaced
_UP = 2


def decoded(png: bytes) -> Image:
    """The pixels of a PNG: uint8 (height, width, 3).

    Chromium's fast encoder filters each line by the one above it, which is undone here a line at a time. Pillow decodes
    all other files.
    """
    header, data = b"", []
    for kind, content in _chunks(png):
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            data.append(content)
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    if header[8:] == _PLAIN_RGB:
        lines = np.frombuffer(zlib.decompress(b"".join(data), bufsize=height * (3 * width + 1)), np.uint8)
        lines = lines.reshape(height, 3 * width + 1)
        if (lines[:, 0] == _UP).all():
            return _summed(lines[:, 1:]).reshape(height, width, 3)
    return np.array(Pictures.open(io.BytesIO(png)).convert("RGB"))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = len(_SIGNATURE)
    while start < len(png):
        length = int.from_bytes(png[start : start + 4], "big")
        yield png[start + 4 : start + 8], png[start + 8 : start + 8 + length]
        start += 12 + length


def _summed(differences: Image) -> Image:
    """Each line added to those above it.

    A loop over lines is four times as fast as ``np.add.accumulate``.
    """
    pixels = np.empty(differences.shape, np.uint8)
    pixels[0] = differences[0]
    for line in range(1, len(pixels)):
        np.add(pixels[line - 1], differences[line], pixels[line])
    return pixels


Command = tuple[str, dict[str, Any]]

_PICTURE = {"format": "png", "optimizeForSpeed": True}
# While something is waited for frames are drawn at most this often, in seconds.
_FIRST_PAUSE, _PAUSE = 0.002, 0.016
# A frame that could not be photographed is drawn again.
_TRIES = 3


class PageSession:
    """One page that draws its frames by itself.

    Args:
        pipe: to the browser.
        name: of the session at this page.
        size: of the viewport: width and height in pixels.

    Attributes:
        listeners: functions of the method and the parameters of each event of the page.
    """

    target: ClassVar[dict[str, Any]] = {}
    """The parameters with which the page must be made."""

    switches: ClassVar[tuple[str, ...]] = ("--disable-frame-rate-limit",)
    """The switches with which the browser must be started."""

    def __init__(self, pipe: Pipe, name: str, size: tuple[int, int]) -> None:
        self._pipe = pipe
        self._name = name
        self.listeners: list[Listener] = []
        self._loaded: set[str] = set()
        self._crashed = False
        pipe.listeners[name] = self._on_event
        self.answers(self._preparations(*size))

    def answers(self, commands: Sequence[Command], acted: bool = False) -> list[Answer]:
        """Send the page commands and wait for all answers.

        Args:
            commands: methods of the protocol and their parameters.
            acted: whether they are input, most of which the page processes when it draws a frame.

        Raises:
            BrowserGone: if the browser has ended.
            PageGone: if the page has crashed.
            BrowserHung: if an answer did not come in time.
            CommandFailed: if the page refuses a command.
        """
        if self._crashed:
            raise PageGone("the page crashed")
        numbers = [self._pipe.post(method, params, self._name) for method, params in commands]
        try:
            self._wait(lambda: self._pipe.answered(numbers), acted)
            return [self._pipe.take(number) for number in numbers]
        finally:
            self._pipe.drop(numbers)

    def post(self, method: str, params: dict[str, Any]) -> None:
        """Add a command to those that are sent next; its answer is discarded."""
        self._pipe.post(method, params, self._name, keep_answer=False)

    def wait_for_load(self, loader: str) -> None:
        """Wait until the page that ``loader`` loads is loaded."""
        self._wait(lambda: loader in self._loaded, False)
        self._loaded.clear()

    def picture(self) -> Image:
        """The current picture of the page: uint8 (height, width, 3)."""
        options = _PICTURE | {"captureBeyondViewport": False, "fromSurface": True}
        return decoded(base64.b64decode(self.answers([("Page.captureScreenshot", options)])[0]["data"]))

    def close(self) -> None:
        """Stop listening to the page."""
        self._pipe.listeners.pop(self._name, None)

    def _preparations(self, width: int, height: int) -> list[Command]:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        return [
            ("Page.enable", {}),
            ("Page.setLifecycleEventsEnabled", {"enabled": True}),
            ("Emulation.setDeviceMetricsOverride", metrics),
            # Pages of several environments have the focus at once, each as if it were alone.
            ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
            ("Page.setInterceptFileChooserDialog", {"enabled": True}),
        ]

    def _wait(self, done: Callable[[], bool], acted: bool) -> None:
        self._pipe.wait(lambda: self._crashed or done())
        if self._crashed:
            raise PageGone("the page crashed")

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self._loaded.add(params["loaderId"])
        elif method == "Page.javascriptDialogOpening":
            # Nobody can see it, and it blocks the page until it is answered.
            self.post("Page.handleJavaScriptDialog", {"accept": True})
        elif method in ("Inspector.targetCrashed", "Inspector.detached"):
            self._crashed = True
        for listener in self.listeners:
            listener(method, params)


class FramedSession(PageSession):
    """One page of the headless shell that draws a frame only on request."""

    target: ClassVar[dict[str, Any]] = {"enableBeginFrameControl": True}
    switches: ClassVar[tuple[str, ...]] = (
        "--enable-begin-frame-control",
        "--run-all-compositor-stages-before-draw",
        "--disable-new-content-rendering-timeout",
        "--disable-threaded-animation",
        "--disable-threaded-scrolling",
        "--disable-checker-imaging",
    )

    def picture(self) -> Image:
        """The current picture of the page: uint8 (height, width, 3)."""
        for _ in range(_TRIES):
            data = self._draw(screenshot=_PICTURE).get("screenshotData")
            if data is not None:
                return decoded(base64.b64decode(data))
        # Frames are drawn for the browser, which may miss the picture before it reports that the page has crashed.
        self.answers([("Runtime.evaluate", {"expression": "0"})])
        raise PageGone("the page gave no picture")

    def _preparations(self, width: int, height: int) -> list[Command]:
        return [*super()._preparations(width, height), ("HeadlessExperimental.enable", {})]

    def _wait(self, done: Callable[[], bool], acted: bool) -> None:
        deadline, pause = time.monotonic() + self._pipe.timeout, _FIRST_PAUSE
        if acted:
            self._draw()
        while not self._pipe.wait(lambda: self._crashed or done(), pause):
            if time.monotonic() > deadline:
                raise BrowserHung(f"the page did not answer within {self._pipe.timeout:g} s")
            self._draw()
            pause = min(_PAUSE, 2 * pause)
        if self._crashed:
            raise PageGone("the page crashed")

    def _draw(self, **options: Any) -> Answer:
        """Draw a frame of the current page."""
        frame = self._pipe.post("HeadlessExperimental.beginFrame", options, self._name)
        super()._wait(lambda: self._pipe.answered([frame]), False)
        return self._pipe.take(frame)
