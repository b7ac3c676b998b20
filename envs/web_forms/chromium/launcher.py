"""Start a program, a browser or a page's own server, from a process that ends all processes that come of it.

``python launcher.py FD COMMAND...`` makes a temporary folder, which stands for ``{folder}`` in the command, starts the
program with the descriptor, if any, as its 3 and 4, and waits. When its standard input closes, because we closed it or
are dead, or when the program ends, it kills every process that the program left, removes the folder and ends.
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
    descriptor, *command = sys.argv[1:]
    # Orphans of the program become children of this process, whatever session they moved to, and are reaped unasked.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix=f"formgym_browser_{os.getpid()}_")
    try:
        program = _start([part.replace("{folder}", folder) for part in command], folder, descriptor)
        with suppress(ProcessLookupError):
            select.select([0, os.pidfd_open(program)], [], [])
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")
    finally:
        _end_children()
        shutil.rmtree(folder, ignore_errors=True)


def _start(command: list[str], folder: str, descriptor: str) -> int:
    """Start the program in the launcher's process group and return its process id."""
    if descriptor:
        os.set_inheritable(int(descriptor), False)
    moved = [(os.POSIX_SPAWN_DUP2, int(descriptor), target) for target in (3, 4) if descriptor]
    closed = [(os.POSIX_SPAWN_OPEN, target, os.devnull, os.O_RDWR, 0) for target in (0, 1)]
    child = os.environ | {"TMPDIR": folder}
    pid = os.posix_spawnp(command[0], command, child, file_actions=[*closed, *moved], setsigdef=[signal.SIGCHLD])
    if descriptor:
        os.close(int(descriptor))
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
