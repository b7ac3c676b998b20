"""Run a command until standard input closes, then kill it with every process that came of it.

``python supervisor.py COMMAND...`` is started for a page's own server: it outlives neither us nor its environment.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main() -> int:
    """Run the command; its exit status, if it ends by itself."""
    # Orphans become children of this process, whatever session they moved to.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as process:
            while process.poll() is None:
                if select.select([0], [], [], 0.1)[0] and not os.read(0, 64):
                    process.kill()
            return process.returncode
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr)
        return 127
    finally:
        _kill_children()


def _kill_children() -> None:
    with suppress(ChildProcessError):
        while True:
            for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(main())
