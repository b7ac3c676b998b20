"""``formgym export``: write targets, recorded episodes or conversations as a data set."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import gymnasium as gym
from omegaconf import OmegaConf

from ... import __version__
from ...agents.session import Env, make_env
from ...envs.core.files import Data, atomic_write, open_foreign
from ...envs.core.grounding import GroundingEnv
from ...envs.registration import ids
from ..running.command_line import config_errors, suggestion
from ..running.run_folder import Run, find_runs, tentative_folder
from ..terminal.console import progress, say, say_written, track
from . import rows as row_makers
from .minari_files import MAX_TARGETS, dataset_id, write_episodes
from .row_files import FORMATS, Row
from .rows import COLUMNS, VIEW

EXPORT = "export.json"
MINARI = "minari"


@dataclass(frozen=True)
class Choices:
    """The options of ``formgym export``; ``None``: not given."""

    out: Path
    format: str = "parquet"
    targets: int | None = None
    split: str | None = None
    seed: int | None = None
    random: float | None = None
    images: bool = True
    chat: bool = False
    feedback: bool = False


class Export(Data):
    """What an export holds.

    Attributes:
        formgym: the version that wrote it.
        format: of its files.
        content: ``"targets"``, ``"steps"``, ``"chats"`` or ``"edits"``: what a row is.
        rows: how many rows it has.
        sha256: the digest of each file of rows, by its path in the folder.
    """

    formgym: str
    format: str
    content: str
    rows: int
    sha256: Mapping[str, str]


def counted(n: int, content: str) -> str:
    """A number of targets, steps, chats or edits, in words."""
    return f"{n:,} {content.removesuffix('s') if n == 1 else content}"


def file_sha256(path: Path) -> str:
    """The digest of a file."""
    with open_foreign(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def export(sources: Sequence[str], choices: Choices) -> None:
    """Write an export.

    Args:
        sources: the id of an environment, and its settings as ``name=value``; or folders of runs.
        choices: the options.

    Raises:
        ValueError: if these do not go together, or there is nothing to export.
    """
    _check_choices(choices)
    began = time.monotonic()
    env_id = sources[0].removeprefix("formgym:")
    with new_folder(choices.out) as folder:
        if env_id in gym.registry:
            exported = _export_environment(env_id, _settings(sources[1:]), choices, folder)
        else:
            exported = _export_runs(sources, choices, folder)
        if not exported.rows:
            raise ValueError("there is nothing in this selection")
        atomic_write(folder / EXPORT, exported.model_dump_json(indent=2).encode() + b"\n")
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    content = counted(exported.rows, exported.content)
    if choices.targets and exported.rows < choices.targets:
        say(f"There are only {content} in this selection; all are exported.")
    seconds = time.monotonic() - began
    say_written(choices.out, f"{content}, {size / 1e6:,.1f} MB, in {seconds:.0f} s: {choices.out}")


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder to write in, which becomes ``out`` unless an exception passes.

    Raises:
        ValueError: if ``out`` is a file, or a folder that is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there already; name another folder, or remove it")
    out = out.absolute()
    with tentative_folder(out.parent), TemporaryDirectory(dir=out.parent, prefix=f"{out.name}.part.") as part:
        folder = Path(part) / "export"
        folder.mkdir()
        yield folder
        folder.rename(out)


def _check_choices(choices: Choices) -> None:
    """Check that the options go together.

    Raises:
        ValueError: if they do not.
    """
    if choices.format not in (*FORMATS, MINARI):
        raise ValueError(f"there is no format {choices.format!r}; there are {', '.join((*FORMATS, MINARI))}")
    is_minari = choices.format == MINARI
    if choices.chat and (is_minari or not choices.images):
        raise ValueError("--chat goes with --format parquet or jsonl, and without --no-images")
    if choices.feedback and (is_minari or choices.chat or not choices.images):
        raise ValueError("--feedback goes with --format parquet or jsonl, and without --chat and --no-images")
    if choices.random is not None and not is_minari:
        raise ValueError("--random is a share of actions, and these rows have none; it goes with --format minari")
    if is_minari and not choices.images:
        raise ValueError("Minari data sets have whole observations; leave out --no-images")


def _settings(arguments: Sequence[str]) -> dict[str, Any]:
    """The settings in ``name=value`` arguments.

    Raises:
        ValueError: if one is not of this form.
    """
    if without := [argument for argument in arguments if "=" not in argument]:
        raise ValueError(f"{without[0]!r} is no setting of the environment; these are written name=value")
    with config_errors():
        return cast(dict[str, Any], OmegaConf.to_container(OmegaConf.from_dotlist(list(arguments))))


# -- Environments --------------------------------------------------------------------------------------------------


def _export_environment(env_id: str, settings: dict[str, Any], choices: Choices, folder: Path) -> Export:
    """Export targets of a grounding environment, edits of documents, or conversations that solve tasks of any."""
    view = {name: settings.pop(name, None) for name in VIEW} if choices.chat else {}
    settings = {"split": choices.split or "train"} | settings
    if choices.format == MINARI:
        settings = {"max_targets": MAX_TARGETS} | settings
    env, n, seed = make_env(env_id, **settings), choices.targets, choices.seed or 0
    split = str(settings["split"])
    if choices.chat:
        _warn_of_test_split(split)
        return _write_rows(row_makers.solution_rows(env, n, seed, view), "chats", n, split, choices, folder)
    if choices.feedback:
        _warn_of_test_split(split)
        return _write_rows(row_makers.edit_rows(env, n, seed), "edits", n, split, choices, folder)
    if not isinstance(env.unwrapped, GroundingEnv):
        grounding = ", ".join(one for one in ids() if "Grounding" in one)
        raise ValueError(f"{env_id} asks for no targets; these do: {grounding}. --chat and runs take any id")
    _check_settings(settings, choices)
    _warn_of_test_split(split)
    if choices.format == MINARI:
        return _write_minari(env, choices, folder)
    return _write_rows(row_makers.target_rows(env, n, seed), "targets", n, split, choices, folder)


def _check_settings(settings: Mapping[str, Any], choices: Choices) -> None:
    """Check that settings of a grounding environment go with the format.

    Raises:
        ValueError: if one does not.
    """
    if choices.format != MINARI and settings.get("max_targets") is not None:
        raise ValueError("max_targets is a length of episodes, and rows have none; it goes with --format minari")
    if choices.format == MINARI and settings.get("secret"):
        raise ValueError("Minari data sets hold their environment with all settings; leave out the secret")
    if choices.format == MINARI and settings["max_targets"] is None:
        raise ValueError("an episode is held in memory; max_targets must be a number")


def _write_minari(env: Env, choices: Choices, folder: Path) -> Export:
    written = 0
    with progress("exporting", choices.targets) as advance:
        for n_steps in write_episodes(env, choices.targets, choices.seed or 0, choices.random or 0.0, folder):
            written += n_steps
            advance(n_steps)
    say(f"MINARI_DATASETS_PATH={choices.out} loads it as {dataset_id(env)}")
    return Export(formgym=__version__, format=MINARI, content="steps", rows=written, sha256={})


# -- Runs ----------------------------------------------------------------------------------------------------------


def _export_runs(sources: Sequence[str], choices: Choices, folder: Path) -> Export:
    """Export the recorded episodes of runs, as steps or conversations."""
    runs = _runs_of(sources, choices)
    episodes = [episode for run in runs for episode in run.episodes if episode.metrics is not None]
    split = "-".join(sorted({_split_of(run) for run in runs}))
    _warn_of_test_split(split)
    if choices.chat:
        chats = (row for run in runs for row in row_makers.run_chats(run))
        return _write_rows(chats, "chats", len(episodes), split, choices, folder)
    base = os.path.commonpath([run.folder.parent for run in runs])
    steps = (row for run in runs for row in row_makers.run_rows(run, str(run.folder.relative_to(base))))
    return _write_rows(steps, "steps", sum(episode.n_calls for episode in episodes), split, choices, folder)


def _runs_of(sources: Sequence[str], choices: Choices) -> list[Run]:
    """The runs in folders.

    Raises:
        ValueError: if there are none, or an option goes with environments only.
    """
    if missing := [source for source in sources if not Path(source).exists()]:
        raise ValueError(
            f"{missing[0]} is neither an environment nor a folder of runs; {suggestion(missing[0], ids())}"
        )
    given = {"--targets": choices.targets, "--split": choices.split, "--seed": choices.seed}
    given["--feedback"] = choices.feedback or None
    if misplaced := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{misplaced[0]} goes with an environment, not with runs")
    if choices.format == MINARI:
        raise ValueError("the format minari is for grounding environments; runs are exported as parquet or jsonl")
    runs = [run for source in sources for run in find_runs(Path(source).resolve())]
    if not runs:
        raise ValueError(f"there is no run in {', '.join(sources)}; make one with: formgym sweep")
    if failures := [f"{failure} in {run.folder.name}" for run in runs for failure in run.failures]:
        say(f"Episodes without a score are left out: {', '.join(failures)}.")
    return runs


def _split_of(run: Run) -> str:
    assert run.spec is not None
    usual = gym.registry[run.spec.env_id].kwargs if run.spec.env_id in ids() else {}
    split = str((usual | run.spec.env).get("split", "test"))
    # It will be a name of a file.
    if not re.fullmatch(r"\w+", split):
        raise ValueError(f"{run.folder} has no split that an export can be named after")
    return split


# -- Rows ----------------------------------------------------------------------------------------------------------


def _write_rows(rows: Iterable[Row], content: str, n: int | None, split: str, choices: Choices, folder: Path) -> Export:
    """Write rows in the chosen format."""
    columns = {name: kind for name, kind in COLUMNS[content].items() if choices.images or kind != "image"}
    written = 0

    def counted_rows() -> Iterator[Row]:
        nonlocal written
        for row in track(rows, "exporting", n):
            written += 1
            yield row

    format_ = FORMATS[choices.format]
    path = folder / format_.file.format(split)
    path.parent.mkdir(exist_ok=True)
    format_.write(counted_rows(), columns, path)
    digests = {str(path.relative_to(folder)): file_sha256(path)}
    return Export(formgym=__version__, format=choices.format, content=content, rows=written, sha256=digests)


def _warn_of_test_split(split: str) -> None:
    if "test" in split.split("-"):
        say("The test split is there to judge by: do not train on it.")
