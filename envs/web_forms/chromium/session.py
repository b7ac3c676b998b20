"""What is said to one page, and how its frames come about: by themselves, or drawn when they are asked for."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .errors import BrowserHung, PageGone
from .pipe import Answer, Pipe
from .png import Image, decoded

Command = tuple[str, dict[str, Any]]

_PICTURE = {"format": "png", "optimizeForSpeed": True}
# While something is waited for frames are drawn at most this often, in seconds.
_FIRST_PAUSE, _PAUSE = 0.002, 0.016
# A frame that could not be photographed is drawn again.
_TRIES = 3


class Session:
    """One page that draws its frames by itself.

    Args:
        pipe: to the browser.
        name: of the session at this page.
        size: of the viewport: width and height in pixels.
    """

    target: ClassVar[dict[str, Any]] = {}
    """What the page must be made with."""

    switches: ClassVar[tuple[str, ...]] = ("--disable-frame-rate-limit",)
    """What the browser must be started with."""

    def __init__(self, pipe: Pipe, name: str, size: tuple[int, int]) -> None:
        self._pipe = pipe
        self._name = name
        self._loaded: set[str] = set()
        self._crashed = False
        pipe.listeners[name] = self._notice
        self.answers(self._preparations(*size))

    def answers(self, commands: Sequence[Command], acted: bool = False) -> list[Answer]:
        """Send the page commands and wait for all answers.

        Args:
            commands: methods of the protocol and their parameters.
            acted: whether they are input, most of which the page takes in when it draws a frame.

        Raises:
            BrowserGone: if the browser has ended.
            PageGone: if the page has crashed.
            BrowserHung: if not all was answered in time.
            CommandFailed: if an answer is a refusal.
        """
        if self._crashed:
            raise PageGone("the page crashed")
        numbers = [self._pipe.post(method, params, self._name) for method, params in commands]
        try:
            self._wait(lambda: self._pipe.answered(numbers), acted)
            return [self._pipe.take(number) for number in numbers]
        finally:
            self._pipe.drop(numbers)

    def wait_for_load(self, loader: str) -> None:
        """Wait until the page that ``loader`` loads is loaded."""
        self._wait(lambda: loader in self._loaded, False)
        self._loaded.clear()

    def picture(self) -> Image:
        """What the page shows now, with all that was answered: uint8 (height, width, 3)."""
        asked = _PICTURE | {"captureBeyondViewport": False, "fromSurface": True}
        return decoded(base64.b64decode(self.answers([("Page.captureScreenshot", asked)])[0]["data"]))

    def close(self) -> None:
        """Hear no more of the page."""
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

    def _notice(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self._loaded.add(params["loaderId"])
        elif method == "Page.javascriptDialogOpening":
            # Nobody can see it, and the page stands still until it is answered.
            self._pipe.post("Page.handleJavaScriptDialog", {"accept": True}, self._name, heed=False)
        elif method in ("Inspector.targetCrashed", "Inspector.detached"):
            self._crashed = True


class FramedSession(Session):
    """One page of the headless shell that draws a frame when it is told to, and only then."""

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
        """What the page shows now, with all that was answered: uint8 (height, width, 3)."""
        for _ in range(_TRIES):
            data = self._draw(screenshot=_PICTURE).get("screenshotData")
            if data is not None:
                return decoded(base64.b64decode(data))
        # Frames are drawn for the browser, which may miss the picture before it tells that the page has crashed.
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

    def _draw(self, **asked: Any) -> Answer:
        """Draw a frame of all that the page has become."""
        frame = self._pipe.post("HeadlessExperimental.beginFrame", asked, self._name)
        super()._wait(lambda: self._pipe.answered([frame]), False)
        return self._pipe.take(frame)
