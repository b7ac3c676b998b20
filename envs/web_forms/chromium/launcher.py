"""Start a program, a browser or a page's own server, from a process that ends all processes that come of it.

``python launcher.py FD,FD COMMAND...`` makes a temporary folder, which stands for ``{folder}`` in the command, starts
the program with the descriptors, if any, as its 3, 4 and so on, and waits. When its standard input closes, because we
closed it or are dead, or when the program ends, it kills every process that the program left, removes the folder and
ends.
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
    """Start the program and stay until it or the parent process ends."""
    descriptors, *command = sys.argv[1:]
    # Orphans of the program become children of this process, whatever session they moved to, and are reaped unasked.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix=f"formgym_browser_{os.getpid()}_")
    try:
        command = [part.replace("{folder}", folder) for part in command]
        program = _start(command, folder, [int(number) for number in descriptors.split(",") if number])
        with suppress(ProcessLookupError):
            select.select([0, os.pidfd_open(program)], [], [])
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")
    finally:
        _end_children()
        shutil.rmtree(folder, ignore_errors=True)


def _start(command: list[str], folder: str, descriptors: list[int]) -> int:
    """Start the program in the launcher's process group and return its process id."""
    actions = [
        *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)),
        *((os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(descriptors, start=3)),
        *((os.POSIX_SPAWN_CLOSE, fd) for fd in descriptors),
    ]
    child = os.environ | {"TMPDIR": folder}
    pid = os.posix_spawnp(command[0], command, child, file_actions=actions, setsigdef=[signal.SIGCHLD])
    for fd in descriptors:
        os.close(fd)
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
