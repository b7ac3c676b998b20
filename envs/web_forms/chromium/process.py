"""A browser process, started by the launcher and ended with all its children."""

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


class BrowserProcess:
    """A running browser and the two pipes to it.

    Args:
        command: the browser's path and switches.
        environment: variables that it gets besides those of this process.

    Attributes:
        reader: the file that the browser's messages are read from.
        writer: commands to the browser are written here; never blocks.
        pid: of the launcher, the ancestor of all of the browser's processes.

    Raises:
        OSError: if no descriptors or processes are available.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # The launcher moves its ends to 3 and 4, which none of them may be already.
        ours = [os.pipe(), os.pipe()]
        (theirs_in, self.writer), (self.reader, theirs_out) = ours
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 5) for fd in (theirs_in, theirs_out)]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        with suppress(OSError):
            fcntl.fcntl(self.reader, _SET_PIPE_SIZE, _PIPE_SIZE)
        os.set_blocking(self.writer, False)
        try:
            self._launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_LAUNCHER), *map(str, ends), *command],
                env=os.environ | environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=ends,
                start_new_session=True,
            )
        except BaseException:
            self._close()
            raise
        finally:
            for fd in (theirs_in, theirs_out, *ends):
                os.close(fd)
        self.pid = self._launcher.pid

    def stderr_tail(self, limit: int = 2000) -> str:
        """The end of what the browser wrote to its standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), limit, max(0, size - limit)).decode(errors="replace").strip()

    def end(self) -> None:
        """End the browser and all its children, and wait for it; harmless if it has ended."""
        self.forget()
        with suppress(subprocess.TimeoutExpired):
            self._launcher.wait(_END_SECONDS)
        if self._launcher.returncode != 0:
            # The launcher is stopped or was killed; whom it started are in its process group.
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._launcher.wait()
            for profile in Path(tempfile.gettempdir()).glob(f"formgym_browser_{self.pid}_*"):
                shutil.rmtree(profile, ignore_errors=True)

    def forget(self) -> None:
        """Close the descriptors; in a forked process this does not end the browser."""
        if self._launcher.stdin is not None:
            self._launcher.stdin.close()
        self._close()

    def _close(self) -> None:
        for fd in {self.reader, self.writer} - {-1}:
            os.close(fd)
        self.reader = self.writer = -1
        self._errors.close()
