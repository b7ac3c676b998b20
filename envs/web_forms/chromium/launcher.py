"""Start the browser from its own process, which ends all the browser's processes.

``python launcher.py READ WRITE COMMAND...`` makes a temporary profile folder, starts the browser with the descriptors
READ and WRITE as its 3 and 4, and waits. When its standard input closes, because we closed it or are dead, or when the
browser ends, it kills every process that the browser left, removes the folder and ends.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Start the browser and stay until it or the parent process ends."""
    reader, writer, *command = sys.argv[1:]
    # Orphans of the browser become children of this process, whatever session they moved to.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    profile = tempfile.mkdtemp(prefix=f"formgym_browser_{os.getpid()}_")
    try:
        browser = _start([*command, f"--user-data-dir={profile}"], profile, int(reader), int(writer))
        _wait(browser, woken)
    finally:
        _end_children()
        shutil.rmtree(profile, ignore_errors=True)


def _start(command: list[str], profile: str, reader: int, writer: int) -> int:
    """Start the browser in the launcher's process group and return its process id."""
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            # Both are moved out of the way first: one of them may be 3 or 4.
            moved = os.dup(reader), os.dup(writer)
            high = [os.dup(fd) for fd in moved]
            for fd, target in ((null, 0), (null, 1), (high[0], 3), (high[1], 4)):
                os.dup2(fd, target)
            os.closerange(5, 256)
            os.execvpe(command[0], command, os.environ | {"TMPDIR": profile})
        except OSError as error:
            os.write(2, f"cannot run {command[0]}: {error}\n".encode())
        finally:
            os._exit(127)
    os.close(reader)
    os.close(writer)
    return pid


def _wait(browser: int, woken: int) -> None:
    """Wait until standard input closes or the browser ends."""
    waiting = select.poll()
    waiting.register(0, select.POLLIN)
    waiting.register(woken, select.POLLIN)
    while True:
        ready = {fd for fd, _ in waiting.poll()}
        if 0 in ready and not os.read(0, 64):
            return
        if woken in ready:
            os.read(woken, 64)
            if browser in _reaped():
                return


def _reaped() -> set[int]:
    """Reap the children that have ended, and return their process ids."""
    ended = set()
    with suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            ended.add(pid)
    return ended


def _end_children() -> None:
    """Kill all children, and orphans that become children, until none is left."""
    with suppress(ChildProcessError):
        while True:
            for pid in _children():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


if __name__ == "__main__":
    main()
