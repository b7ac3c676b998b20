"""``formgym export``: write targets or recorded episodes as a data set."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import gymnasium as gym
from omegaconf import OmegaConf

from ... import __version__
from ...envs.core.grounding import GroundingEnv
from ..running.config_errors import config_errors, suggestion
from ..running.runs import SPEC, Run, find_runs
from ..terminal import progress, say, say_written, track
from . import chat_rows, step_rows, target_rows
from .export_folder import Export, counted, file_sha256, new_folder, size_of, write_export
from .row_files import FORMATS, Columns, Format, PngEncoder, Row
from .target_rows import Selection, grounding_ids, make_grounding

MINARI = "minari"
_PACKAGES = {"parquet": ("pyarrow",), MINARI: ("pyarrow", "minari")}
_SAMPLED_ROWS, _SAMPLED_EPISODES = 100, 10
"""How many rows or episodes of Minari the size of all is estimated from."""


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


def export(sources: Sequence[str], choices: Choices) -> None:
    """Write an export.

    Args:
        sources: the id of a grounding environment, and its settings as ``name=value``; or folders of runs.
        choices: the options.

    Raises:
        ValueError: if these do not go together, or there is nothing to export.
        RuntimeError: if a package is missing, or another process exports to the folder.
        OSError: if the folder cannot be written.
    """
    _check_format(choices.format)
    if choices.chat and (choices.format == MINARI or choices.random is not None or not choices.images):
        raise ValueError("--chat goes with --format parquet or jsonl, and without --random and --no-images")
    began = time.monotonic()
    env_id = sources[0].removeprefix("formgym:")
    with new_folder(choices.out) as folder:
        if env_id in gym.registry and choices.chat:
            exported = _export_solutions(env_id, sources[1:], choices, folder)
        elif env_id in gym.registry:
            exported = _export_targets(env_id, sources[1:], choices, folder)
        else:
            exported = _export_runs(sources, choices, folder)
        write_export(folder, exported)
        size = size_of(folder)
    seconds = time.monotonic() - began
    content = counted(exported.rows, exported.content)
    say_written(choices.out, f"{content}, {_megabytes(size)}, in {seconds:.0f} s: {choices.out}")


def _check_format(name: str) -> None:
    known = (*FORMATS, MINARI)
    if name not in known:
        raise ValueError(f"there is no format {name!r}; there are {', '.join(known)}")
    for package in _PACKAGES.get(name, ()):
        try:
            import_module(package)
        except ImportError as error:
            raise RuntimeError(f"the format {name} needs {package}: pip install 'formgym[export]' ({error})") from None


# -- Targets -------------------------------------------------------------------------------------------------------


def _export_targets(env_id: str, arguments: Sequence[str], choices: Choices, folder: Path) -> Export:
    """Export the targets of a grounding environment."""
    settings = {"split": choices.split or "train"} | _settings(arguments)
    _check_choices(choices, settings)
    if choices.format == MINARI:
        from .minari_files import MAX_TARGETS

        settings["max_targets"] = settings.get("max_targets", MAX_TARGETS)
    env = make_grounding(env_id, settings)
    _warn_of_test_split([str(settings["split"])])
    seed = choices.seed or 0
    selection = Selection(cast(GroundingEnv, env.unwrapped), choices.targets, seed)
    if choices.targets and selection.n < choices.targets:
        say(f"There are only {selection.n:,} targets in this selection; all are exported.")
    if choices.format == MINARI:
        return _write_minari(env, selection, choices, folder)
    rows = target_rows.target_rows(env, selection, seed, _encoder(choices))
    return _write_rows(rows, target_rows.COLUMNS, "targets", selection.n, str(settings["split"]), choices, folder)


def _check_choices(choices: Choices, settings: Mapping[str, Any]) -> None:
    """Check that options and settings go with the format.

    Raises:
        ValueError: if one does not.
    """
    if choices.format == MINARI:
        if not choices.images:
            raise ValueError("Minari data sets have whole observations; leave out --no-images")
        if settings.get("secret"):
            raise ValueError("Minari data sets hold their environment with all settings; leave out the secret")
        if settings.get("max_targets", 1) is None:
            raise ValueError("an episode is held in memory; max_targets must be a number")
    elif choices.random is not None:
        raise ValueError("--random is a share of actions, and these rows have none; it goes with --format minari")
    elif settings.get("max_targets") is not None:
        raise ValueError("max_targets is a length of episodes, and rows have none; it goes with --format minari")


def _settings(arguments: Sequence[str]) -> dict[str, Any]:
    """The settings in ``name=value`` arguments.

    Raises:
        ValueError: if one is not of this form.
    """
    if without := [argument for argument in arguments if "=" not in argument]:
        raise ValueError(f"{without[0]!r} is no setting of the environment; these are written name=value")
    with config_errors():
        return cast(dict[str, Any], OmegaConf.to_container(OmegaConf.from_dotlist(list(arguments))))


def _write_minari(env: gym.Env[Any, Any], selection: Selection, choices: Choices, folder: Path) -> Export:
    from .minari_files import MinariWriter, dataset_id, grounding_episodes

    random = choices.random or 0.0
    writer = MinariWriter(folder, env, f"right answers, and {random:.0%} random ones" if random else "right answers")
    episodes = grounding_episodes(env, selection, random, choices.seed or 0)
    written = 0
    with progress("exporting", selection.n) as advance:
        for number, steps in enumerate(episodes, start=1):
            writer.add(steps)
            written += len(steps.actions)
            advance(len(steps.actions))
            if number == _SAMPLED_EPISODES:
                _say_estimate(selection.n, "steps", size_of(folder) / written)
    say(f"MINARI_DATASETS_PATH={choices.out} loads it as {dataset_id(env)}")
    return _described(choices, "steps", written, {})


# -- Chats ---------------------------------------------------------------------------------------------------------


def _export_solutions(env_id: str, arguments: Sequence[str], choices: Choices, folder: Path) -> Export:
    """Export conversations that solve the tasks of an environment."""
    settings = {"split": choices.split or "train"} | _settings(arguments)
    chats = chat_rows.Solutions(env_id, settings, choices.targets, choices.seed or 0)
    split = str(settings["split"])
    _warn_of_test_split([split])
    return _write_rows(chats.rows(_encoder(choices)), chat_rows.COLUMNS, "chats", chats.n, split, choices, folder)


# -- Runs ----------------------------------------------------------------------------------------------------------


def _export_runs(sources: Sequence[str], choices: Choices, folder: Path) -> Export:
    """Export the recorded episodes of runs."""
    if missing := [source for source in sources if not Path(source).exists()]:
        known = suggestion(missing[0], grounding_ids())
        raise ValueError(f"{missing[0]} is neither an environment nor a folder of runs; {known}")
    given = {"--targets": choices.targets, "--split": choices.split, "--seed": choices.seed, "--random": choices.random}
    if misplaced := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{misplaced[0]} goes with a grounding environment, not with runs")
    if choices.format == MINARI:
        raise ValueError("the format minari is for grounding environments; runs are exported as parquet or jsonl")
    runs = [run for source in sources for run in find_runs(Path(source).resolve())]
    if not runs:
        raise ValueError(f"there is no run in {', '.join(sources)}; make one with: formgym evaluate")
    if failures := [f"{failure} in {run.folder.name}" for run in runs for failure in run.failures]:
        say(f"Episodes without a score are left out: {', '.join(failures)}.")
    n_steps = sum(map(step_rows.n_steps, runs))
    if not n_steps:
        raise ValueError(f"no episode with a score and a step in {', '.join(sources)}")
    splits = sorted({_split_of(run) for run in runs})
    _warn_of_test_split(splits)
    encode = _encoder(choices)
    if choices.chat:
        n_chats = sum(episode.metrics is not None for run in runs for episode in run.episodes)
        rows = (row for run in runs for row in chat_rows.run_rows(run, encode))
        return _write_rows(rows, chat_rows.COLUMNS, "chats", n_chats, "-".join(splits), choices, folder)
    base = os.path.commonpath([run.folder.parent for run in runs])
    rows = (row for run in runs for row in step_rows.run_rows(run, str(run.folder.relative_to(base)), encode))
    return _write_rows(rows, step_rows.COLUMNS, "steps", n_steps, "-".join(splits), choices, folder)


def _split_of(run: Run) -> str:
    return str(json.loads((run.folder / SPEC).read_text(encoding="utf-8"))["kwargs"].get("split", "test"))


# -- Rows ----------------------------------------------------------------------------------------------------------


def _encoder(choices: Choices) -> Any:
    """What makes the values of pictures."""
    return PngEncoder() if choices.images else lambda picture: None


def _write_rows(
    rows: Iterable[Row], columns: Columns, content: str, n: int, split: str, choices: Choices, folder: Path
) -> Export:
    """Write rows in the chosen format."""
    columns = {name: kind for name, kind in columns.items() if choices.images or kind != "image"}
    ordered = ({name: row[name] for name in columns} for row in rows)
    form = FORMATS[choices.format]
    path = folder / form.file.format(split)
    path.parent.mkdir(exist_ok=True)
    tracked = track(ordered, "exporting", n)
    sample = list(islice(tracked, _SAMPLED_ROWS))
    _say_estimate(n, content, _size_of_sample(sample, columns, form, folder) / len(sample))
    form.write(chain(sample, tracked), columns, path)
    return _described(choices, content, n, {str(path.relative_to(folder)): file_sha256(path)})


def _size_of_sample(rows: Sequence[Row], columns: Columns, form: Format, folder: Path) -> int:
    """The bytes that some rows take with their pictures."""
    with TemporaryDirectory(dir=folder) as place:
        form.write(rows, columns, Path(place) / "sample")
        return size_of(Path(place))


def _described(choices: Choices, content: str, rows: int, sha256: dict[str, str]) -> Export:
    return Export(formgym=__version__, format=choices.format, content=content, rows=rows, sha256=sha256)


# -- The terminal --------------------------------------------------------------------------------------------------


def _say_estimate(n: int, content: str, bytes_each: float) -> None:
    say(f"{counted(n, content)}, about {_megabytes(n * bytes_each)}")


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"


def _warn_of_test_split(splits: Sequence[str]) -> None:
    if "test" in splits:
        say("The test split is there to judge by: do not train on it.")
