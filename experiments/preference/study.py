"""Human preference study: a blinded page of two agents' results side by side.

The page for raters does not name the agents: results have salted hashes. A key file beside the page, which the
researcher keeps, resolves the hashes. ``votes`` counts the votes.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import Data, atomic_write, load
from ...envs.core.painting import Image
from ...envs.documents.painting.view import painted
from ...envs.documents.state import DocumentState
from ..reporting.page_images import changed_rects
from ..reporting.replay_frames import Pages, opened
from ..reporting.report import template
from ..running.episodes import Episode
from ..running.rollout import page_digest, replay
from ..running.runs import Run

KEY = "preference_key.json"
"""The name of the key file."""


@dataclass(frozen=True)
class Result:
    """The result of one agent on a task.

    Attributes:
        agent: its name, as in tables.
        folder: of its run.
        episode: the index of the episode in the run.
        page: the last page, uint8 (height, width, 3).
        record: a digest of the episode's record, which raters cannot know.
    """

    agent: str
    folder: str
    episode: int
    page: Image
    record: str


@dataclass(frozen=True)
class Pair:
    """Two results of one task.

    Attributes:
        env: the environment, with its settings.
        task: the task's id.
        seed: of both episodes.
        goal: the request, in words.
        source: the facts, in words; may be empty.
        before: the page that both began with, uint8 (height, width, 3).
        results: of two agents.
    """

    env: str
    task: str
    seed: int
    goal: str
    source: str
    before: Image
    results: tuple[Result, Result]


class Side(Data):
    """The result of an agent that a hash stands for."""

    agent: str
    folder: str
    episode: int


class KeyPair(Data):
    """A pair in the key file.

    Attributes:
        request: the environment, the task and the seed.
        is_same: whether the two pages are equal to the pixel; such a pair is a tie and not on the page.
        sides: by their hashes, the left one first.
    """

    request: tuple[str, str, int]
    is_same: bool
    sides: dict[str, Side]

    @property
    def agents(self) -> tuple[str, str]:
        """The agents on the left and on the right."""
        left, right = self.sides.values()
        return left.agent, right.agent


class Key(Data):
    """The key file: the hash of its page, and the pairs in the order of the page."""

    formgym: str
    seed: int
    page: str
    pairs: dict[str, KeyPair]


def pairs_of(runs: Sequence[Run]) -> Iterator[Pair]:
    """The results of the tasks that two or more runs have in common, two by two.

    Runs are of one task where environment, settings, task and seed are the same. Episodes that a provider's failure
    cut short do not count. Those whose replay differs from the record are left out with a warning.

    Args:
        runs: whose episodes are replayed for the pages.

    Raises:
        ValueError: if a run cannot be replayed or is given twice; the message says which and why.
    """
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise ValueError("a run is given twice; give each folder once")
    names = _names(runs)
    envs: dict[int, PaperworkEnv] = {}
    for (env, task, seed), together in _together(runs).items():
        results = []
        for i, episode in together.items():
            if i not in envs:
                envs[i] = _opened(runs[i])
            ends = _ends(envs[i], episode, runs[i])
            if ends is not None:
                record = hashlib.sha256(episode.model_dump_json().encode()).hexdigest()
                result = Result(names[i], str(runs[i].folder), episode.index, ends[1], record)
                results.append((envs[i].state.goal, _facts(envs[i]), ends[0], result))
        for (goal, source, before, one), (*_, first, other) in combinations(results, 2):
            if page_digest(before) == page_digest(first):
                yield Pair(env, task, seed, goal, source, before, (one, other))


def write_preference_page(pairs: Iterable[Pair], out: Path, seed: int) -> Path:
    """Write the page that raters open, one HTML file, and the key file beside it.

    Order and sides follow from the seed and the records; the same pairs and seed make the same two files. Pairs whose
    pages are equal are in the key alone. Give raters the page, never the key.

    Args:
        pairs: what to judge.
        out: the page to write; the key goes to ``preference_key.json`` in the same folder.
        seed: of order and sides.

    Returns:
        ``out``.

    Raises:
        ValueError: if there is nothing to judge, or the folder holds the key of another page.
    """
    pictures, all_pairs = Pages(), list(pairs)
    if not all_pairs:
        raise ValueError("no pairs to judge: the runs must have tasks in common, under the same seed")
    salt = _digest(seed, *(result.record for pair in all_pairs for result in pair.results))
    rng = np.random.default_rng([seed, int(salt, 16)])
    keyed: dict[str, KeyPair] = {}
    listed = []
    for i in rng.permutation(len(all_pairs)):
        name, pair, on_page = _blinded(all_pairs[i], salt, bool(rng.integers(2)), pictures)
        keyed[name] = pair
        listed += [on_page] if on_page else []
    if not listed:
        raise ValueError(f"nothing to judge: in all of the {len(keyed)} pairs the pages are equal")
    key = Key(formgym=__version__, seed=seed, page=_digest(salt, "page"), pairs=keyed)
    _write_key(key, out.with_name(KEY))
    html = template("preference.html.jinja").render(page=key.page, pairs=listed, pictures=pictures.by_digest)
    atomic_write(out, html.encode(errors="replace"))
    return out


# -- Pairs ------------------------------------------------------------------------------------------------------------


def _together(runs: Sequence[Run]) -> dict[tuple[str, str, int], dict[int, Episode]]:
    """The episodes that two runs or more have, by environment, task and seed."""
    found: dict[tuple[str, str, int], dict[int, Episode]] = {}
    for i, run in enumerate(runs):
        for episode in (e for e in run.episodes if e.error is None):
            found.setdefault((run.env_title, episode.task, episode.seed), {})[i] = episode
    return {request: together for request, together in found.items() if len(together) > 1}


def _names(runs: Sequence[Run]) -> list[str]:
    """The shortest names of the agents that distinguish the runs of each environment."""
    plain = [str(run.summary["agent"]) for run in runs]
    longer = [run.title for run in runs]
    longest = [f"{name} [{run.folder}]" for name, run in zip(longer, runs, strict=True)]
    for names in (plain, longer):
        if len({(run.env_title, name) for run, name in zip(runs, names, strict=True)}) == len(runs):
            return names
    return longest


def _opened(run: Run) -> PaperworkEnv:
    env = opened(run)
    if isinstance(env, str):
        raise ValueError(f"{run.folder} cannot be replayed: {env}")
    return env


def _ends(env: PaperworkEnv, episode: Episode, run: Run) -> tuple[Image, Image] | None:
    """The first and the last page of an episode; None if they differ from the record."""
    first = last = None
    for moment in replay(env, episode):
        first, last = moment.page if first is None else first, moment.page
    assert first is not None
    assert last is not None
    if page_digest(last) != episode.page_sha256:
        warnings.warn(f"left out: episode {episode.index} of {run.folder}: its replay differs", stacklevel=3)
        return None
    if isinstance(env.state, DocumentState):
        return _of_request(env.state)
    return first, last


def _of_request(state: DocumentState) -> tuple[Image, Image]:
    """The page that a request is about, before and after."""
    before, after = (painted(document, state.task.request.page) for document in (state.task.before, state.document))
    return before, after


def _facts(env: PaperworkEnv) -> str:
    """The source of a task, in words; empty for documents."""
    return "" if isinstance(env.state, DocumentState) else env.state.source


# -- The page ---------------------------------------------------------------------------------------------------------


def _blinded(pair: Pair, salt: str, is_turned: bool, pictures: Pages) -> tuple[str, KeyPair, dict[str, Any] | None]:
    """The hash of a pair, its row of the key, and its part of the page, if any."""
    name = _digest(salt, *(result.record for result in pair.results))
    sides = pair.results[::-1] if is_turned else pair.results
    hashes = [_digest(salt, name, result.record) for result in sides]
    keyed = KeyPair(
        request=(pair.env, pair.task, pair.seed),
        is_same=np.array_equal(sides[0].page, sides[1].page),
        sides={
            h: Side(agent=result.agent, folder=result.folder, episode=result.episode)
            for h, result in zip(hashes, sides, strict=True)
        },
    )
    if keyed.is_same:
        return name, keyed, None
    on_page = {
        "key": name,
        "goal": pair.goal,
        "source": pair.source,
        "before": _picture(pair.before, pair.before, pictures),
        "sides": [
            {"key": h} | _picture(result.page, pair.before, pictures) for h, result in zip(hashes, sides, strict=True)
        ],
    }
    return name, keyed, on_page


def _picture(page: Image, before: Image, pictures: Pages) -> dict[str, Any]:
    rects = [(left, top, right - left, bottom - top) for left, top, right, bottom in changed_rects(before, page)]
    height, width = page.shape[:2]
    return {"picture": pictures.add(page), "width": width, "height": height, "changed": rects}


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:20]


def _write_key(key: Key, path: Path) -> None:
    if path.exists() and load(Key, path).page != key.page:
        raise ValueError(f"{path} is the key of another page, whose votes need it; choose another folder")
    atomic_write(path, (key.model_dump_json(indent=2) + "\n").encode())
