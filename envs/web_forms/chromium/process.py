"""Programs, a browser among them, that are started by the launcher and ended with all their children."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")
_END_SECONDS = 10


class LaunchedProcess:
    """A running program; it ends with all its processes when it is ended, or when this process ends.

    Args:
        command: the program and its arguments; ``{folder}`` stands for a temporary folder of its own.
        environment: variables that it gets besides those of this process.
        connection: what it gets as its descriptors 3 and 4, if anything.
        folder: in which it runs; ``None``: that of this process.
        inherited: names of the variables of this process that it gets.

    Attributes:
        pid: of the launcher, the ancestor of all of the program's processes.

    Raises:
        OSError: if no descriptors or processes are available.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        connection: socket.socket | None = None,
        folder: Path | None = None,
        inherited: Collection[str] = os.environ,
    ) -> None:
        passed = () if connection is None else (connection.fileno(),)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        try:
            self._launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_LAUNCHER), "".join(map(str, passed)), *command],
                cwd=folder,
                env={**{name: os.environ[name] for name in inherited if name in os.environ}, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=passed,
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise
        self.pid = self._launcher.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._launcher.poll() is None

    def stderr_tail(self, limit: int = 2000) -> str:
        """The end of what the program wrote to its standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), limit, max(0, size - limit)).decode(errors="replace").strip()

    def end(self) -> None:
        """End the program and all its children, and wait for it; harmless if it has ended."""
        self.forget()
        with suppress(subprocess.TimeoutExpired):
            self._launcher.wait(_END_SECONDS)
        if self._launcher.returncode != 0:
            # The launcher is stopped or was killed; whom it started are in its process group.
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._launcher.wait()
            for folder in Path(tempfile.gettempdir()).glob(f"formgym_browser_{self.pid}_*"):
                shutil.rmtree(folder, ignore_errors=True)

    def forget(self) -> None:
        """Close the descriptors; in a forked process this does not end the program."""
        if self._launcher.stdin is not None:
            self._launcher.stdin.close()
        self._errors.close()
