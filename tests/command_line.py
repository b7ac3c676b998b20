"""Runs the command line as its users do, in processes that need not import anything again."""

import os
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import formgym

ROOT = Path(formgym.__file__).parent
COMMAND = [sys.executable, "-c", "from formgym.experiments.cli import main; main()"]
"""The command ``formgym``, for processes that are killed, limited or begun at once."""
_LIGHT = ("envs", "wrappers", "agents", "experiments")
_HEAVY = ("agents.bridges", "agents.models", "agents.policies", "experiments.training", "experiments.authoring")
_SERVER = get_context("forkserver")
_SERVER.set_forkserver_preload(
    [
        "hydra.main", "antlr4", "jinja2", "PIL.Image", "hydra.core.plugins",
        *(
            ".".join(("formgym", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
            for room in _LIGHT
            for path in sorted((ROOT / room).rglob("*.py"))
            if not ".".join(path.relative_to(ROOT).parts).startswith(_HEAVY)
        ),
    ]
)  # fmt: skip


def formgym_command(*arguments, cwd, input="", env=None):
    """What a command prints and returns, as ``subprocess.run`` tells it.

    Args:
        arguments: of ``formgym``.
        cwd: the folder that it runs in; modules in it can be imported.
        input: standard input.
        env: all environment variables; None: those of this process. Those that are read by an import have no effect.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("in", "out", "error")]
        files[0].write_text(input)
        environment = dict(os.environ if env is None else env)
        values = [str(one) for one in arguments], str(cwd), [str(file) for file in files], environment
        process = _SERVER.Process(target=_run, args=values)
        process.start()
        process.join(120)
        if process.is_alive():
            process.kill()
            raise subprocess.TimeoutExpired(arguments, 120)
        out, error = (file.read_text() for file in files[1:])
        return subprocess.CompletedProcess(arguments, process.exitcode, out, error)


def _run(arguments, folder, files, environment):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["formgym", *arguments]
    sys.path.insert(0, "")
    from formgym.experiments.cli import main

    main()
