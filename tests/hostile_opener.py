"""A warm process that opens hostile files in forked children, and tells what each of them tried to do.

It reads a job a line from standard input, JSON with ``argv``, ``folder``, ``out`` and ``cwd``, and answers each with a
line: ``status``, ``cpu`` in seconds, ``memory`` in bytes beyond the warm process, and ``deeds``, which are imports,
files, sockets and processes beside those that opening needs.
"""

import json
import os
import resource
import select
import signal
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import matplotlib.backends.backend_svg
import matplotlib.figure  # noqa: F401
import sacrebleu.tokenizers.tokenizer_13a  # noqa: F401  Scores of web forms load it.

import formgym
import formgym.envs.web_forms.custom.env
from formgym.experiments.cli import main

CPU_SECONDS, WALL_SECONDS = 12, 25
CRASHED = 70
"""The exit status of a command that an exception ended."""
MAX_ADDRESSES = 1 << 30
"""Bytes of address space beyond those of the warm process."""
_ROOT = Path(formgym.__file__).resolve().parent
_LIBRARIES = {os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values())}
_READABLE = {
    str(_ROOT),
    *_LIBRARIES,
    "/proc/self",
    "/dev/null",
    "/dev/urandom",
    "/usr/share/zoneinfo",
    "/etc/localtime",
}
_WRITERS = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_OF_FILES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")
_NEVER = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.", "socket.", "pickle.",
          "webbrowser.", "ftplib.", "smtplib.", "urllib.", "http.", "os.kill", "os.chown")  # fmt: skip


def serve(warmed_by):
    """Do ``warmed_by`` in this process, then the jobs."""
    answers, errors = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")
    with tempfile.TemporaryFile("w+") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        for argv in warmed_by:
            if (status := _formgym(argv)) not in (0, 1):
                sys.stdout.flush()
                said.seek(0)
                print(f"{argv} ended with {status}: {said.read()}", file=errors, flush=True)
                raise SystemExit(1)
        for line in sys.stdin:
            print(json.dumps(_opened(json.loads(line))), file=answers, flush=True)


def _opened(job):
    """The answer to a job, which a child does."""
    told, tell = os.pipe()
    if not (child := os.fork()):
        os.close(told)
        _do(job, tell)
    os.close(tell)
    heard, until = b"", time.monotonic() + WALL_SECONDS
    while select.select([told], [], [], max(0, until - time.monotonic()))[0]:
        if not (part := os.read(told, 1 << 16)):
            break
        heard += part
    else:
        os.kill(child, signal.SIGKILL)
    os.close(told)
    _, status, usage = os.wait4(child, 0)
    deeds, memory = [], 0
    for line in heard.decode(errors="replace").splitlines():
        kind, _, what = line.partition(" ")
        if kind == "memory":
            memory = int(what)
        elif line not in deeds:
            deeds.append(line)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": memory,
        "deeds": deeds[:20],
    }


def _do(job, tell):
    """Open a job's files in this process, which is a child, and end it."""
    for number, name in enumerate(("in", "stdout", "stderr")):
        os.dup2(os.open(Path(job["cwd"], name), os.O_RDWR | os.O_CREAT), number)
    os.chdir(job["cwd"])
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    pages, resident = map(int, Path("/proc/self/statm").read_text().split()[:2])
    most = pages * resource.getpagesize() + MAX_ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # Where Python and libraries write by themselves.
    os.environ["TMPDIR"] = tempfile.tempdir = job["out"]
    hook = _Watch(tell, job["folder"], job["out"], job["cwd"])
    sys.addaudithook(hook)
    status = CRASHED
    try:
        status = _formgym(job["argv"])
    finally:
        hook.is_over = True
        if status == CRASHED:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        os.write(tell, f"memory {peak - resident * resource.getpagesize()}\n".encode())
        os._exit(status)


def _formgym(argv):
    """The exit status of the command ``formgym``."""
    sys.argv = ["formgym", *argv]
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    return status


class _Watch:
    """An audit hook that writes down what opening a file must not do."""

    def __init__(self, tell, folder, out, cwd):
        self.is_over = False
        self._tell, self._cwd = tell, os.path.realpath(cwd)
        self._own = {os.path.realpath(path) for path in (folder, out)}
        self._known = set(sys.modules)

    def __call__(self, event, arguments):
        if self.is_over:
            return
        if event == "import":
            self._check_import(str(arguments[0]))
        elif event == "open":
            path, mode, flags = arguments
            flags = flags or 0
            writes = bool(flags & _WRITERS) or any(letter in (mode or "") for letter in "wax+")
            self._check_path("writes" if writes else "reads", path, is_link_opened=not flags & os.O_NOFOLLOW)
        elif event in ("os.listdir", "os.scandir", "sqlite3.connect"):
            # Looking for modules lists the folder that a command runs in.
            if arguments[0] not in (None, ".", "", self._cwd, ":memory:"):
                self._check_path("reads", arguments[0])
        elif event in _OF_FILES:
            base = arguments[-1] if isinstance(arguments[-1], int) and arguments[-1] >= 0 else None
            for path in arguments[: 2 if event in ("os.rename", "os.link") else 1]:
                place = self._text(path)
                self._check_path(event, place if base is None else f"/proc/self/fd/{base}/{place}", False)
        elif event.startswith(_NEVER):
            self._write(f"{event} {arguments!r:.300}")

    def _check_import(self, name):
        # The modules of our environments are found by their ids in a table of ours.
        if name not in self._known and not name.startswith(("encodings.", "formgym.envs.")):
            self._write(f"imports {name}")

    def _check_path(self, verb, path, is_link_opened=True):
        if path is None or isinstance(path, int):
            return
        place = self._text(path)
        # A name beside an open folder, whose descriptor audit events do not tell.
        if not place.startswith("/") and not os.path.lexists(place):
            return
        head, tail = os.path.split(place)
        real = os.path.realpath(place) if is_link_opened else f"{os.path.realpath(head)}/{tail}"
        allowed = self._own if verb != "reads" else self._own | _READABLE
        if not any(real == root or real.startswith(root + "/") for root in allowed) and real != "/dev/null":
            self._write(f"{verb} {real}")

    def _text(self, path):
        return os.fsdecode(path if isinstance(path, str | bytes) else os.fspath(path)).replace("\0", "")

    def _write(self, deed):
        os.write(self._tell, f"{' '.join(deed.split())}\n".encode(errors="replace"))


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
