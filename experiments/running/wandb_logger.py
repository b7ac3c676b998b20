"""``logger=wandb``: the metrics of a run, pictures and fields in Weights & Biases."""

from __future__ import annotations

import hashlib
import math
from collections import deque
from pathlib import Path
from typing import Any, Literal, get_args

from ...envs.core.env import PaperworkEnv
from .command_line import suggestion
from .conditions import title_of
from .episodes import Episode
from .rollout import replay
from .run_folder import RUN, Run, RunFolder
from .run_spec import RunSpec, Shard

Mode = Literal["offline", "online", "disabled"]


class WandbLogger:
    """Logs metrics, pictures of pages, and a table of fields to Weights & Biases.

    The jobs of a sweep are a group of W&B runs, and so are the shards of a run.
    A run that is resumed offline gets another folder of the same W&B run. It logs the recorded episodes again, because
    W&B may not have written what it was given before a process is killed: the newest folder, ``wandb/latest-run`` in
    the run directory, holds the whole run, and is the one to sync. Online, W&B keeps the first metrics of each
    episode: those of an episode that is run again count in the summary and in the table of fields only.

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
        self._recorded = deque[Episode]()
        self._n_logged = 0

    def begin(self, folder: Path, spec: RunSpec) -> None:
        """Open a W&B run; a resumed run opens the one it began.

        Raises:
            RuntimeError: if there is no W&B, or it refuses.
        """
        try:
            import wandb
        except ImportError as error:
            raise RuntimeError(f"logger=wandb needs W&B: pip install wandb ({error})") from None
        shard, is_job = Shard.of(spec.shard), spec.job is not None
        part = "" if shard.count == 1 else f", shard {spec.shard}"
        key = (folder / RUN).read_bytes() + str(folder.resolve()).encode() + part.encode()
        group = folder.resolve().parent if is_job else folder.resolve()
        try:
            self._run = wandb.init(
                project=self._project,
                name=f"{title_of(spec)} on {spec.env_id}{part}",
                group="/".join(group.parts[-2:]) if part or is_job else None,
                dir=folder,
                config=spec.public().model_dump(mode="json"),
                mode=self._mode,
                id=hashlib.sha256(key).hexdigest()[:16],
                resume="allow",
                settings=wandb.Settings(silent=True, console="off"),
            )
        except wandb.Error as error:
            raise RuntimeError(f"W&B: {' '.join(str(error).split())}") from error
        self._recorded = deque(RunFolder(folder).episodes(None if shard.count == 1 else shard))
        self._n_logged = self._run.step

    def episode(self, episode: Episode, env: PaperworkEnv) -> None:
        """Log one episode, after the recorded ones before it: W&B needs an ascending order."""
        self._catch_up(episode.index, env)
        self._log(episode, env)

    def _catch_up(self, end: float, env: PaperworkEnv) -> None:
        while self._recorded and self._recorded[0].index < end:
            episode = self._recorded.popleft()
            if episode.index >= self._n_logged:
                self._log(episode, env)

    def _log(self, episode: Episode, env: PaperworkEnv) -> None:
        has_pictures = episode.index < self._n_pictures and not episode.crashed
        data: dict[str, Any] = {f"score/{name}": value for name, value in (episode.metrics or {}).items()}
        data |= {f"usage/{name}": value for name, value in episode.usage.items()}
        data |= {"episode/calls": episode.n_calls, "episode/seconds": episode.seconds}
        data |= {"episode/unscored": int(episode.unscored), "episode/crashed": int(episode.crashed)}
        self._run.log(data | (_pictures(episode, env) if has_pictures else {}), step=episode.index)
        self._n_logged = episode.index + 1

    def finish(self, run: Run) -> None:
        """Log the table of all fields and the summary, and close the run."""
        import wandb

        if self._recorded:
            self._catch_up(math.inf, run.make_env())
        columns: list[str | int] = ["episode", "task", "field", "matcher", "expected", "entered", "correct"]
        rows = [
            [episode.index, episode.task, field.name, field.matcher, field.expected, field.entered, field.correct]
            for episode in run.episodes
            for field in episode.fields
        ]
        self._run.log({"fields": wandb.Table(columns=columns, data=rows)})
        self._run.summary.update({f"mean/{name}": value["mean"] for name, value in run.summary["scores"].items()})
        self._run.summary.update({key: run.summary[key] for key in ("episodes", "unscored", "crashes", "ground_truth")})
        self._run.finish()


def _pictures(episode: Episode, env: PaperworkEnv) -> dict[str, Any]:
    """The first and the last page of an episode, replayed."""
    import wandb

    caption = f"{episode.task}, episode {episode.index}"
    steps = replay(env, episode)
    before = next(steps).page
    after = deque((step.page for step in steps), maxlen=1).pop() if episode.n_calls else before
    return {"page/before": wandb.Image(before, caption=caption), "page/after": wandb.Image(after, caption=caption)}
