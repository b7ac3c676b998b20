"""Loggers: where the figures of a run go besides its directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol

from ..envs.core.painting import Image
from .episodes import Episode

Mode = Literal["offline", "online", "disabled"]


class Logger(Protocol):
    """Told of every episode of a run. Used as: ``begin``, ``episode`` for each, ``finish``."""

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """A run begins, or goes on, in ``folder``."""
        ...

    def episode(self, episode: Episode, before: Image, after: Image) -> None:
        """An episode has ended; ``before`` and ``after`` are its first and last page."""
        ...

    def finish(self, summary: dict[str, Any]) -> None:
        """The run has ended."""
        ...


class NoLogger:
    """Logs nothing."""

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """Nothing."""

    def episode(self, episode: Episode, before: Image, after: Image) -> None:
        """Nothing."""

    def finish(self, summary: dict[str, Any]) -> None:
        """Nothing."""


class WandbLogger:
    """Logs to Weights & Biases: figures of each episode, page pictures, a table of all fields, the summary.

    Args:
        project: the project's name there.
        mode: ``"offline"`` (files in the run directory, for ``wandb sync``), ``"online"`` or ``"disabled"``.
        n_pictures: of how many episodes pictures are kept.
    """

    def __init__(self, project: str = "formgym", mode: Mode = "offline", n_pictures: int = 16) -> None:
        self._project, self._mode, self._n_pictures = project, mode, n_pictures
        self._rows: list[list[Any]] = []
        self._run: Any = None

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """Open a W&B run."""
        import wandb

        settings = wandb.Settings(silent=True, console="off")
        self._run = wandb.init(
            project=self._project, name=name, dir=folder, config=config, mode=self._mode, settings=settings
        )

    def episode(self, episode: Episode, before: Image, after: Image) -> None:
        """Log one episode."""
        import wandb

        data: dict[str, Any] = {f"score/{name}": value for name, value in (episode.figures or {}).items()}
        data |= {f"usage/{name}": value for name, value in episode.usage.items()}
        data |= {
            "episode/calls": episode.n_calls,
            "episode/seconds": episode.seconds,
            "episode/error": int(episode.error is not None),
        }
        if episode.index < self._n_pictures:
            caption = f"{episode.task}, episode {episode.index}"
            data["page/before"] = wandb.Image(before, caption=caption)
            data["page/after"] = wandb.Image(after, caption=caption)
        self._rows += [
            [episode.index, episode.task, f.name, f.matcher, f.expected, f.entered, f.correct] for f in episode.fields
        ]
        self._run.log(data, step=episode.index)

    def finish(self, summary: dict[str, Any]) -> None:
        """Log the table and the summary, and close the run."""
        import wandb

        columns: list[str | int] = ["episode", "task", "field", "matcher", "expected", "entered", "correct"]
        self._run.log({"fields": wandb.Table(columns=columns, data=self._rows)})
        self._run.summary.update({f"mean/{name}": value["mean"] for name, value in summary["scores"].items()})
        self._run.summary.update({"episodes": summary["episodes"], "errors": summary["errors"]})
        self._run.finish()
