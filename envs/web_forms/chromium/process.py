"""Programs, a browser among them, that are started by the launcher and ended with all their children."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")
_SET_PIPE_SIZE = 1031
_PIPE_SIZE = 1 << 20
_END_SECONDS = 10


class LaunchedProcess:
    """A running program; it ends with all its processes when it is ended, or when this process ends.

    Args:
        command: the program and its arguments; ``{folder}`` stands for a temporary folder of its own.
        environment: variables that it gets besides those of this process.
        descriptors: what it gets as 3, 4 and so on; none of them may be one of these already.
        folder: in which it runs; ``None``: that of this process.

    Attributes:
        pid: of the launcher, the ancestor of all of the program's processes.

    Raises:
        OSError: if no descriptors or processes are available.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        descriptors: Sequence[int] = (),
        folder: Path | None = None,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        try:
            self._launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_LAUNCHER), ",".join(map(str, descriptors)), *command],
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=descriptors,
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


class BrowserProcess(LaunchedProcess):
    """A running browser and the two pipes to it; see ``LaunchedProcess``.

    Attributes:
        reader: the file that the browser's messages are read from.
        writer: commands to the browser are written here; never blocks.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        (theirs_in, self.writer), (self.reader, theirs_out) = os.pipe(), os.pipe()
        # The launcher moves these ends to 3 and 4.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 5) for fd in (theirs_in, theirs_out)]
        with suppress(OSError):
            fcntl.fcntl(self.reader, _SET_PIPE_SIZE, _PIPE_SIZE)
        os.set_blocking(self.writer, False)
        try:
            super().__init__([*command, "--user-data-dir={folder}"], environment, ends)
        except BaseException:
            self._close_pipes()
            raise
        finally:
            for fd in (theirs_in, theirs_out, *ends):
                os.close(fd)

    def forget(self) -> None:
        """Close the descriptors; in a forked process this does not end the browser."""
        super().forget()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for fd in {self.reader, self.writer} - {-1}:
            os.close(fd)
        self.reader = self.writer = -1
