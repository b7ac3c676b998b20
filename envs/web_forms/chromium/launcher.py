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
    # Orphans of the browser become children of this process, whatever session they moved to, and are reaped unasked.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    profile = tempfile.mkdtemp(prefix=f"formgym_browser_{os.getpid()}_")
    try:
        browser = _start([*command, f"--user-data-dir={profile}"], profile, int(reader), int(writer))
        with suppress(ProcessLookupError):
            select.select([0, os.pidfd_open(browser)], [], [])
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")
    finally:
        _end_children()
        shutil.rmtree(profile, ignore_errors=True)


def _start(command: list[str], profile: str, reader: int, writer: int) -> int:
    """Start the browser in the launcher's process group and return its process id."""
    actions = [
        *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)),
        *((os.POSIX_SPAWN_DUP2, fd, target) for fd, target in ((reader, 3), (writer, 4))),
        *((os.POSIX_SPAWN_CLOSE, fd) for fd in (reader, writer)),
    ]
    child = os.environ | {"TMPDIR": profile}
    pid = os.posix_spawnp(command[0], command, child, file_actions=actions, setsigdef=[signal.SIGCHLD])
    os.close(reader)
    os.close(writer)
    return pid


def _end_children() -> None:
    """Kill all children, and orphans that become children, until none is left."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(ChildProcessError):
        while True:
            for pid in children.read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            if not os.waitpid(-1, os.WNOHANG)[0]:
                select.select([], [], [], 0.002)


if __name__ == "__main__":
    main()
