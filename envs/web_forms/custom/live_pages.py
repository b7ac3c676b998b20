"""LivePages: what opens the pages of a folder in Chromium, with their server and files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..chromium import BrowserHold
from .contained_tab import ContainedTab
from .gold import GoldFile
from .servers import CommandServer, FolderServer, PageServer


class LivePages:
    """The pages of a folder, opened in this process's browser, each in a context of its own.

    Args:
        folder: of the page.
        gold: its tasks.
        allow_commands: whether the command of its server may be run.
        server: one that runs already, and is not closed; the page cannot go to others of it.

    Raises:
        ValueError: if it has a server of its own, and its command may not be run.
    """

    def __init__(
        self, folder: Path, gold: GoldFile, allow_commands: bool = False, server: PageServer | None = None
    ) -> None:
        if gold.server is not None and server is None and not allow_commands:
            raise ValueError(
                f"{folder} has a server of its own: look at what {' '.join(gold.server.command)!r} does, then allow it "
                "with allow_commands=True"
            )
        self.folder, self.gold, self._shared = folder, gold, server
        self._hold = BrowserHold()
        self._server: PageServer | None = None
        self._made: TemporaryDirectory[str] | None = None

    def open_tab(self) -> ContainedTab:
        """A blank tab that reaches the page's server only, which is started first."""
        if self._server is None and self._shared is None:
            started = self.gold.server
            self._server = CommandServer(started, self.folder) if started else FolderServer(self.folder, self.gold.page)
        server = self._shared or self._server
        assert server is not None
        return ContainedTab(self._hold, self.gold, server.port, can_navigate=self.gold.server is not None)

    def files(self, names: Iterable[str]) -> list[str]:
        """Paths of files of some names: those in the page's folder, or made up."""
        if self._made is None:
            self._made = TemporaryDirectory(prefix="formgym_files_")
        paths = []
        for name in names:
            own, made = self.folder / name, Path(self._made.name) / name
            if not own.is_file():
                made.write_text(f"{name}\n", encoding="utf-8")
            paths.append(str(own if own.is_file() else made))
        return paths

    def close(self) -> None:
        """Close the server and the claim on the browser."""
        self._hold.close()
        if self._server is not None:
            self._server.close()
        if self._made is not None:
            self._made.cleanup()
        self._server = self._made = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LivePages, (self.folder, self.gold, True, self._shared)
