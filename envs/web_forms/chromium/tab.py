"""One page in a browser: actions on it, and its screenshots."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, Self

from .browser_session import Command
from .frame_buffer import Image
from .key_codes import pressed, typed
from .pipe import CommandFailed, ScriptFailed
from .select_popup import key_towards

if TYPE_CHECKING:
    from .browser_session import PageSession
    from .pipe import Pipe

# Characters typed before their acknowledgements are awaited.
_BATCH = 100
# Fonts are fetched at the layout of their text; those of hidden text must be there when it appears.
_READY = """Promise.all(Array.from(document.fonts, (face) => face.load().catch(() => 0)))
    .then(() => document.documentElement.offsetHeight).then(() => document.fonts.ready).then(() => 0)"""
# The edges of the focused control whose native popup is open, whether it is a list, and how many rows that has.
_POPUP = """(function open(root, dx, dy) { const one = root.activeElement; if (!one) return null;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (one.shadowRoot) return open(one.shadowRoot, dx, dy);
    if (one.contentDocument) return open(one.contentDocument, dx + left + one.clientLeft, dy + top + one.clientTop);
    return one.matches("select:open, input:open") && getComputedStyle(one, "::picker(select)").appearance != "base-select"
      ? { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy, is_list: one.matches("select"),
          rows: one.querySelectorAll("option, optgroup").length } : null })(document, 0, 0)"""  # noqa: E501


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
        session: to the page.

    Attributes:
        context: that context's id.
        listeners: functions of the method and parameters of each event of the page, which ``call`` may enable. They run
            while any action waits, and may ``post``. Dialogs are accepted without them.
        popup: of a native list, calendar or palette that is open: the edges of its control, ``is_list`` and ``rows``.
    """

    def __init__(self, browser: TabOwner, context: str, session: PageSession) -> None:
        self._browser = browser
        self.context = context
        self._session = session
        self.listeners = session.listeners
        self.popup: dict[str, Any] | None = None
        self._pointer: tuple[float, float] = (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Dispose of the page and its context; harmless if it or the browser is gone."""
        self._session.close()
        self._browser.close_context(self.context)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer of the page to a command of the DevTools protocol.

        Raises:
            CommandFailed: if it is refused.
        """
        with self._browser.exclusive_pipe():
            return self._session.answers([(method, dict(params or {}))])[0]

    def post(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send the page a command with the next one, without waiting for an answer."""
        with self._browser.exclusive_pipe():
            self._session.post(method, dict(params or {}))

    def call_browser(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer of the browser itself to a command, for example of the domains ``Browser`` and ``Target``.

        Raises:
            CommandFailed: if it is refused.
        """
        with self._browser.exclusive_pipe() as pipe:
            return pipe.call(method, params)

    def goto(self, url: str) -> None:
        """Open a page and wait until it is loaded and its fonts are ready.

        Raises:
            CommandFailed: if it cannot be opened.
        """
        answer = self.call("Page.navigate", {"url": url})
        if answer.get("errorText"):
            raise CommandFailed(f"{url} cannot be opened: {answer['errorText']}")
        # A fragment of the current page is not loaded again.
        if "loaderId" in answer:
            with self._browser.exclusive_pipe():
                self._session.wait_for_load(answer["loaderId"])
        self.evaluate(_READY)
        self._act([])
        with self._browser.exclusive_pipe():
            self._session.settle(self.popup is not None)

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
        self._act([])

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
        with self._browser.exclusive_pipe():
            # Another thread than the mouse's takes the wheel in: the move that follows must find the page scrolled.
            self._session.answers([self._mouse("mouseWheel", deltaX=0, deltaY=dy)], acted=True)
        self._act([])

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
        with self._browser.exclusive_pipe():
            return self._session.picture()

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
        with self._browser.exclusive_pipe():
            self._session.answers(events)
            # The last move keeps :hover right where something else came to lie under the pointer.
            asked = ("Runtime.evaluate", {"expression": _POPUP, "returnByValue": True})
            found = self._session.answers([self._mouse("mouseMoved"), asked], acted=True)[1]["result"].get("value")
            self.popup = found if isinstance(found, dict) else None
            if was_open or self.popup:
                self._session.settle(self.popup is not None)
