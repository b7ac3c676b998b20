"""``RunFolder``: a run on disk, written by one process or several, read by all verbs."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import Data, atomic_write, read_foreign
from ...envs.core.metrics import headline_of, title
from ..terminal.console import error_message, format_interval, format_number
from .conditions import holds_ground_truth, joined, options, wrapper_titles
from .episodes import Episode, EpisodeFiles, episode_writer
from .intervals import clusters_of, scores_of
from .recorded import recorded_env
from .run_spec import RunSpec, Shard

RUN, SUMMARY, LEDGER = "run.json", "summary.json", "ledger.jsonl"
"""The files of a run beside its episodes: its description, their summary, and what its model's replies cost."""
SWEEP = "multirun.yaml"
"""The file by which the folder of a sweep is known."""
TRAINING_TABLE = "table.csv"
"""In the folder of a training of policies."""
_OF_A_PROCESS = {"run_dir", "resume", "retry", "shard"}
"""Settings that are no part of a run's description."""
_MAX_DESCRIPTION = 16_000_000
"""Bytes of a run's description, in which a scripted model may have replies."""
_MAX_RUNS = 10_000
_EPISODE_FILE = re.compile(r"episodes(\.\d+-of-\d+)?\.jsonl")
_LAST = 1 << 60


@dataclass(frozen=True)
class Run:
    """A run that has been read, or has just been played; printed, it is a line.

    Attributes:
        folder: of its files.
        summary: what ``summary.json`` says, computed from the episodes.
        episodes: in the order of their indices.
        spec: its settings.
        requested: how many episodes it has when it is complete; ``None`` if that was not recorded.
    """

    folder: Path
    summary: dict[str, Any]
    episodes: Sequence[Episode]
    spec: RunSpec | None = None
    requested: int | None = None

    def __str__(self) -> str:
        errors = [episode.error for episode in self.episodes if episode.error]
        failed = f", {', '.join(self.failures)}: {errors[0]}" if errors else ""
        count = f"{len(self.episodes)} episode{'s' * (len(self.episodes) != 1)}{failed}"
        if self.headline is None:
            return count
        name, score = self.headline
        interval = f" (95 % interval {format_interval(score['ci95'])})" if score["ci95"] else ""
        return f"{title(name)} {format_number(score['mean'])}{interval}, {count}"

    @property
    def scores(self) -> dict[str, dict[str, Any]]:
        """Of each metric the ``mean`` and its 95 % interval ``ci95``, over the episodes that have a score."""
        scores: dict[str, dict[str, Any]] = self.summary["scores"]
        return scores

    @property
    def headline(self) -> tuple[str, dict[str, Any]] | None:
        """The name of the most important metric, its mean and interval; ``None`` if no episode has a score."""
        name = headline_of(self.scores) if self.scores else None
        return None if name is None else (name, self.scores[name])

    @property
    def suite(self) -> str:
        """The suite of its environment."""
        return str(self.summary["env"]).partition("/")[0]

    @property
    def env_title(self) -> str:
        """The environment, with the settings that are not the usual ones."""
        settings = ", ".join(f"{name}={value}" for name, value in self.summary["settings"].items())
        return f"{self.summary['env']} ({settings})" if settings else str(self.summary["env"])

    @property
    def conditions(self) -> str:
        """The flow, the wrappers and what else is not as usual, marked if something knows answers."""
        return joined(self.summary["flow"], self.summary["wrappers"], self.summary["options"], self.knows_answers)

    @property
    def knows_answers(self) -> bool:
        """Whether the agent, a wrapper or the environment knows answers: such runs show what others could reach."""
        return bool(self.summary["ground_truth"])

    @property
    def title(self) -> str:
        """The agent with its conditions."""
        return f"{self.summary['agent']} ({self.conditions})"

    @property
    def failures(self) -> tuple[str, ...]:
        """How many episodes have no score of their own, by the reason."""
        counts = {"unscored": self.summary["unscored"], "crashed": self.summary["crashes"]}
        return tuple(f"{count} {reason}" for reason, count in counts.items() if count)

    def make_env(self) -> PaperworkEnv:
        """The bare environment of the run, for replays.

        Raises:
            ValueError: see ``recorded_env``.
        """
        if self.spec is None:
            raise ValueError(f"{self.summary['env']} is no environment of formgym")
        return recorded_env(self.spec.env)


class Description(Data):
    """The content of ``run.json``."""

    version: str
    requested: int | None
    spec: RunSpec


class RunFolder:
    """The folder of a run.

    Example:
        >>> import tempfile
        >>> from formgym.experiments.running.run_spec import RunSpec
        >>> from formgym.experiments.running.runner import Runner
        >>> folder = RunFolder(Path(tempfile.mkdtemp(), "run"))
        >>> spec = RunSpec(env="FormGym/Scans-v0", agent="formgym.agents.Noop", episodes=2)
        >>> _ = Runner(spec.model_copy(update={"run_dir": folder.path})).run()
        >>> sorted(path.name for path in folder.path.iterdir())
        ['episodes.jsonl', 'run.json', 'summary.json']
        >>> len(folder.read().episodes)
        2
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_begun(self) -> bool:
        """Whether it describes a run."""
        return (self.path / RUN).exists()

    @property
    def ledger(self) -> Path:
        """What the replies of its model cost; the jobs of a sweep share a file."""
        return (self.path.parent if (self.path.parent / SWEEP).exists() else self.path) / LEDGER

    def describe(self, spec: RunSpec, requested: int | None) -> None:
        """Write the description of the run, without secrets, if there is none."""
        if not self.is_begun:
            settings = spec.public().model_dump(mode="json", exclude=_OF_A_PROCESS)
            content = {"version": __version__, "requested": requested, "spec": settings}
            atomic_write(self.path / RUN, (json.dumps(content, indent=2) + "\n").encode())

    def described(self) -> Description:
        """The spec of the run, and what else is recorded of it.

        Raises:
            ValueError: if it is missing or broken; the message names the file.
        """
        if not self.is_begun:
            raise ValueError(f"{self.path} is no run folder: it has no {RUN}")
        try:
            return Description.model_validate_json(read_foreign(self.path / RUN, _MAX_DESCRIPTION))
        except (ValidationError, OSError) as error:
            first = error.errors()[0] if isinstance(error, ValidationError) else None
            what = f"{'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}" if first else error_message(error)
            raise ValueError(f"{self.path / RUN} is no description of a run: {what}") from error

    def files(self) -> list[Path]:
        """The files of its episodes: that of the whole, and those of shards."""
        return sorted(path for path in self.path.glob("episodes*.jsonl") if _EPISODE_FILE.fullmatch(path.name))

    def episodes(self, shard: Shard | None = None) -> EpisodeFiles:
        """Its episodes, read when they are used.

        Args:
            shard: whose; ``None``: those of all shards.

        Raises:
            ValueError: if a line of a file is no episode.
        """
        return EpisodeFiles(*(self.files() if shard is None else [self.path / shard.file_name]))

    def read(self, shard: Shard | None = None) -> Run:
        """The run, of one shard or of all.

        Raises:
            ValueError: if it is not a run folder, or a file in it is broken.
        """
        about, recorded = self.described(), self.episodes(shard)
        return Run(self.path, summarise(about.spec, about.version, recorded), recorded, about.spec, about.requested)

    def summarise(self) -> Run:
        """Write ``summary.json``; the run."""
        run = self.read()
        atomic_write(self.path / SUMMARY, (json.dumps(run.summary, indent=2) + "\n").encode())
        return run

    @contextmanager
    def writing(self, shard: Shard | None = None) -> Iterator[FileIO]:
        """Make the folder and lock a file of episodes for ``write_episode``; a folder that stays empty is removed.

        Raises:
            RuntimeError: if another process writes to the file.
        """
        with tentative_folder(self.path), episode_writer(self.path / (shard or Shard()).file_name) as file:
            yield file


def summarise(spec: RunSpec, version: str, recorded: Iterable[Episode]) -> dict[str, Any]:
    """The summary of a run with these settings and episodes.

    Args:
        spec: of the run.
        version: of the formgym that made it.
        recorded: its episodes.
    """
    episodes = [episode.model_copy(update={"rounds": [], "fields": []}) for episode in recorded]
    return {
        "env": spec.env_id,
        "settings": spec.settings,
        "agent": spec.name,
        "flow": spec.flow_name,
        **({"prompts": spec.prompts} if spec.prompts else {}),
        "wrappers": wrapper_titles(spec),
        "options": options(spec),
        "ground_truth": _ground_truth(spec, episodes),
        "seed": spec.seed,
        "episodes": len(episodes),
        "sampled": spec.episodes is not None,
        "errors": sum(episode.error is not None for episode in episodes),
        "unscored": sum(episode.unscored for episode in episodes),
        "crashes": sum(episode.crashed for episode in episodes),
        # Of a record that does not say whose fault it was, it may have been the environment's.
        "environment_crashes": sum(episode.crashed and episode.fault != "agent" for episode in episodes),
        "stopped": dict(Counter(episode.stop_reason for episode in episodes if episode.stop_reason)),
        "clusters": {name: len(set(levels.tolist())) for name, levels in clusters_of(episodes).items()},
        "scores": scores_of(episodes),
        "version": version,
    }


def _ground_truth(spec: RunSpec, episodes: Iterable[Episode]) -> list[str]:
    """What knows answers: see ``holds_ground_truth``; the agent too if it was given the solution of an episode."""
    found = holds_ground_truth(spec)
    return found if "agent" in found or not any(episode.privileged for episode in episodes) else ["agent", *found]


def find_runs(folder: Path) -> list[Run]:
    """All runs in a folder and below it; a broken one is left out with a warning.

    They come in the order of their paths, those of a sweep in the order of its jobs.

    Raises:
        ValueError: if there are very many.
    """
    runs = []
    for path in files_named(folder, RUN):
        try:
            runs.append(RunFolder(path.parent).read())
        except ValueError as error:
            warnings.warn(f"left out: {error}", stacklevel=2)
    return sorted(runs, key=_rank)


def files_named(folder: Path, *names: str) -> list[Path]:
    """The files of these names in a folder and below it, links to folders left out.

    Raises:
        ValueError: if there are very many.
    """
    walked = (Path(root, name) for root, _, files in os.walk(folder) for name in names if name in files)
    found = list(islice(walked, _MAX_RUNS + 1))
    if len(found) > _MAX_RUNS:
        raise ValueError(f"there are more than {_MAX_RUNS:,} runs in {folder}; name a folder with fewer")
    return found


def latest_run(root: Path) -> Path:
    """The folder below ``root`` of the newest run, its sweep, or a newer training.

    Raises:
        ValueError: if there is none.
    """
    paths = files_named(root, RUN, TRAINING_TABLE)
    if not paths:
        raise ValueError(f"no run below {root}; make one with: formgym sweep")
    newest = max(paths, key=lambda path: path.stat().st_mtime).parent
    return newest.parent if (newest.parent / SWEEP).exists() else newest


def _rank(run: Run) -> list[tuple[int, str]]:
    """Sorts run 2 before run 10, and the runs of a sweep by the numbers of their jobs."""
    parts = [(int(part), "") if part.isdecimal() else (_LAST, part) for part in run.folder.parts]
    job = run.spec.job if run.spec is not None else None
    return parts if job is None else [*parts[:-1], (job, run.folder.name)]


def slurm_shard(environment: Mapping[str, str] = os.environ) -> str | None:
    """The shard of a task of a SLURM array, such as ``"0/4"``; ``None``: no array."""
    task, first, step, count = (environment.get(f"SLURM_ARRAY_TASK_{name}") for name in ("ID", "MIN", "STEP", "COUNT"))
    if task is None or count is None:
        return None
    return f"{(int(task) - int(first or 0)) // int(step or 1)}/{count}"


@contextmanager
def tentative_folder(folder: Path, leftover: str | None = None) -> Iterator[None]:
    """Make ``folder``; if it is empty in the end, remove it and its new parents.

    Args:
        folder: what to make, if it is missing.
        leftover: the name of a file that goes with the folder if there is nothing else in it.

    Raises:
        OSError: if it cannot be made.
    """
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        # The first folder that is not empty ends it.
        with suppress(OSError):
            if leftover is not None and [path.name for path in folder.iterdir()] == [leftover]:
                (folder / leftover).unlink()
            for path in new:
                path.rmdir()


@contextmanager
def tentative_files(*paths: Path) -> Iterator[None]:
    """If an exception passes, remove those of ``paths`` that were missing or empty."""
    new = [path for path in paths if not path.exists() or not path.stat().st_size]
    try:
        yield
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
