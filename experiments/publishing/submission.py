"""Submissions: runs in one file, with all that others need to check them."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from gymnasium.envs.registration import EnvSpec
from omegaconf import OmegaConf
from pydantic import BaseModel, ConfigDict, FiniteFloat

from ... import __version__
from ...assets import INDEX
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write, validated
from ...envs.core.tasks import EndlessTasks
from ..running.episodes import Episode, total_usage
from ..running.runs import CONFIG, SPEC, Run, read_config, summarise
from ..terminal import track
from .redaction import check_without_secrets, redacted

_LIBRARIES = ("gymnasium", "numpy", "pillow", "pydantic")
_PUBLISHED_SETTINGS = ("env", "agent", "model", "flow", "wrappers", "seed", "episodes", "names", "version")
_GZIP = b"\x1f\x8b"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Environment(_Record):
    """The environment of a run: its id and arguments."""

    id: str
    kwargs: dict[str, Any]


class SubmittedRun(_Record):
    """A run.

    Attributes:
        env: its environment.
        settings: of the run: environment, agent, model, flow, wrappers, seed, number of episodes.
        scaffold: what was around the model; see ``scaffold_of``.
        summary: the aggregates, as ``summary.json`` has them.
        usage: what all episodes used together: amounts by name, such as tokens and cost.
        tasks_sha256: of the ids of the environment's tasks.
        episodes: all of them, unscored and crashed ones too, without what a model was asked.
    """

    env: Environment
    settings: dict[str, Any]
    scaffold: dict[str, Any]
    summary: dict[str, Any]
    usage: dict[str, FiniteFloat]
    tasks_sha256: str
    episodes: list[Episode]


class Submission(_Record):
    """Runs that are published together.

    Attributes:
        format: of the file.
        versions: of formgym, Python and the libraries that paint and score.
        assets_sha256: of the index of assets, which has the hash of every shipped file.
        runs: the runs.
        sha256: of everything else.
    """

    format: Literal["formgym submission 1"]
    versions: dict[str, str]
    assets_sha256: str
    runs: list[SubmittedRun]
    sha256: str


def submission_of(runs: Sequence[Run]) -> Submission:
    """The submission of runs.

    Raises:
        ValueError: if there are no runs, one is not complete or cannot be opened, or an episode holds a secret.
    """
    if not runs:
        raise ValueError("no run to submit; make one with: formgym evaluate")
    content = {
        "format": "formgym submission 1",
        "versions": versions(),
        "assets_sha256": assets_digest(),
        "runs": [_submitted(run).model_dump(mode="json") for run in track(runs, "reading runs")],
    }
    check_without_secrets(content)
    return Submission.model_validate(content | {"sha256": digest(content)})


def write_submission(submission: Submission, path: Path) -> None:
    """Write a submission as JSON; compressed if the name ends in ``.gz``."""
    data = (submission.model_dump_json(indent=1) + "\n").encode()
    atomic_write(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def read_submission(path: Path) -> tuple[Submission, str]:
    """A submission, and the digest that its content has.

    Raises:
        ValueError: if it is none; the message says where.
        OSError: if it cannot be read.
    """
    data = path.read_bytes()
    try:
        content = json.loads(gzip.decompress(data) if data.startswith(_GZIP) else data)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} is no submission: {error}") from error
    submission = validated(Submission, content, path)
    return submission, digest({name: value for name, value in content.items() if name != "sha256"})


def digest(content: Mapping[str, Any]) -> str:
    """The SHA-256 of plain JSON data, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def versions() -> dict[str, str]:
    """The versions of formgym, Python and the libraries that paint and score."""
    libraries = {name: version(name) for name in _LIBRARIES}
    return {"formgym": __version__, "python": platform.python_version(), **libraries}


def assets_digest() -> str:
    """The SHA-256 of the index of assets."""
    return hashlib.sha256(INDEX.read_bytes()).hexdigest()


def tasks_digest(env: PaperworkEnv) -> str:
    """The SHA-256 of the ids of an environment's tasks; endless ones by group."""
    ids = env.task_ids
    names = ids.groups if isinstance(ids, EndlessTasks) else ids
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def scaffold_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is around the model of a run.

    Returns:
        ``model`` and ``agent`` with their settings, ``prompts_sha256`` of the templates, ``flow``, ``wrappers`` by
        name, and the ``locator`` that finds places, where there is one.
    """
    agent, wrappers = dict(settings["agent"]), settings["wrappers"]
    locators = [some["locator"] for some in wrappers.values() if isinstance(some, Mapping) and some.get("locator")]
    return {
        "model": agent.pop("model", None),
        "agent": agent,
        "prompts_sha256": settings["names"].get("prompts"),
        "flow": settings["flow"],
        "wrappers": wrappers,
        "locator": locators[0] if locators else None,
    }


def _submitted(run: Run) -> SubmittedRun:
    """A run as it is published."""
    if run.requested is not None and len(run.episodes) < run.requested:
        missing = run.requested - len(run.episodes)
        raise ValueError(f"{run.folder} lacks {missing} of {run.requested} episodes; go on with it by resume=true")
    config: Any = OmegaConf.to_container(read_config(run.folder / CONFIG), resolve=True)
    settings = redacted({name: config.get(name) for name in _PUBLISHED_SETTINGS})
    spec = EnvSpec.from_json((run.folder / SPEC).read_text(encoding="utf-8"))
    # As JSON has it: a tuple is a list there.
    kwargs = redacted(json.loads(json.dumps(spec.kwargs)))
    episodes = [_published(episode) for episode in run.episodes]
    env = run.make_env()
    try:
        tasks = tasks_digest(env)
    finally:
        env.close()
    return SubmittedRun(
        env=Environment(id=spec.id, kwargs=kwargs),
        settings=settings,
        scaffold=scaffold_of(settings),
        summary=summarise(settings, episodes),
        usage=total_usage(episodes),
        tasks_sha256=tasks,
        episodes=episodes,
    )


def _published(episode: Episode) -> Episode:
    """An episode without tracebacks, secrets in errors, and what a model was asked."""
    rounds = [r.model_copy(update={"exchanges": []}) for r in episode.rounds]
    return episode.model_copy(update={"rounds": rounds, "traceback": None, "error": redacted(episode.error)})
