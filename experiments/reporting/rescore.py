"""``formgym rescore``: grade recorded episodes with today's scorer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...envs.core.files import atomic_write, foreign_lines
from ...envs.core.metrics import places, title
from ..running.episodes import MAX_LINE_BYTES, Episode, episode_writer
from ..running.rollout import regraded
from ..running.run_folder import Run, RunFolder, find_runs
from ..terminal.console import format_number, print_json, print_table, say, say_failure, table_of, track
from .replay_frames import opened

RESCORED = "rescored.jsonl"


@dataclass
class Rescored:
    """The episodes of a run with today's scores.

    Attributes:
        run: as it was recorded.
        episodes: by their indices; those without a score, and those that cannot be replayed, as they were.
        problems: why episodes cannot be replayed, by their indices.
    """

    run: Run
    episodes: dict[int, Episode] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)

    def changes(self) -> Iterator[tuple[str, int, float | None, float | None]]:
        """Each metric that changed, in how many episodes, and its mean before and after."""
        pairs = [(old.metrics or {}, self.episodes[old.index].metrics or {}) for old in self.run.episodes]
        for name in dict.fromkeys(name for pair in pairs for metrics in pair for name in metrics):
            n_changed = sum(old.get(name) != new.get(name) for old, new in pairs)
            if n_changed:
                yield name, n_changed, _mean(name, (old for old, _ in pairs)), _mean(name, (new for _, new in pairs))


def rescore(folders: Sequence[Path], write: bool) -> bool:
    """Grade runs again and print which metrics changed.

    Args:
        folders: runs, or folders above runs.
        write: put the new scores into the runs; otherwise they go into ``rescored.jsonl`` beside the old ones.

    Returns:
        Whether every episode that has a score led to the pixels of its record again.

    Raises:
        ValueError: if there is no run.
        RuntimeError: if a run is still being written to.
    """
    runs = [run for folder in folders for run in find_runs(folder)]
    if not runs:
        raise ValueError(f"no run in {', '.join(map(str, folders))}; make one with: formgym sweep")
    rescored = [rescore_run(run) for run in track(runs, "rescoring")]
    # Before anything is written: recorded episodes are read when they are used.
    changes = [list(one.changes()) for one in rescored]
    for one in rescored:
        _store(one, write)
    rows, figures = [], []
    for one, changed in zip(rescored, changes, strict=True):
        for name, count, *means in changed:
            formatted = (format_number(mean, places(name)) for mean in means)
            rows.append((one.run.title, one.run.env_title, title(name), count, *formatted))
        by_name = {name: {"episodes": count, "before": old, "after": new} for name, count, old, new in changed}
        figures.append({"run": str(one.run.folder), "changes": by_name, "problems": one.problems})
    n_episodes = sum(len(one.episodes) for one in rescored)
    counted = f"{n_episodes} episodes of {len(runs)} runs"
    if rows:
        columns = ("agent", "environment", "metric", "episodes changed", "mean before", "mean after")
        print_table(table_of(f"Changes in {counted}", columns, rows, n_texts=3))
    else:
        say(f"{counted}: no score has changed.")
    for one in rescored:
        _say_problems(one)
    print_json(figures)
    say("The runs have the new scores." if write else f"The new scores are in {RESCORED} of each run.")
    return not any(one.problems for one in rescored)


def rescore_run(run: Run) -> Rescored:
    """The episodes of a run with today's scores."""
    result, env = Rescored(run), opened(run)
    for episode in run.episodes:
        result.episodes[episode.index] = episode
        if episode.metrics is None:
            continue
        replayed = env if isinstance(env, str) else regraded(env, episode)
        if isinstance(replayed, str):
            result.problems[episode.index] = replayed
        elif not replayed.is_same_page:
            result.problems[episode.index] = "its calls lead to other pixels now"
        else:
            result.episodes[episode.index] = replayed.episode
    if not isinstance(env, str):
        env.close()
    return result


def _store(rescored: Rescored, write: bool) -> None:
    folder, new = RunFolder(rescored.run.folder), rescored.episodes
    if not write:
        atomic_write(folder.path / RESCORED, _lines(new.values()))
        return
    for path in folder.files():
        # As its writer: a run that goes on keeps this out.
        with episode_writer(path):
            # Attempts that failed stay beside those that did not.
            attempts = [Episode.model_validate_json(line) for line in foreign_lines(path, MAX_LINE_BYTES)]
            atomic_write(path, _lines(old if old.metrics is None else new[old.index] for old in attempts))
    folder.summarise()


def _lines(episodes: Iterable[Episode]) -> bytes:
    return b"".join(episode.model_dump_json().encode() + b"\n" for episode in episodes)


def _mean(name: str, metrics: Iterable[Mapping[str, float]]) -> float | None:
    values = [one[name] for one in metrics if name in one]
    return sum(values) / len(values) if values else None


def _say_problems(rescored: Rescored) -> None:
    """Name a run with episodes that cannot be replayed."""
    for reason in dict.fromkeys(rescored.problems.values()):
        indices = [index for index, why in rescored.problems.items() if why == reason]
        some = ", ".join(map(str, indices[:10])) + (", …" if len(indices) > 10 else "")
        say_failure(f"{rescored.run.folder}: {len(indices)} episodes keep their scores ({some}): {reason}")
