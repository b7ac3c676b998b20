"""Submissions: runs in one file, with all that others need to check them."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, FiniteFloat
from pydantic_core import from_json

from ... import __version__
from ...agents.base import Exchange
from ...assets import INDEX
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write, check_structure, open_foreign, validated
from ...envs.core.tasks import EndlessTasks
from ..running.episodes import Episode, total_usage
from ..running.run_folder import Run, summarise
from ..running.run_spec import RunSpec
from ..terminal.console import track
from .redaction import check_without_secrets, redacted

_LIBRARIES = ("gymnasium", "numpy", "pillow", "pydantic")
_PUBLISHED_SETTINGS = {"env", "agent", "name", "model", "prompts", "flow", "flow_name", "wrappers", "seed", "episodes"}
_MAX_BYTES = 64_000_000
"""Of a submission, when it is not compressed."""
FORMAT = "formgym submission 3"
_GZIP = b"\x1f\x8b"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SubmittedRun(_Record):
    """A run.

    Attributes:
        spec: its settings: environment, agent, model, prompts, flow, wrappers, seed, number of episodes.
        version: of the formgym that made it.
        summary: the aggregates, as ``summary.json`` has them.
        usage: what all episodes used together: amounts by name, such as tokens and cost.
        tasks_sha256: of the ids of the environment's tasks.
        episodes: all of them, unscored and crashed ones too; of what a model was asked they have digests.
    """

    spec: RunSpec
    version: str
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

    format: Literal["formgym submission 3"]
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
        raise ValueError("no run to submit; make one with: formgym sweep")
    content = {
        "format": FORMAT,
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
    try:
        content = from_json(_read(path), allow_inf_nan=False)
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is no submission: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} is no submission: it is no JSON object")
    if content.get("format") != FORMAT and "runs" in content:
        raise ValueError(f"{path} is no {FORMAT}: submit the runs again with this version of formgym")
    submission = validated(Submission, content, path)
    return submission, digest({name: value for name, value in content.items() if name != "sha256"})


def _read(path: Path) -> bytes:
    """The JSON in a file, which may be compressed, but not without limit."""
    with open_foreign(path) as file:
        is_packed = file.peek(2)[:2] == _GZIP
        data = (gzip.GzipFile(fileobj=file) if is_packed else file).read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES / 1e6:,.0f} MB, which no submission has")
    check_structure(data, "it")
    return data


def digest(content: Any) -> str:
    """The SHA-256 of plain JSON data, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def versions() -> dict[str, str]:
    """The versions of formgym, Python and the libraries that paint and score."""
    libraries = {name: version_of(name) for name in _LIBRARIES}
    return {"formgym": __version__, "python": platform.python_version(), **libraries}


def assets_digest() -> str:
    """The SHA-256 of the index of assets."""
    return hashlib.sha256(INDEX.read_bytes()).hexdigest()


def tasks_digest(env: PaperworkEnv) -> str:
    """The SHA-256 of the ids of an environment's tasks; endless ones by group."""
    ids = env.task_ids
    names = ids.groups if isinstance(ids, EndlessTasks) else ids
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def _submitted(run: Run) -> SubmittedRun:
    """A run as it is published."""
    if run.requested is not None and len(run.episodes) < run.requested:
        missing = run.requested - len(run.episodes)
        raise ValueError(f"{run.folder} lacks {missing} of {run.requested} episodes; go on with it by resume=true")
    assert run.spec is not None
    spec = RunSpec.model_validate(redacted(run.spec.model_dump(mode="json", include=_PUBLISHED_SETTINGS)))
    episodes = [published(episode) for episode in run.episodes]
    with closing(run.make_env()) as env:
        tasks = tasks_digest(env)
    version = run.summary["version"]
    return SubmittedRun(
        spec=spec,
        version=version,
        summary=summarise(spec, version, episodes),
        usage=total_usage(episodes),
        tasks_sha256=tasks,
        episodes=episodes,
    )


def published(episode: Episode) -> Episode:
    """An episode without tracebacks and secrets in errors, and with digests of what a model was asked."""
    rounds = [r.model_copy(update={"exchanges": list(map(_with_digests, r.exchanges))}) for r in episode.rounds]
    return episode.model_copy(update={"rounds": rounds, "traceback": None, "error": redacted(episode.error)})


def _with_digests(exchange: Exchange) -> Exchange:
    """An exchange with a digest of its prompt's words and one of its pictures."""
    parts = [part for message in exchange.prompt for part in (message["role"], *message["content"])]
    words, pictures = ([part for part in parts if isinstance(part, str) == is_word] for is_word in (True, False))
    return replace(exchange, prompt=[{"words": digest(words), "pictures": digest(pictures)}])
