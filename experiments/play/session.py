"""One attempt of a person at a task, for the window and the terminal alike."""

from __future__ import annotations

import time
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...agents.session import make_env
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write
from ...envs.core.metrics import title
from ...envs.core.pages import png_bytes
from ...envs.core.painting import Image
from ...envs.core.tools import ToolError, ToolSpace
from ..running.episodes import Episode, Round
from ..running.rollout import page_digest
from ..terminal.console import NOTHING
from .human_runs import record_human

PICTURE = "page.png"
RESULT_COLUMNS = ("field", "expected", "entered", "right")
"""The headings of ``Session.results``."""


class Session:
    """One attempt at one task.

    Args:
        env_id: the environment's id.
        task: the task's id; ``None`` lets the seed choose.
        seed: of the environment; ``None``: any.
        out: the folder for the picture of the page, which is written after every action.
        **options: what the environment is made with.

    Attributes:
        env: the bare environment, for its state, tools and page.
        picture: where the picture of the page is.
        feedback: on the last call.
        metrics: the metrics of the score.
        steps: how many steps were taken.
        max_steps: how many there are; ``None``: any number.
        ended: why it is over; empty while it is not.

    Raises:
        ValueError: if there is no such environment or task, data are missing, or ``out`` cannot be written to.
    """

    def __init__(self, env_id: str, task: str | None, seed: int | None, out: Path, **options: Any) -> None:
        self._stepped = make_env(env_id, **options)
        self.env = cast(PaperworkEnv, self._stepped.unwrapped)
        self.env_id, self.picture = env_id, out / PICTURE
        # A seed of its own, so that the episode can be replayed.
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        self._rounds: list[Round] = []
        self._reward, self._began = 0.0, time.perf_counter()
        self._outcome = "error"
        _, info = self._stepped.reset(seed=self._seed, options=None if task is None else {"task": task})
        self.task_id: str = info["task"]
        self.feedback, self.metrics = "", cast(dict[str, float], info["score"])
        self.steps, self.max_steps = 0, self._stepped.spec.max_episode_steps if self._stepped.spec else None
        self.ended = ""
        self.save()

    @property
    def tools(self) -> ToolSpace:
        """The tools."""
        return self.env.action_space

    @property
    def standing(self) -> str:
        """Steps and metrics in one line."""
        limit = f" of {self.max_steps}" if self.max_steps else ""
        metrics = [f"{title(name)} {value:.3g}" for name, value in self.metrics.items()]
        return f"step {self.steps}{limit}: {', '.join(metrics)}"

    @property
    def results(self) -> list[tuple[str, str, str, str]]:
        """A row a field with an answer or an entry: its name, what is expected, what is entered, a tick or a cross."""
        listed = (one for one in self.env.state.score().fields if one.expected is not None or one.entered)
        return [
            (one.name, one.expected or NOTHING, one.entered or NOTHING, "✓" if one.correct else "✗") for one in listed
        ]

    def do(self, call: Any) -> None:
        """Carry out a call and set ``feedback``; an invalid one costs no step."""
        action = self.tools.from_call(call)
        try:
            self.tools.parse(action)
        except ToolError as error:
            self.feedback = str(error)
            return
        _, reward, terminated, truncated, info = self._stepped.step(action)
        self.steps += 1
        self._reward += float(reward)
        played = self.tools.to_call(action)
        self._rounds.append(Round(calls=[played], feedback=[info["feedback"]], valid=[info["valid"]], carried_out=1))
        self._outcome = "terminated" if terminated else "truncated" if truncated else "error"
        self.feedback, self.metrics = info["feedback"], info["score"]
        submitted = self.metrics.get("submitted", 1) == 1
        handed_in = "handed in" if submitted else "ended without submission"
        self.ended = handed_in if terminated else "out of steps" if truncated else ""
        self.save()

    def record(self, root: Path) -> Path:
        """Add the attempt to the run of people on its environment; the run's folder.

        One that was not ended is recorded as unscored.

        Args:
            root: the folder of such runs.
        """
        spec = deepcopy(self._stepped.spec)
        assert spec is not None
        spec.kwargs |= {"sha256": self.env.data_sha256} if self.env.data_sha256 else {}
        return record_human(root, spec, "play", self._episode)

    def _episode(self, index: int) -> Episode:
        score = self.env.state.score()
        given_up = self._outcome == "error"
        return Episode(
            index=index,
            env=self._stepped.spec.id if self._stepped.spec else self.env_id,
            task=self.task_id,
            seed=self._seed,
            rounds=self._rounds,
            metrics=None if given_up else dict(score.metrics),
            fields=[] if given_up else list(score.fields),
            usage={},
            reward=self._reward,
            ended=self._outcome,
            error="left unfinished" if given_up else None,
            page_sha256=page_digest(self.env.page()),
            seconds=round(time.perf_counter() - self._began, 4),
        )

    def page(self) -> Image:
        """The page without the desk around it."""
        height, width = self.env.paper_sizes["page"]
        return self.env.page()[:height, :width]

    def save(self) -> None:
        """Write the picture of the page, in one go: somebody may be looking at it.

        Raises:
            ValueError: if it cannot be written.
        """
        try:
            self.picture.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self.picture, png_bytes(self.page(), compress_level=1))
        except OSError as error:
            raise ValueError(f"the picture of the page cannot be written: {error}") from None
