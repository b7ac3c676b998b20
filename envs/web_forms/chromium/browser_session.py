"""The commands to one page, and the drawing of its frames."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from PIL import Image as Pictures

from .frame_buffer import UNMARKED, FrameBuffer, Image
from .pipe import Answer, BrowserHung, Listener, PageGone, Pipe

Command = tuple[str, dict[str, Any]]

_PICTURE = {"format": "png", "optimizeForSpeed": True}
_RESIZE = "Emulation.setDeviceMetricsOverride"
# While something is waited for frames are drawn at most this often, in seconds.
_FIRST_PAUSE, _PAUSE = 0.002, 0.016
# Frames that a picture waits for while each differs from the last, as those of an animation do.
_SETTLING = 3
# Pages and popups come from other processes: frames that they are waited for, without a change, and seconds between.
_MAX_FRAMES, _STILL_FRAMES, _FRAME_PAUSE = 40, 6, 0.008


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
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.answers(
            [
                ("Page.enable", {}),
                ("Page.setLifecycleEventsEnabled", {"enabled": True}),
                (_RESIZE, metrics),
                # Pages of several environments have the focus at once, each as if it were alone.
                ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
                ("Page.setInterceptFileChooserDialog", {"enabled": True}),
            ]
        )

    def answers(self, commands: Sequence[Command], acted: bool = False) -> list[Answer]:
        """Send the page commands and wait for all answers.

        Args:
            commands: methods of the protocol and their parameters.
            acted: whether they are input that the page processes when it draws a frame.

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
        self._pipe.post(method, params, self._name, kept=False)

    def wait_for_load(self, loader: str) -> None:
        """Wait until the page that ``loader`` loads is loaded."""
        self._wait(lambda: loader in self._loaded, False)
        self._loaded.clear()

    def settle(self, is_covered: bool = False) -> None:
        """Wait until a page that has just opened shows, or a native popup that opened, changed or closed.

        Args:
            is_covered: whether a popup is open.
        """

    def picture(self) -> Image:
        """The current picture of the page: uint8 (height, width, 3), read-only."""
        options = _PICTURE | {"captureBeyondViewport": False, "fromSurface": True}
        return decoded(self.answers([("Page.captureScreenshot", options)])[0]["data"])

    def close(self) -> None:
        """Stop listening to the page."""
        self._pipe.listeners.pop(self._name, None)

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
    """One page of the headless shell that draws a frame only on request, and whose frames are read from memory."""

    target: ClassVar[dict[str, Any]] = {"enableBeginFrameControl": True}
    switches: ClassVar[tuple[str, ...]] = (
        "--enable-begin-frame-control",
        "--run-all-compositor-stages-before-draw",
        "--disable-new-content-rendering-timeout",
        "--disable-threaded-animation",
        "--disable-threaded-scrolling",
        "--disable-checker-imaging",
    )

    def __init__(self, pipe: Pipe, name: str, size: tuple[int, int]) -> None:
        self._frames: FrameBuffer | None = None
        self._is_damaged, self._is_covered = True, False
        self._last: Image = np.empty((0, 0, 3), np.uint8)
        super().__init__(pipe, name, size)
        self.answers([("HeadlessExperimental.enable", {})])
        processes = pipe.call("SystemInfo.getProcessInfo")["processInfo"]
        pid = next(process["id"] for process in processes if process["type"] == "GPU")
        with suppress(LookupError, OSError):
            self._frames = FrameBuffer(pid, size, self._show)
        self._show(UNMARKED)

    def answers(self, commands: Sequence[Command], acted: bool = False) -> list[Answer]:
        """Send the page commands and wait for all answers; see ``PageSession.answers``."""
        if self._frames is not None and any(method == _RESIZE for method, _ in commands):
            # Frames of another size lie elsewhere.
            self._frames.close()
            self._frames = None
        return super().answers(commands, acted)

    def settle(self, is_covered: bool = False) -> None:
        """Wait until pages and popups show; see ``PageSession.settle``."""
        still, self._is_covered = 0, is_covered
        for _ in range(_MAX_FRAMES):
            still = 0 if self._draw()["hasDamage"] else still + 1
            if still == _STILL_FRAMES:
                break
            time.sleep(_FRAME_PAUSE)
        self._is_damaged = True

    def picture(self) -> Image:
        """The current picture of the page: uint8 (height, width, 3), read-only."""
        if self._frames is None:
            return self._png()
        for _ in range(_SETTLING):
            if not self._draw()["hasDamage"]:
                break
        if self._is_damaged:
            self._last = self._frames.picture()
            self._is_damaged = False
        return self._last

    def close(self) -> None:
        """Stop listening to the page, and release its frames."""
        super().close()
        if self._frames is not None:
            self._frames.close()

    def _png(self) -> Image:
        # A frame with a popup over it cannot be photographed.
        for _ in range(_SETTLING):
            data = None if self._is_covered else self._draw(screenshot=_PICTURE).get("screenshotData")
            if data is not None:
                self._last = decoded(data)
            if data is not None or self._is_covered:
                return self._last
        # Frames are drawn for the browser, which may miss the picture before it reports that the page has crashed.
        self.answers([("Runtime.evaluate", {"expression": "0"})])
        raise PageGone("the page gave no picture")

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

    def _show(self, script: str) -> None:
        self.answers([("Runtime.evaluate", {"expression": script})])
        while self._draw()["hasDamage"]:
            continue

    def _draw(self, **options: Any) -> Answer:
        """Draw a frame of the current page."""
        frame = self._pipe.post("HeadlessExperimental.beginFrame", options, self._name)
        super()._wait(lambda: self._pipe.answered([frame]), False)
        answer = self._pipe.take(frame)
        self._is_damaged |= answer["hasDamage"]
        return answer


def decoded(data: str) -> Image:
    """The pixels of a picture in base64: uint8 (height, width, 3), read-only."""
    pixels = np.array(Pictures.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))
    pixels.flags.writeable = False
    return pixels
