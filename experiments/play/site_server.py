"""``formgym serve``: the site, and what is stored as files and episodes."""

from __future__ import annotations

import errno
import shlex
import signal
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from ...envs.web_forms.site.app import listening_server
from ...envs.web_forms.site.records import Records
from ..running.runner import handling
from ..terminal.console import say
from .human_runs import export_submissions
from .ranking import Ranking, shared_tasks


@dataclass(frozen=True)
class Site:
    """How the site is served.

    Attributes:
        host: the address to listen at.
        port: the port; 0: any that is free.
        out: the folder of the store.
        runs: the folder of the runs of people.
        reveal: whether the right answers may ever be shown.
        public: whether others than this machine may ask.
        names: others under which it answers then.
        rank: the runs of DocEdit, or folders above them, whose results people rank.
    """

    host: str
    port: int
    out: Path
    runs: Path
    reveal: bool
    public: bool
    names: tuple[str, ...]
    rank: tuple[Path, ...] = ()

    def serve(self) -> None:
        """Serve until SIGINT, SIGTERM or SIGHUP; then write what is stored, and the line that goes on.

        Raises:
            ValueError: if ``host`` may be reached from other machines and that is not allowed, the store is none, or
                there is nothing to rank.
            RuntimeError: if the port is taken.
            OSError: if a folder cannot be written.
        """
        records = Records(self.out).open()
        more = [Ranking(shared_tasks(self.rank), records).blueprint()] if self.rank else []
        try:
            server, url = listening_server(
                self.host, self.port, records, reveal=self.reveal, public=self.public, names=self.names, more=more
            )
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise RuntimeError(f"port {self.port} is taken: --port names another, 0 takes any that is free") from None
        if self.public:
            say("Public: whoever reaches this machine may post, and see what others have posted.")
        with handling(lambda *_: Thread(target=server.shutdown).start(), signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            say(f"Serving at {url}{'rank' * bool(more)} (Control+C ends it)")
            server.serve_forever()
            exported = self._export(records)
        # After SIGHUP there is no terminal to print to.
        with suppress(OSError, SystemExit):
            say(f"{exported}; go on with: {self._again(server.port)}")

    def export(self) -> None:
        """Write what is stored as a file and as episodes; no episode is written twice.

        Raises:
            ValueError: if the store is none.
            OSError: if something cannot be written.
            RuntimeError: if the store is damaged, or another process is writing to a run.
        """
        say(self._export(Records(self.out).open()))

    def _export(self, records: Records) -> str:
        """Write what is stored; what was written."""
        try:
            with records.alone():
                path, added = records.export(), export_submissions(self.runs, records)
        except sqlite3.Error as error:
            raise RuntimeError(f"the submissions in {self.out} cannot be read: {error}") from None
        return f"{records.count()} submissions in {path}, {added} new episodes in {self.runs}"

    def _again(self, port: int) -> str:
        options = ["--host", self.host, "--port", port, "--out", self.out, "--runs", self.runs]
        flags = ["--no-reveal"] * (not self.reveal) + ["--public"] * self.public
        flags += [word for name in self.names for word in ("--name", name)]
        flags += [word for folder in self.rank for word in ("--rank", str(folder))]
        return shlex.join(["formgym", "serve", *map(str, options), *flags])
