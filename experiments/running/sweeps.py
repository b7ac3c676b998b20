"""Sweeps: the folders of their jobs, and the report of failed jobs."""

from __future__ import annotations

import atexit
import hashlib
import re
import shlex
import traceback
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from ...envs.core.files import atomic_write
from ..terminal import USER_ERRORS, error_message, print_table, say, say_failure, table_of
from .runs import CONFIG, read_config, settings_of, tentative_folder
from .secrets import secret_hash
from .sweep_progress import SweepProgress, n_jobs

MAY_CHANGE = ("logger", "budget", "model_cache", "prices")
"""The settings that a resumed run takes from its command line, if they are there."""
MAY_DIFFER = ("run_dir", "resume", "retry", "concurrency", "shard", *MAY_CHANGE)
"""The settings that do not make another run of a run."""
_NO_SETTINGS = ("names", "job", "version")
_MAX_NAME_LENGTH = 100


class CrashedEpisodes(Exception):
    """Episodes of a run crashed."""


def run_name(overrides: Sequence[str], groups: Iterable[str]) -> str:
    """The name of a job's folder, such as ``agent-noop+env-formgym-scans``.

    It has at most 109 ASCII characters without a special meaning in shells or Hydra. A hash is appended if it is
    truncated,
    or if other overrides could have the same name.

    Args:
        overrides: of the job, as Hydra writes them.
        groups: the config groups; their choices are letters, digits and underscores in folders.
    """
    settings = sorted(override for override in overrides if setting_of(override) not in MAY_DIFFER)
    parts = [_readable(override, groups) for override in settings]
    name = "+".join(text for text, _ in parts) or "defaults"
    if len(name) <= _MAX_NAME_LENGTH and all(is_exact for _, is_exact in parts):
        return name
    digest = hashlib.sha256("\n".join(map(_hashed, settings)).encode(errors="surrogateescape")).hexdigest()
    return f"{name[:_MAX_NAME_LENGTH]}-{digest[:8]}"


def setting_of(override: str) -> str:
    """The first part of the key that an override sets."""
    return re.split(r"[=.@]", override.lstrip("+~"), maxsplit=1)[0]


def _readable(override: str, groups: Iterable[str]) -> tuple[str, bool]:
    """An override in characters for names, and whether the name is unique to it."""
    override = override.lstrip("+")
    key = override.partition("=")[0]
    if key.endswith("secret"):
        return f"{key}-private", False
    is_exact = key in groups or re.fullmatch(r"[\w.]+=[\w.-]+", override, re.ASCII) is not None
    return "-".join(re.findall(r"[\w.-]+", override, re.ASCII)), is_exact


def _hashed(override: str) -> str:
    """An override with the hash of a secret in its place."""
    key, _, value = override.partition("=")
    return f"{key}={secret_hash(value)}" if key.endswith("secret") else override


def find_job(sweep: Path, config: DictConfig) -> Path | None:
    """The folder of the run in a sweep that was begun with the same settings."""
    for path in sorted(sweep.glob(f"*/{CONFIG}")):
        with suppress(ValueError):
            if has_settings(path, config):
                return path.parent
    return None


def has_settings(path: Path, config: DictConfig) -> bool:
    """Whether the configuration in a file is of the same run."""
    expected, found = _settings(config), _settings_in(path)
    return all(found[key] == expected[key] for key in found.keys() & expected.keys())


@lru_cache(maxsize=1024)
def _settings_in(path: Path) -> dict[str, Any]:
    return _settings(read_config(path))


def _settings(config: DictConfig) -> dict[str, Any]:
    return {key: value for key, value in settings_of(config).items() if key not in (*MAY_DIFFER, *_NO_SETTINGS)}


class SweepCallback(Callback):
    """Lets every job of a sweep run, then lists the failed ones; exit status 1.

    Where a launcher runs jobs in other processes, Hydra itself raises the first failure once all have run.
    """

    def __init__(self) -> None:
        self._progress: SweepProgress | None = None
        self._n_jobs = 0
        self._failed: list[tuple[Sequence[str], Exception]] = []

    def __getstate__(self) -> dict[str, Any]:
        """What the processes of a launcher get: no progress, which the sweep itself shows."""
        return self.__dict__ | {"_progress": None}

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Show the progress of a sweep; its folder is removed if no job of it begins."""
        stack = ExitStack()
        # If it cannot be made, Hydra is about to say so.
        with suppress(OSError):
            stack.enter_context(tentative_folder(Path(config.hydra.sweep.dir), "multirun.yaml"))
        atexit.register(stack.close)
        episodes = config.episodes if isinstance(config.episodes, int) else None
        dollars = OmegaConf.select(config, "budget.dollars")
        self._progress = SweepProgress(Path(config.hydra.sweep.dir), n_jobs(config), episodes, dollars)
        self._progress.start()
        stack.callback(self._progress.stop)

    def on_job_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Remove secrets from the file in which Hydra keeps a sweep's command line."""
        path = Path(config.hydra.sweep.dir, "multirun.yaml")
        if config.hydra.mode is RunMode.MULTIRUN and path.exists():
            text = path.read_text(encoding="utf-8")
            without = re.sub(r"(secret(?:=|: ))[^\s'\"]+", r"\1private", text)
            if without != text:
                atomic_write(path, without.encode())

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Print how a job of a sweep ended; keep a failure, which its sweeper would raise."""
        if config.hydra.mode is not RunMode.MULTIRUN:
            return
        overrides, result = job_return.overrides or (), job_return._return_value
        failed = job_return.status is JobStatus.FAILED
        if self._progress is None:
            # A process of a launcher: its sweep raises the first failure of all jobs.
            _say_job(": ".join(_failure(overrides, result)) if failed else result, failed)
            return
        self._n_jobs += 1
        if failed:
            self._failed.append((overrides, result))
            job_return.status, job_return.return_value = JobStatus.COMPLETED, None
        what = f"{_job(overrides)}: failed" if failed else result
        _say_job(f"{what} ({self._n_jobs} of {self._progress.jobs} jobs, {self._progress.line()})", failed)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the jobs that failed, and end with exit status 1 if there are any."""
        if self._progress is not None:
            self._progress.stop()
            # Of jobs in other processes nothing was printed here.
            if not self._n_jobs:
                say(self._progress.line())
        if not self._failed:
            return
        rows = [_failure(overrides, error) for overrides, error in self._failed]
        title = f"{len(self._failed)} of {self._n_jobs} jobs failed"
        print_table(table_of(title, ("job", "why it failed"), rows, n_texts=2))
        again = f"run_dir={shlex.quote(config.hydra.sweep.dir)} resume=true retry=errors"
        say(f"To run only what failed again, add to the same command: {again}")
        raise SystemExit(1)


def _failure(overrides: Sequence[str], error: Exception) -> tuple[str, str]:
    """A job that failed, and why; the traceback of a bug is printed."""
    if not isinstance(error, (*USER_ERRORS, CrashedEpisodes)):
        say("".join(traceback.format_exception(error)))
    return _job(overrides), error_message(error) or type(error).__name__


def _say_job(line: str, failed: bool) -> None:
    (say_failure if failed else say)(line)


def _job(overrides: Sequence[str]) -> str:
    return " ".join(override for override in overrides if setting_of(override) not in MAY_DIFFER)
