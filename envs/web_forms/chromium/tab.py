"""One page in a browser: actions on it, and its frames."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol, Self

import numpy as np
from PIL import Image as Pictures

from .frame_buffer import UNMARKED, FrameBuffer, Image
from .key_codes import pressed, typed
from .pipe import Answer, BrowserError, BrowserHung, CommandFailed, Listener, PageGone, Pipe, ScriptFailed
from .select_popup import POPUP_SCRIPT, key_towards

Command = tuple[str, dict[str, Any]]

# Characters typed before their acknowledgements are awaited.
_BATCH = 100
# While something is waited for frames are drawn at most this often, in seconds.
_FIRST_PAUSE, _PAUSE = 0.002, 0.016
# Frames that a picture waits for while each differs from the last, as those of an animation do.
_SETTLING = 3
# Pages and popups come from other processes: frames that they are waited for, without a change, and seconds between.
_MAX_FRAMES, _STILL_FRAMES, _FRAME_PAUSE = 40, 6, 0.008
# Fonts are fetched at the layout of their text; those of hidden text must be there when it appears.
_READY = """Promise.all(Array.from(document.fonts, (face) => face.load().catch(() => 0)))
    .then(() => document.documentElement.offsetHeight).then(() => document.fonts.ready).then(() => 0)"""
_SET_UP: tuple[Command, ...] = (
    ("HeadlessExperimental.enable", {}),
    ("Page.enable", {}),
    ("Page.setLifecycleEventsEnabled", {"enabled": True}),
    # Pages of several environments have the focus at once, each as if it were alone.
    ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
    ("Page.setInterceptFileChooserDialog", {"enabled": True}),
)


class TabOwner(Protocol):
    """The browser that a tab belongs to."""

    def exclusive_pipe(self) -> AbstractContextManager[Pipe]:
        """The pipe, for one thread at a time."""

    def close_context(self, context: str) -> None:
        """Dispose of a tab's context."""


class Tab:
    """A page in its own browser context, as large as its viewport.

    ``Browser.open_tab`` makes it. Every action returns when the page has processed it: the next ``screenshot`` includes
    its effect. Any method may raise ``BrowserGone`` or ``BrowserHung``, after which the tab is of no use.

    Args:
        browser: whose page it is.
        context: the context that is the tab's own.
        session: the id of the session at the page.
        size: of the viewport: width and height in pixels.

    Attributes:
        context: that context's id.
        listeners: functions of the method and parameters of each event of the page, which ``call`` may enable. They run
            while any action waits, and may ``post``. Dialogs are accepted without them.
        popup: of a native list, calendar or palette that is open: the edges of its control, ``is_list`` and ``rows``.
    """

    def __init__(self, browser: TabOwner, context: str, session: str, size: tuple[int, int]) -> None:
        self._browser, self._session = browser, session
        self.context = context
        self.listeners: list[Listener] = []
        self.popup: dict[str, Any] | None = None
        self._pointer: tuple[float, float] = (0, 0)
        self._loaded: set[str] = set()
        self._crashed, self._is_damaged, self._is_still = False, True, False
        self._frames: FrameBuffer | None = None
        self._last: Image = np.empty((0, 0, 3), np.uint8)
        with browser.exclusive_pipe() as pipe:
            pipe.listeners[session] = self._on_event
        self._answers(_SET_UP)
        self.resize(*size)
        processes = self.call_browser("SystemInfo.getProcessInfo")["processInfo"]
        pid = next(process["id"] for process in processes if process["type"] == "GPU")
        with suppress(LookupError, OSError):
            self._frames = FrameBuffer(pid, size, self._show)
        self._show(UNMARKED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Dispose of the page and its context; harmless if it or the browser is gone."""
        with suppress(BrowserError), self._browser.exclusive_pipe() as pipe:
            pipe.listeners.pop(self._session, None)
        self._release_frames()
        self._browser.close_context(self.context)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer of the page to a command of the DevTools protocol.

        Raises:
            CommandFailed: if it is refused.
        """
        return self._answers([(method, dict(params or {}))])[0]

    def post(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send the page a command with the next one, without waiting for an answer."""
        with self._browser.exclusive_pipe() as pipe:
            self._is_still = False
            pipe.post(method, params, self._session)

    def call_browser(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer of the browser itself to a command, for example of the domains ``Browser`` and ``Target``.

        Raises:
            CommandFailed: if it is refused.
        """
        with self._browser.exclusive_pipe() as pipe:
            return pipe.call(method, params)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport; from then on frames are PNG files, as those in memory lie elsewhere."""
        self._release_frames()
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", metrics)

    def goto(self, url: str) -> None:
        """Open a page, wait until it is loaded and its fonts are ready, and move the mouse to the top left corner.

        Raises:
            CommandFailed: if it cannot be opened.
        """
        answer = self.call("Page.navigate", {"url": url})
        if answer.get("errorText"):
            raise CommandFailed(f"{url} cannot be opened: {answer['errorText']}")
        # A fragment of the current page is not loaded again.
        if "loaderId" in answer:
            with self._browser.exclusive_pipe() as pipe:
                self._wait(pipe, lambda: answer["loaderId"] in self._loaded)
                self._loaded.clear()
        self.evaluate(_READY)
        self.move(0, 0)
        self._settle()

    def evaluate(self, script: str) -> Any:
        """The JSON value of a JavaScript expression; a promise is awaited.

        Raises:
            ScriptFailed: if it raises an exception.
        """
        answer = self.call("Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True})
        thrown = answer.get("exceptionDetails")
        if thrown is not None:
            raise ScriptFailed(str(thrown.get("exception", {}).get("description") or thrown.get("text")))
        return answer["result"].get("value")

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a place, in pixels from the top left corner of the viewport."""
        self._pointer = (x, y)
        self._act([self._mouse("mouseMoved")])

    def click(self, x: int, y: int, button: str = "left", count: int = 1) -> None:
        """Move the mouse to a place, press and release a button there; the mouse stays.

        A click in an open list chooses the row under it.

        Args:
            x: pixels from the left.
            y: pixels from the top.
            button: "left", "middle" or "right".
            count: how often: 2 is a double click.
        """
        if self.popup and self.popup["is_list"] and self._choose(x, y):
            return
        self._pointer = (x, y)
        events = [self._mouse("mouseMoved")]
        for number in range(1, count + 1):
            pressing = {"button": button, "clickCount": number}
            events += [self._mouse("mousePressed", **pressing), self._mouse("mouseReleased", **pressing)]
        self._act(events)

    def wheel(self, dy: float) -> None:
        """Turn the mouse's wheel by ``dy`` pixels where the mouse is; down is positive."""
        # Another thread than the mouse's takes the wheel in: the move that follows must find the page scrolled.
        self._answers([self._mouse("mouseWheel", deltaX=0, deltaY=dy)], acted=True)
        self.move(*self._pointer)

    def type_text(self, text: str) -> None:
        """Type a text key by key; a line break presses Enter, a tabulator Tab.

        Raises:
            ValueError: if it holds half of a surrogate pair.
        """
        text.encode()
        text = text.replace("\r\n", "\n")
        for first in range(0, len(text), _BATCH):
            self._press([event for character in text[first : first + _BATCH] for event in typed(character)])

    def press_key(self, name: str) -> None:
        """Press and release a key of ``KeyboardEvent.key``, with modifiers.

        For example "Enter" or "Shift+ArrowLeft".

        Raises:
            ValueError: if there is no such key.
        """
        self._press(pressed(name))

    def screenshot(self) -> Image:
        """The picture of the viewport: uint8 (height, width, 3), read-only."""
        if self._frames is None:
            return self._png()
        with self._browser.exclusive_pipe() as pipe:
            for _ in range(_SETTLING):
                if self._is_still:
                    break
                self._draw(pipe)
        self._is_still = False
        if self._is_damaged:
            self._last = self._frames.picture()
            self._is_damaged = False
        return self._last

    def _choose(self, x: int, y: int) -> bool:
        """Choose the row of the open list at a place by keys, as no mouse reaches it; whether it lies there."""
        last = ""
        while self.popup and (key := key_towards(before := self.screenshot(), self.popup, x, y)):
            if last and key not in (last, "Enter"):
                return True  # It went past: no row that can be chosen is there.
            self.press_key(last := key)
            if key == "Enter" or self.screenshot() is before:
                return True
        return False

    def _press(self, events: list[dict[str, Any]]) -> None:
        self._act([("Input.dispatchKeyEvent", event) for event in events])

    def _mouse(self, kind: str, **more: Any) -> Command:
        x, y = self._pointer
        return "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | more

    def _act(self, events: list[Command]) -> None:
        was_open = self.popup is not None
        self._answers(events, acted=True)
        # Another frame shows what the events have changed; if that is nothing, it is the picture.
        asked = ("Runtime.evaluate", {"expression": POPUP_SCRIPT, "returnByValue": True})
        found = self._answers([asked], acted=True)[0]["result"].get("value")
        self.popup = found if isinstance(found, dict) else None
        if was_open or self.popup:
            self._settle()

    def _answers(self, commands: Sequence[Command], acted: bool = False) -> list[Answer]:
        """Send the page commands and wait for all answers.

        Args:
            commands: methods of the protocol and their parameters.
            acted: whether the page is to draw a frame meanwhile, as it processes moves of the mouse only then.
        """
        with self._browser.exclusive_pipe() as pipe:
            replies = [pipe.post(method, params, self._session) for method, params in commands]
            self._wait(pipe, lambda: all(reply.message for reply in replies), acted)
            self._is_still &= acted
            return [reply.result() for reply in replies]

    def _wait(self, pipe: Pipe, done: Callable[[], bool], acted: bool = False) -> None:
        """Draw frames until something is done."""
        deadline, pause = time.monotonic() + pipe.timeout, _FIRST_PAUSE
        if acted:
            self._draw(pipe)
        while not pipe.wait(lambda: self._crashed or done(), pause):
            if time.monotonic() > deadline:
                raise BrowserHung(f"the page did not answer within {pipe.timeout:g} s")
            self._draw(pipe)
            pause = min(_PAUSE, 2 * pause)
        self._check()

    def _draw(self, pipe: Pipe, **options: Any) -> Answer:
        """Draw a frame of the current page."""
        reply = pipe.post("HeadlessExperimental.beginFrame", options, self._session)
        pipe.wait(lambda: self._crashed or reply.message is not None)
        self._check()
        answer = reply.result()
        self._is_still = not answer["hasDamage"]
        self._is_damaged |= answer["hasDamage"]
        return answer

    def _check(self) -> None:
        if self._crashed:
            raise PageGone("the page crashed")

    def _settle(self) -> None:
        """Wait until a page that has just opened shows, or a native popup that opened, changed or closed."""
        still = 0
        with self._browser.exclusive_pipe() as pipe:
            for _ in range(_MAX_FRAMES):
                still = 0 if self._draw(pipe)["hasDamage"] else still + 1
                if still == _STILL_FRAMES:
                    break
                time.sleep(_FRAME_PAUSE)
        self._is_damaged = True

    def _show(self, script: str) -> None:
        self.evaluate(script)
        with self._browser.exclusive_pipe() as pipe:
            while self._draw(pipe)["hasDamage"]:
                continue

    def _png(self) -> Image:
        """The picture as Chromium photographs it; the last one where a popup lies over it, which it cannot."""
        for _ in range(0 if self.popup else _SETTLING):
            with self._browser.exclusive_pipe() as pipe:
                data = self._draw(pipe, screenshot={"format": "png", "optimizeForSpeed": True}).get("screenshotData")
            if data is not None:
                with Pictures.open(io.BytesIO(base64.b64decode(data))) as picture:
                    self._last = np.array(picture.convert("RGB"))
                self._last.flags.writeable = False
                return self._last
        # The picture may be missed before the browser reports that the page has crashed.
        self.evaluate("0")
        if not self.popup:
            raise PageGone("the page gave no picture")
        return self._last

    def _release_frames(self) -> None:
        if self._frames is not None:
            self._frames.close()
            self._frames = None

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
