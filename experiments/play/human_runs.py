"""Runs of people: what they play is recorded as episodes of agents are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from ...envs.core.tools import Call
from ...envs.web_forms.env import TEST
from ...envs.web_forms.html.themes import theme_of
from ..running.command_line import environment_ids
from ..running.episodes import Episode, Round, write_episode
from ..running.recorded import recorded_env
from ..running.rollout import page_digest
from ..running.run_folder import RunFolder
from ..running.run_spec import RunSpec

if TYPE_CHECKING:
    from ...envs.web_forms.site.records import FormSubmission, Records

AGENT = "human"


def record_human(root: Path, spec: EnvSpec, flow: str, episode_of: Callable[[int], Episode]) -> Path:
    """Add an episode to the run of people on an environment.

    Args:
        root: the folder of such runs.
        spec: of the environment, with its settings.
        flow: what tables call the way that it was played.
        episode_of: the episode by its index.

    Returns:
        The folder of the run.

    Raises:
        OSError: if it cannot be written.
        RuntimeError: if another process is writing to it.
    """
    return record_episode(root, _run_of_people(spec, flow), episode_of)


def record_episode(root: Path, run: RunSpec, episode_of: Callable[[int], Episode]) -> Path:
    """Add an episode to the run of these settings; see ``record_human``."""
    with _opened(root, run) as (folder, recorded, file):
        write_episode(file, episode_of(recorded[-1].index + 1 if len(recorded) else 0))
    return folder.path


def _run_of_people(spec: EnvSpec, flow: str) -> RunSpec:
    return RunSpec(env={"id": spec.id, **spec.kwargs}, agent={}, name=AGENT, flow={}, flow_name=flow, episodes=1)


@contextmanager
def _opened(root: Path, run: RunSpec) -> Iterator[tuple[RunFolder, Sequence[Episode], FileIO]]:
    """The folder of a run, its episodes, and the file to which more are written; in the end it is summarised."""
    settings = (f"{name}-{value}" for name, value in run.settings.items())
    agent = [] if run.name == AGENT else [run.name]
    version = [digest[:8]] if (digest := run.env.get("sha256")) else []
    name = "+".join([run.env_id, run.flow_name, *agent, *run.wrappers, *settings, *version])
    folder = RunFolder(root / name.replace("/", "-"))
    with folder.writing() as file:
        folder.describe(run, None)
        yield folder, folder.episodes(), file
        folder.summarise()


def export_submissions(root: Path, records: Records) -> int:
    """Add the submissions of a store that are missing to the runs of people on their forms; how many were added.

    Those whose calls lead to what was submitted can be replayed. Only the first attempt at a task counts: after it, the
    site may have shown the right answers.

    Raises:
        OSError: if they cannot be written.
        RuntimeError: if another process is writing to a run.
    """
    environments, added = environment_ids("form"), 0
    with ExitStack() as stack:
        runs: dict[tuple[str, str, str], _SiteRun] = {}
        for record in records.all():
            if record.attempt > 1 or record.form not in environments:
                continue
            split, _, number = record.task.partition("/")
            # Beside runs of agents where tasks look alike.
            is_usual = bool(record.person.seconds) and record.theme == theme_of(int(number))
            key = (record.form, split, "" if is_usual else record.theme)
            if key not in runs:
                spec = deepcopy(gym.spec(environments[record.form]))
                spec.kwargs = spec.kwargs | {"split": split, "theme": key[2] or None}
                run = _run_of_people(spec, "site")
                _, recorded, file = stack.enter_context(_opened(root, run))
                runs[key] = _SiteRun(run, recorded, file)
            added += runs[key].add(record)
    return added


class _SiteRun:
    """A run whose episodes are submissions, each known by its seed, which is made of the submission's id."""

    def __init__(self, run: RunSpec, recorded: Sequence[Episode], file: FileIO) -> None:
        self._env, self._env_id, self._file = recorded_env(run.env), run.env_id, file
        self._known = {episode.seed for episode in recorded}
        self._next = recorded[-1].index + 1 if self._known else 0

    def add(self, record: FormSubmission) -> bool:
        """Add a submission unless it is there; whether it was added."""
        seed = int(record.id[:13], 16)
        if seed in self._known:
            return False
        split, _, number = record.task.partition("/")
        episode = Episode(
            index=self._next,
            env=self._env_id,
            task=f"{record.form}/{TEST if split == 'test' else ''}{number}",
            seed=seed,
            rounds=[Round(calls=[], feedback=list(record.person.lost), valid=[], carried_out=0)],
            metrics=dict(record.metrics),
            fields=list(record.fields),
            usage={},
            reward=record.metrics.get("strict_accuracy", 0.0),
            ended="submitted",
            error=None,
            page_sha256="",
            seconds=record.person.seconds,
        )
        played = self._played(episode, record.person.calls) if record.person.replays else episode
        write_episode(self._file, played, sync=False)
        self._next += 1
        return True

    def _played(self, episode: Episode, calls: Sequence[Call]) -> Episode:
        """The episode with its calls, and what comes of them in the environment."""
        rounds, reward = list[Round](), 0.0
        self._env.reset(seed=episode.seed, options={"task": episode.task})
        for call in calls:
            _, gained, _, _, info = self._env.step(self._env.action_space.from_call(call))
            rounds.append(Round(calls=[call], feedback=[info["feedback"]], valid=[info["valid"]], carried_out=1))
            reward += float(gained)
        score = self._env.state.score()
        outcome = {"metrics": dict(score.metrics), "fields": list(score.fields), "reward": reward}
        ended = {"ended": "terminated", "page_sha256": page_digest(self._env.page())}
        return episode.model_copy(update={"rounds": rounds, **outcome, **ended})
