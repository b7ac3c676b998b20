"""ContainedTab: a tab that reaches one server on loopback only, with a clock that stands still between actions."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...core.texts import truncate
from ..chromium import BrowserHold, CommandFailed, PageGone, ScriptFailed
from .gold import GOLD, GoldFile
from .servers import HOST

_DOMAINS = ("Page", "Fetch", "Network", "Emulation", "Runtime")
_WORLD = "formgym"
# Nothing listens there: what goes through this proxy reaches nothing.
_NOWHERE = "http://127.0.0.1:1"
_MAX_DIALOGS = 30
_MAX_TEXT = 200
_PATIENCE = 10.0
_TICK = 1
_STILL = 2
ACTION_MS = 500
"""By how much the page's clock goes on in every action."""
_LOADED_MS = 2_000


class ContainedTab:
    """A page in a context of its own.

    Its clock is Chromium's virtual time: it stands still between actions, and goes on by ``ACTION_MS`` in each. Chance
    is seeded, animations are at their ends and carets transparent in all pictures; nothing else is changed.

    Args:
        hold: the claim on the browser.
        gold: what says how large the window is, and what time it is.
        port: the only one that can be reached.
        can_navigate: whether the page may go to other pages of its server.

    Attributes:
        notes: what the page has tried that was not let through, in words, since they were last taken.
        sent: the bodies of requests other than GET since the action began.
        records: the ``submit`` events since then; see ``reader.js``.
        is_posted: whether the page itself has been posted since then.
        refused: URLs outside of the server that were asked for.
        pointer: where the mouse is.
        chooser: the node of the file control whose chooser opened last; 0: none.
        state: what ``reader.js`` is to know in every document.
    """

    def __init__(self, hold: BrowserHold, gold: GoldFile, port: int, can_navigate: bool) -> None:
        self.notes: list[str] = []
        self.sent: list[str] = []
        self.records: list[dict[str, Any]] = []
        self.is_posted = False
        self.refused: list[str] = []
        self.pointer = (0, 0)
        self.chooser = 0
        self.state: dict[str, Any] = {}
        self._origin = f"http://{HOST}:{port}"
        self._can_navigate = can_navigate
        self._dialogs = 0
        self._is_open = self._is_loading = self._expired = False
        self._context: int | None = None
        self.tab = hold.open_tab(gold.width, gold.height, (_NOWHERE, f"<-loopback>;{HOST}:{port}"))
        self._frame = self.tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.tab.listeners.append(self._on_event)
        reader, page = (_script(name) for name in ("reader.js", "page.js"))
        downloads = {"behavior": "deny", "browserContextId": self.tab.context}
        self.tab.call_browser("Browser.setDownloadBehavior", downloads)
        self.tab.call("Network.enable")
        self.tab.call("Runtime.enable")
        self.tab.call("Runtime.addBinding", {"name": "formgymRecord", "executionContextName": _WORLD})
        self.tab.call("Fetch.enable", {"patterns": [{"resourceType": "Document"}, {"urlPattern": f"*{GOLD}*"}]})
        self.tab.call("Page.addScriptToEvaluateOnNewDocument", {"source": reader, "worldName": _WORLD})
        self.tab.call("Page.addScriptToEvaluateOnNewDocument", {"source": page})
        self._now = gold.now.replace(tzinfo=gold.now.tzinfo or UTC).timestamp()

    def open(self, path: str) -> None:
        """Open a page of the server, and let its scripts run for two seconds of its clock.

        Raises:
            CommandFailed: if it cannot be opened.
        """
        self._is_loading = True
        self._grant(_TICK, initialVirtualTime=self._now)
        self.tab.goto(f"{self._origin}/{path.lstrip('/')}")
        self._is_open, self._is_loading = True, False
        begun = self.evaluate("Date.now()") - self._now * 1000
        self.settle(max(_TICK, int(_LOADED_MS - begun)))

    def begin(self) -> None:
        """Forget what was sent in the last action."""
        self._dialogs = 0
        self.sent, self.records, self.is_posted = [], [], False

    def settle(self, milliseconds: int = ACTION_MS) -> None:
        """Let the page's clock go on, draw its frames, and end its animations, for ten seconds at most."""
        deadline, pause, still = time.monotonic() + _PATIENCE, 0.001, 0
        self._expired = False
        self.evaluate("formgym.still()")
        self._grant(milliseconds)
        while still < _STILL and time.monotonic() < deadline:
            self.tab.move(*self.pointer)
            has_ended = self.evaluate("formgym.still()")
            still = still + 1 if self._expired and not self._is_loading and not has_ended else 0
            if has_ended and self._expired:
                self._expired = False
                self._grant(_TICK)
            elif not still:
                time.sleep(pause)
                pause = min(0.02, pause * 2)

    def evaluate(self, expression: str) -> Any:
        """The JSON value of an expression in the world of ``reader.js``.

        Raises:
            ScriptFailed: if it raises an exception.
        """
        try:
            answer = self._evaluated(expression)
        except CommandFailed:
            # The document is another one.
            self._context = None
            answer = self._evaluated(expression)
        if (thrown := answer.get("exceptionDetails")) is not None:
            raise ScriptFailed(str(thrown.get("exception", {}).get("description") or thrown.get("text")))
        return answer["result"].get("value")

    def call(self, function: str, *arguments: Any) -> Any:
        """The result of a function of ``formgym`` in ``reader.js``."""
        return self.evaluate(f"formgym.{function}({', '.join(map(json.dumps, arguments))})")

    def click(self, x: int, y: int, times: int = 1, control: bool = False) -> None:
        """Click at a place, where wanted with the key Control held."""
        self.pointer = (x, y)
        if not control:
            self.tab.click(x, y, count=times)
            return
        self.tab.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "modifiers": 2}
            self.tab.call("Input.dispatchMouseEvent", event)

    def close(self) -> None:
        """Close the page and its context."""
        self.tab.close()

    def _evaluated(self, expression: str) -> dict[str, Any]:
        if self._context is None:
            world = {"frameId": self._frame, "worldName": _WORLD}
            self._context = self.tab.call("Page.createIsolatedWorld", world)["executionContextId"]
            expression = f"Object.assign(formgym.state, {json.dumps(self.state)});{expression}"
        options = {"expression": expression, "contextId": self._context, "returnByValue": True}
        return self.tab.call("Runtime.evaluate", options)

    def _grant(self, milliseconds: int, **options: Any) -> None:
        policy = {"policy": "pauseIfNetworkFetchesPending", "budget": milliseconds}
        self.tab.post("Emulation.setVirtualTimePolicy", policy | options)

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        domain, _, name = method.partition(".")
        if domain in _DOMAINS and (handle := getattr(self, f"_on_{name}", None)):
            handle(params)

    def _on_virtualTimeBudgetExpired(self, params: Mapping[str, Any]) -> None:
        # While a page loads its clock goes on by as little as can be, as nothing says how long that takes.
        if self._is_loading:
            self._grant(_TICK)
        else:
            self._expired = True

    def _on_frameStartedLoading(self, params: Mapping[str, Any]) -> None:
        self._is_loading = self._is_loading or params["frameId"] == self._frame

    def _on_frameStoppedLoading(self, params: Mapping[str, Any]) -> None:
        if params["frameId"] == self._frame and self._is_open:
            self._is_loading = False
            self._grant(_TICK)

    def _on_requestPaused(self, params: Mapping[str, Any]) -> None:
        request, url = {"requestId": params["requestId"]}, params["request"]["url"]
        if GOLD in url.lower():
            self.tab.post("Fetch.failRequest", request | {"errorReason": "BlockedByClient"})
        elif self._is_open and not self._may_go(url, params["frameId"]):
            self.notes.append(f"The page tried to go to {self.named(url)}, which is not followed.")
            self.tab.post("Fetch.failRequest", request | {"errorReason": "Aborted"})
        else:
            self.tab.post("Fetch.continueRequest", request)

    def named(self, url: str) -> str:
        """A URL as it is reported: without the port, which is another one in every episode."""
        return truncate(url.removeprefix(self._origin), _MAX_TEXT)

    def _may_go(self, url: str, frame: str) -> bool:
        return _origin(url) == self._origin and (self._can_navigate or frame != self._frame)

    def _on_requestWillBeSent(self, params: Mapping[str, Any]) -> None:
        request = params["request"]
        if request["url"].startswith("http") and _origin(request["url"]) != self._origin:
            self.refused.append(request["url"][:_MAX_TEXT])
        elif request["method"] not in ("GET", "HEAD", "OPTIONS") and params.get("type") != "Ping":
            self.sent.append(request.get("postData", ""))
            self.is_posted |= params.get("type") == "Document" and params["frameId"] == self._frame

    def _on_javascriptDialogOpening(self, params: Mapping[str, Any]) -> None:
        self._dialogs += 1
        if self._dialogs > _MAX_DIALOGS:
            raise PageGone(f"the page opens one dialog after another, such as {params['message'][:_MAX_TEXT]!r}")
        if params["type"] != "beforeunload":
            self.notes.append(f'The page opened a dialog: "{truncate(params["message"], _MAX_TEXT)}". OK was pressed.')

    def _on_downloadWillBegin(self, params: Mapping[str, Any]) -> None:
        name = truncate(params.get("suggestedFilename", "a file"), _MAX_TEXT)
        self.notes.append(f"The page tried to save {name}, which is not done.")

    def _on_bindingCalled(self, params: Mapping[str, Any]) -> None:
        self.records.append(json.loads(params["payload"]))

    def _on_fileChooserOpened(self, params: dict[str, Any]) -> None:
        self.chooser = params["backendNodeId"]


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=4)
def _script(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
