"""``formgym sweep``: every combination of agents, environments and settings, each a run."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...envs.core.files import atomic_write
from ...envs.core.metrics import METRICS, places, title
from ..terminal.console import (
    USER_ERRORS,
    error_message,
    format_interval,
    format_number,
    print_json,
    print_table,
    say,
    say_failure,
    say_written,
    table_of,
)
from .command_line import CONF, config_errors, groups, register_choices, register_resolver, with_names_listed
from .episodes import AWAITED, Episode
from .run_folder import RUN, SWEEP, Run, RunFolder, slurm_shard, tentative_folder
from .run_spec import MAY_DIFFER, VARIABLE, RunSpec, secret_hash, setting_of
from .runner import Runner
from .sweep_progress import SweepProgress

if TYPE_CHECKING:
    from omegaconf import DictConfig

_MAX_NAME_LENGTH = 100
_PROGRAM = "formgym sweep"


class CrashedEpisodes(Exception):
    """Episodes of a run crashed."""


@dataclass(frozen=True)
class _Job:
    """A combination of settings: the run and its overrides, as Hydra writes them."""

    spec: RunSpec
    overrides: Sequence[str]

    def __str__(self) -> str:
        return " ".join(override for override in self.overrides if setting_of(override) not in MAY_DIFFER)


def sweep(arguments: Sequence[str]) -> None:
    """Play every combination of the settings.

    One combination is a run in ``run_dir``; several have a folder each in it, and so has one in the folder of a sweep.

    Args:
        arguments: ``NAME=VALUE``, or ``NAME=VALUE,VALUE``.

    Raises:
        ValueError: if a setting is wrong, or a single run does not go with what is in the folder.
        SystemExit: with status 1, if a job failed or episodes crashed.
    """
    # As `python -m` would: an agent of one's own may lie beside.
    sys.path.insert(0, str(Path.cwd()))
    shard = slurm_shard()
    is_given = any(argument.startswith("shard=") for argument in arguments)
    arguments = [*arguments, *([f"shard={shard}"] if shard and not is_given else [])]
    with config_errors():
        arguments = _without_secrets(with_names_listed(arguments))
        register_choices(arguments)
        combinations, launcher = _combinations(arguments)
        jobs = list(_jobs(combinations))
        folder = cast(Path, jobs[0].spec.run_dir)
        if launcher != "basic":
            _launch(arguments, jobs, folder)
    if launcher == "basic":
        with _saying_how_to_go_on(folder, arguments):
            if len(jobs) == 1 and not (folder / SWEEP).exists():
                _run_one(jobs[0].spec, arguments)
            else:
                _run_all(jobs, folder, arguments)


def command_again(arguments: Sequence[str], folder: Path, *more: str) -> str:
    """The command that goes on in a folder: the same settings, from which all that plays is made again.

    Args:
        arguments: of the sweep, secrets replaced by their hashes.
        folder: of the run or the sweep.
        *more: further settings, such as ``retry=errors``.
    """
    kept = [argument for argument in arguments if setting_of(argument) not in ("run_dir", "resume", "retry")]
    return shlex.join([*_PROGRAM.split(), *kept, f"run_dir={folder}", "resume=true", *more])


@contextmanager
def _saying_how_to_go_on(folder: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Prints how to go on, if a signal ends a sweep that has recorded something."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as end:
        is_signal = isinstance(end, KeyboardInterrupt) or end.code in (128 + signal.SIGTERM, 128 + signal.SIGHUP)
        if is_signal and (RunFolder(folder).is_begun or (folder / SWEEP).exists()):
            say_failure(f"Cut off; what is recorded is kept, go on with: {command_again(arguments, folder)}")
        raise


def _without_secrets(arguments: Iterable[str]) -> list[str]:
    """Arguments with the hashes of secrets in their place: no file of Hydra or of a launcher shall hold one."""
    kept, secrets = [], []
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key.endswith("env.secret") and value not in ("0", "null", ""):
            values = value.split(",")
            secrets += values
            argument = f"{key}={','.join(map(secret_hash, values))}"
        kept.append(argument)
    if secrets:
        os.environ[VARIABLE] = ",".join(filter(None, [*secrets, os.environ.get(VARIABLE)]))
    return kept


def _combinations(arguments: Sequence[str]) -> tuple[list[list[str]], str]:
    """The overrides of each job, and the launcher."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    parser = OverridesParser.create()
    parsed = parser.parse_overrides(list(arguments))
    of_sweeps = [o.input_line for o in parsed if setting_of(o.input_line or "").startswith(("experiment", "hydra"))]
    params: dict[str, Any] = {}
    launcher = "basic"
    if of_sweeps:
        with _composing() as compose:
            hydra = compose([line for line in of_sweeps if line is not None]).hydra
        params = dict(hydra.sweeper.params or {})
        launcher = str(hydra.runtime.choices["hydra/launcher"])
    own = parser.parse_overrides([f"{key}={value}" for key, value in params.items()])
    combinations = BasicSweeper.split_arguments([*own, *parsed], None)[0]
    return [[o for o in overrides if not o.startswith(("hydra.", "hydra/"))] for overrides in combinations], launcher


def _jobs(combinations: Sequence[Sequence[str]]) -> Iterator[_Job]:
    with _composing() as compose:
        for overrides in combinations:
            config = compose(overrides)
            yield _Job(RunSpec.from_hydra(config, config.hydra), overrides)


def spec_of(*overrides: str) -> RunSpec:
    """The run that settings of the command line describe, without combinations."""
    register_choices(overrides)
    (job,) = _jobs([overrides])
    return job.spec


@contextmanager
def _composing() -> Iterator[Callable[[Sequence[str]], DictConfig]]:
    from hydra import compose, initialize_config_dir

    register_resolver()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        yield lambda overrides: compose("sweep", list(overrides), return_hydra_config=True)


# -- One job -----------------------------------------------------------------------------------------------------------


def _run_one(spec: RunSpec, arguments: Sequence[str]) -> None:
    """Play one run in its folder, and print its metrics."""
    folder = cast(Path, spec.run_dir)
    again, watch = command_again(arguments, folder), _Watch()
    with _progress([spec], folder):
        run = Runner(spec, watch=watch, again=again).run()
    _print_metrics(run)
    print_json(run.summary | {"run_dir": str(run.folder), "awaited": watch.n_awaited})
    _say_awaited(watch.n_awaited, [spec], again)
    if run.summary["errors"]:
        command = command_again(arguments, folder, "retry=errors")
        say(f"To run only what failed again: {command}")
    if run.summary["crashes"]:
        raise SystemExit(1)


def _progress(specs: Sequence[RunSpec], folder: Path) -> SweepProgress:
    budget = specs[0].budget or {}
    return SweepProgress(folder, len(specs), specs[0].episodes, budget.get("dollars"))


class _Watch:
    """Prints why the first episode of a run crashed, and why the first has no score; counts those without a reply."""

    def __init__(self) -> None:
        self._explained: set[str] = set()
        self.n_awaited = 0

    def __call__(self, episode: Episode) -> None:
        if episode.ended == AWAITED:
            self.n_awaited += 1
        elif episode.error and episode.ended not in self._explained:
            fate = "crashed" if episode.crashed else "has no score"
            say_failure(f"Episode {episode.index} {fate}; the run goes on.\n{episode.traceback or episode.error}")
            self._explained.add(episode.ended)


def _say_awaited(count: int, specs: Iterable[RunSpec], again: str) -> None:
    """Print how many episodes wait for replies, to which questions, and how to go on."""
    if count:
        folders = ", ".join(dict.fromkeys(str((spec.model or {}).get("folder")) for spec in specs))
        what = "1 episode waits for a reply" if count == 1 else f"{count} episodes wait for replies"
        say(f"{what}: write reply.md beside each prompt.md without one in {folders}.")
        say(f"Then go on with: {again}")


def _print_metrics(run: Run) -> None:
    scores = [(name, run.scores[name], places(name)) for name in METRICS if name in run.scores]
    rows = ((title(name), format_number(s["mean"], n), format_interval(s["ci95"], n)) for name, s, n in scores)
    if run.scores:
        print_table(table_of(f"{run.summary['agent']} on {run.env_title}", ("metric", "mean", "95 % interval"), rows))
    counts = ", ".join([f"{run.summary['episodes']} episodes", *run.failures])
    say_written(run.folder, f"{counts}; written to {run.folder}\n")
    if refusal := _usual_refusal(run):
        say_failure(refusal)


def _usual_refusal(run: Run) -> str | None:
    """Why most calls of a run were not carried out, if that is so."""
    calls, invalid = map(sum, zip((0, 0), *((e.n_calls, e.n_invalid) for e in run.episodes), strict=True))
    if 2 * invalid <= calls:
        return None
    pairs = (pair for e in run.episodes for r in e.rounds for pair in zip(r.feedback, r.valid, strict=False))
    why = next((feedback for feedback, valid in pairs if not valid and feedback), "")
    return f"{invalid} of {calls} calls were not valid, such as: {why} formgym report shows them all."


# -- Several jobs ------------------------------------------------------------------------------------------------------


def _run_all(jobs: Sequence[_Job], folder: Path, arguments: Sequence[str]) -> None:
    """Play the jobs one after another, each in its folder, and list those that failed."""
    if RunFolder(folder).is_begun:
        raise ValueError(f"{folder} holds a run; a sweep needs another run_dir")
    runs, failures, n_awaited = [], [], 0
    with tentative_folder(folder, SWEEP):
        atomic_write(folder / SWEEP, "".join(f"- {shlex.quote(argument)}\n" for argument in arguments).encode())
        with _progress([job.spec for job in jobs], folder) as shown:
            for number, job in enumerate(jobs):
                try:
                    run, awaited = _run_job(job, number)
                # A mistake in one job must not cost the other jobs.
                except Exception as error:  # noqa: BLE001
                    failures.append((str(job), _reason(error)))
                    say_failure(f"{job}: failed ({number + 1} of {len(jobs)} jobs, {shown.line()})")
                else:
                    n_awaited += awaited
                    runs.append(run.summary | {"run_dir": str(run.folder), "awaited": awaited})
                    say(f"{_line(run)} ({number + 1} of {len(jobs)} jobs, {shown.line()})")
    print_json(runs)
    _say_awaited(n_awaited, [job.spec for job in jobs], command_again(arguments, folder))
    if failures:
        heading = f"{len(failures)} of {len(jobs)} jobs failed"
        print_table(table_of(heading, ("job", "why it failed"), failures, n_texts=2))
        say(f"To run only what failed again: {command_again(arguments, folder, 'retry=errors')}")
        raise SystemExit(1)


def _run_job(job: _Job, number: int) -> tuple[Run, int]:
    """Play a job of a sweep in its folder; the run, and how many of its episodes wait for replies.

    Raises:
        CrashedEpisodes: in the end, if episodes of it crashed.
    """
    folder = cast(Path, job.spec.run_dir)
    path = folder / run_name(job.overrides)
    if job.spec.resume and not RunFolder(path).is_begun:
        path = _folder_of(job.spec, folder) or path
    watch = _Watch()
    run = Runner(job.spec.model_copy(update={"run_dir": path, "job": number}), watch=watch).run()
    if run.summary["crashes"]:
        raise CrashedEpisodes(f"{run.summary['crashes']} of {run.summary['episodes']} episodes crashed")
    return run, watch.n_awaited


def _folder_of(spec: RunSpec, sweep: Path) -> Path | None:
    """The folder of the run in a sweep that was begun with the same settings, whatever its name."""
    for path in sorted(sweep.glob(f"*/{RUN}")):
        with suppress(ValueError):
            if spec.is_same_run(RunFolder(path.parent).described().spec):
                return path.parent
    return None


def _reason(error: Exception) -> str:
    """Why a job failed; the traceback of a bug is printed."""
    if not isinstance(error, (*USER_ERRORS, CrashedEpisodes)):
        say("".join(traceback.format_exception(error)))
    return error_message(error) or type(error).__name__


def _line(run: Run) -> str:
    """A finished job in one line."""
    parts = [f"{run.summary['episodes']} of {run.requested or run.summary['episodes']} episodes", *run.failures]
    if run.headline:
        name, score = run.headline
        parts.append(f"{title(name)} {format_number(score['mean'], places(name))}")
    return f"{run.summary['agent']} on {run.env_title}: {', '.join(parts)}"


def run_name(overrides: Sequence[str]) -> str:
    """The name of a job's folder, such as ``agent-noop+env-formgym-scans``.

    It has at most 109 ASCII characters without a special meaning in shells or Hydra. A hash is appended if it is
    truncated, or if other overrides could have the same name.

    Args:
        overrides: of the job, as Hydra writes them.
    """
    settings = sorted(override for override in overrides if setting_of(override) not in MAY_DIFFER)
    parts = [_readable(override) for override in settings]
    name = "+".join(text for text, _ in parts) or "defaults"
    if len(name) <= _MAX_NAME_LENGTH and all(is_exact for _, is_exact in parts):
        return name
    # Of a secret the hash is hashed.
    pairs = ((override, *override.partition("=")[::2]) for override in settings)
    hashed = [f"{key}={secret_hash(value)}" if key.endswith("secret") else one for one, key, value in pairs]
    digest = hashlib.sha256("\n".join(hashed).encode(errors="surrogateescape")).hexdigest()
    return f"{name[:_MAX_NAME_LENGTH]}-{digest[:8]}"


def _readable(override: str) -> tuple[str, bool]:
    """An override in characters for names, and whether the name is unique to it."""
    override = override.lstrip("+")
    key = override.partition("=")[0]
    if key.endswith("secret"):
        return f"{key}-private", False
    # The choices of groups are letters, digits and underscores in folders.
    is_exact = key in groups() or re.fullmatch(r"[\w.]+=[\w.-]+", override, re.ASCII) is not None
    return "-".join(re.findall(r"[\w.-]+", override, re.ASCII)), is_exact


# -- Launchers of Hydra: jobs in other processes -----------------------------------------------------------------------


def _launch(arguments: Sequence[str], jobs: Sequence[_Job], folder: Path) -> None:
    """Let a launcher run the jobs; it raises the first failure once all have run."""
    import hydra

    sys.argv = [_PROGRAM, "-m", *arguments, f"run_dir={folder}"]
    with tentative_folder(folder, SWEEP):
        with _progress([job.spec for job in jobs], folder) as shown:
            hydra.main(version_base="1.3", config_path="../../conf", config_name="sweep")(_launched)()
        say(shown.line())


def _launched(config: DictConfig) -> None:
    """A job in a process of a launcher."""
    from hydra.core.hydra_config import HydraConfig

    hydra: Any = HydraConfig.get()
    overrides = list(hydra.overrides.task)
    sys.path.insert(0, str(Path.cwd()))
    register_resolver()
    register_choices(overrides)
    job = _Job(RunSpec.from_hydra(config, hydra), overrides)
    try:
        run, awaited = _run_job(job, hydra.job.num)
        say(_line(run))
        _say_awaited(awaited, [job.spec], "the same command and resume=true")
    except Exception as error:
        say_failure(f"{job}: {_reason(error)}")
        raise
