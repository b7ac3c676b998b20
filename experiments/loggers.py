"""Loggers: where the figures of a run go besides its directory."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from ..envs.core.env import PaperworkEnv
from .config_errors import suggestion
from .episodes import Episode
from .rollout import replay
from .runs import CONFIG, Run

Mode = Literal["offline", "online", "disabled"]


class Logger(Protocol):
    """Told of every episode of a run. Used as: ``begin``, ``episode`` for each, ``finish``."""

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """A run begins, or goes on, in ``folder``."""
        ...

    def episode(self, episode: Episode, env: PaperworkEnv) -> None:
        """An episode has ended in ``env``, which may be used for replays."""
        ...

    def finish(self, run: Run) -> None:
        """The run has ended, or was cut off."""
        ...


class NoLogger:
    """Logs nothing."""

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """Nothing."""

    def episode(self, episode: Episode, env: PaperworkEnv) -> None:
        """Nothing."""

    def finish(self, run: Run) -> None:
        """Nothing."""


class WandbLogger:
    """Logs to Weights & Biases: figures of each episode, page pictures, a table of all fields, the summary.

    Args:
        project: the project's name there.
        mode: ``"offline"`` (files in the run directory, for ``wandb sync``), ``"online"`` or ``"disabled"``.
        n_pictures: of how many episodes pictures are kept.

    Raises:
        ValueError: if there is no such mode.
    """

    def __init__(self, project: str = "formgym", mode: Mode = "offline", n_pictures: int = 16) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"logger.mode {mode!r} is none; {suggestion(str(mode), get_args(Mode))}")
        self._project, self._mode, self._n_pictures = project, mode, n_pictures
        self._run: Any = None

    def begin(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        """Open a W&B run; a run that is resumed goes on in the one it began.

        Raises:
            RuntimeError: if there is no W&B, or it refuses.
        """
        try:
            import wandb
        except ImportError as error:
            raise RuntimeError(f"logger=wandb needs W&B: pip install wandb ({error})") from None
        try:
            self._run = wandb.init(
                project=self._project,
                name=name,
                dir=folder,
                config=config,
                mode=self._mode,
                id=hashlib.sha256((folder / CONFIG).read_bytes() + str(folder.resolve()).encode()).hexdigest()[:16],
                resume="allow",
                settings=wandb.Settings(silent=True, console="off"),
            )
        except wandb.Error as error:
            raise RuntimeError(f"W&B: {' '.join(str(error).split())}") from error

    def episode(self, episode: Episode, env: PaperworkEnv) -> None:
        """Log one episode."""
        data: dict[str, Any] = {f"score/{name}": value for name, value in (episode.figures or {}).items()}
        data |= {f"usage/{name}": value for name, value in episode.usage.items()}
        data |= {"episode/calls": episode.n_calls, "episode/seconds": episode.seconds}
        data |= {"episode/unscored": int(episode.unscored), "episode/crashed": int(episode.crashed)}
        if episode.index < self._n_pictures and not episode.crashed:
            data |= _pictures(episode, env)
        self._run.log(data, step=episode.index)

    def finish(self, run: Run) -> None:
        """Log the table of all fields and the summary, and close the run."""
        import wandb

        columns: list[str | int] = ["episode", "task", "field", "matcher", "expected", "entered", "correct"]
        rows = [
            [episode.index, episode.task, field.name, field.matcher, field.expected, field.entered, field.correct]
            for episode in run.episodes
            for field in episode.fields
        ]
        self._run.log({"fields": wandb.Table(columns=columns, data=rows)})
        self._run.summary.update({f"mean/{name}": value["mean"] for name, value in run.summary["scores"].items()})
        self._run.summary.update({key: run.summary[key] for key in ("episodes", "unscored", "crashes")})
        self._run.finish()


def _pictures(episode: Episode, env: PaperworkEnv) -> dict[str, Any]:
    """The last page of an episode, and the first."""
    import wandb

    caption = f"{episode.task}, episode {episode.index}"
    after = env.page()
    before = next(replay(env, episode)).page
    return {"page/before": wandb.Image(before, caption=caption), "page/after": wandb.Image(after, caption=caption)}
