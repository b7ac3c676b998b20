"""``Runner``: plays the episodes of a ``RunSpec``, records them, and goes on after a kill."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar, cast

import gymnasium as gym

from ... import __version__
from ...agents.base import Agent
from ...envs.core.env import PaperworkEnv
from ...envs.core.tasks import EndlessTasks, episode_seed
from ..terminal.console import USER_ERRORS, error_message
from .episodes import AWAITED, Episode, write_episode
from .rollout import run_episode
from .run_folder import RUN, Run, RunFolder, summarise, tentative_files
from .run_spec import RunSpec, Shard, build

T = TypeVar("T")
R = TypeVar("R")

_GRACE_SECONDS = 2.0
_RESULT, _END, _STOP = range(3)
"""The kinds of messages that threads and signals send."""


class Logger(Protocol):
    """Receives the episodes of a run: ``begin``, ``episode`` for each, ``finish``."""

    def begin(self, folder: Path, spec: RunSpec) -> None:
        """A run, or a shard of it, begins, or is resumed, in ``folder``."""
        ...

    def episode(self, episode: Episode, env: PaperworkEnv) -> None:
        """An episode has ended; its index is above those before.

        ``env`` may be used for replays.
        """
        ...

    def finish(self, run: Run) -> None:
        """The run has ended, or was cut off; of a shard, it has only the shard's episodes."""
        ...


@dataclass(frozen=True)
class _Parts:
    """What a run is made of; ``done`` has the indices of finished episodes."""

    spec: RunSpec
    env: gym.Env[Any, Any]
    agent: Agent
    logger: Logger | None
    done: frozenset[int]


class Runner:
    """Plays the episodes of a run.

    Args:
        spec: of the run.
        env: an environment in its flow and wrappers, for the one that the spec describes; it is not closed.
        agent: for the one that the spec describes.
        watch: called after each episode, when it is recorded.
        again: the command that goes on with the run, for messages.

    Example:
        >>> spec = RunSpec(env="FormGym/Scans-v0", agent="formgym.agents.Oracle", episodes=2)
        >>> print(Runner(spec).run())
        strict accuracy 1.000 (95 % interval 0.342 – 1.000), 2 episodes
    """

    def __init__(
        self,
        spec: RunSpec,
        env: gym.Env[Any, Any] | None = None,
        agent: Agent | None = None,
        watch: Callable[[Episode], object] = lambda episode: None,
        again: str = "the same settings and resume=true",
    ) -> None:
        self.spec, self._env, self._agent, self._watch, self._again = spec, env, agent, watch, again

    def run(self) -> Run:
        """Play the episodes that are not recorded yet; the run with all of them.

        Raises:
            ValueError: if the spec cannot be carried out, or does not go with what is in the folder of the run.
            RuntimeError: if another process is writing to the folder, or the run cannot be resumed.
        """
        if self.spec.run_dir is None:
            return self._unrecorded()
        folder, shard = RunFolder(self.spec.run_dir), Shard.of(self.spec.shard)
        # Locked before anything is read or written: another process may be about to begin the same run.
        with folder.writing(shard) as file:
            # Other shards may have begun with the same description.
            description = [folder.path / RUN] if shard.count == 1 else []
            with tentative_files(*description, folder.path / shard.file_name):
                parts = self._begin(folder, shard)
            try:
                with self._closing(parts.env):
                    return self._recorded(parts, folder, file)
            except USER_ERRORS as error:
                kept = f"{error_message(error)}; what is recorded is kept, go on with: {self._again}"
                raise RuntimeError(kept) from error

    def _unrecorded(self) -> Run:
        """The run without a folder."""
        with self._closing(self._env or self.spec.make_env()) as env:
            n = n_requested(self.spec.episodes, env)
            parts = _Parts(self.spec, env, self._agent or self.spec.make_agent(), None, frozenset())
            episodes = sorted(self._episodes(parts, range(n)), key=lambda episode: episode.index)
        return Run(Path(), summarise(self.spec, __version__, episodes), episodes, self.spec, n)

    def _closing(self, env: gym.Env[Any, Any]) -> AbstractContextManager[gym.Env[Any, Any]]:
        """Closes an environment in the end, unless it is the caller's."""
        return nullcontext(env) if env is self._env else closing(env)

    def _begin(self, folder: RunFolder, shard: Shard) -> _Parts:
        """Make what a run needs, and describe it in its folder."""
        spec, recorded = self.spec, folder.episodes()
        if folder.is_begun and not spec.resume and not self._joins(folder, shard):
            raise ValueError(
                f"{folder.path} holds a run already; add resume=true to go on with it, or choose another run_dir"
            )
        if len(recorded) and not folder.is_begun:
            raise ValueError(f"{folder.path} holds episodes but no {RUN}; choose another run_dir")
        # A sweep that was cut off has runs that had not begun.
        if spec.resume and not folder.is_begun and spec.job is None:
            raise ValueError(f"there is no run in {folder.path} to resume")
        if folder.is_begun:
            begun = folder.described().spec
            if spec.resume:
                spec.check_resumes(begun)
            spec = spec.pinned(begun.env.get("sha256"))
        env = self._env or spec.make_env()
        spec = spec.pinned(cast(PaperworkEnv, env.unwrapped).data_sha256)
        agent = self._agent or spec.make_agent(folder.ledger)
        logger = build(spec.logger) if spec.logger else None
        folder.describe(spec, n_requested(spec.episodes, env))
        if logger is not None:
            logger.begin(folder.path, spec)
        done = frozenset(episode.index for episode in recorded if episode.error is None or spec.retry is None)
        return _Parts(spec, env, agent, logger, done)

    def _joins(self, folder: RunFolder, shard: Shard) -> bool:
        """Whether a shard begins in a folder where others of the same run have begun."""
        if shard.count == 1 or (folder.path / shard.file_name).stat().st_size:
            return False
        if not self.spec.is_same_run(folder.described().spec):
            raise ValueError(f"{folder.path} holds a run with other settings; choose another run_dir")
        return True

    def _recorded(self, parts: _Parts, folder: RunFolder, file: FileIO) -> Run:
        """Play the episodes that are not done, and summarise all recorded ones."""
        shard, logger = Shard.of(parts.spec.shard), parts.logger
        own = [i for i in range(n_requested(parts.spec.episodes, parts.env)) if shard.has(folder.path.name, i)]
        todo = [index for index in own if index not in parts.done]

        def finish() -> Run:
            run = folder.summarise()
            if logger is not None:
                logger.finish(run if shard.count == 1 else folder.read(shard))
            return run

        try:
            # They end the process as an exception does, with exit status 143 or 129.
            with handling(_exit, signal.SIGTERM, signal.SIGHUP), closing(self._written(parts, todo, file)) as episodes:
                for episode in _ordered(episodes, todo):
                    if logger is not None:
                        logger.episode(episode, cast(PaperworkEnv, parts.env.unwrapped))
        except BaseException:
            # What is recorded is summarised; why the run ends is more worth knowing than why that fails.
            with suppress(Exception):
                finish()
            raise
        return finish()

    def _written(self, parts: _Parts, todo: Sequence[int], file: FileIO) -> Generator[Episode, None, None]:
        """Play episodes; each as soon as it is on disk."""
        with closing(self._episodes(parts, todo)) as episodes:
            for episode in episodes:
                if episode.ended == AWAITED:
                    continue
                write_episode(file, episode)
                yield episode

    def _episodes(self, parts: _Parts, todo: Sequence[int]) -> Generator[Episode, None, None]:
        """Play the episodes of the given indices; each as it ends, in several threads in any order."""
        spec = parts.spec
        ledger = RunFolder(spec.run_dir).ledger if spec.run_dir else None

        @contextmanager
        def worker() -> Iterator[Callable[[int], Episode]]:
            with closing(spec.make_env()) as env:
                yield partial(_played, spec, env, spec.make_agent(ledger))

        alone = (_played(spec, parts.env, parts.agent, index) for index in todo)
        with closing(alone if spec.concurrency == 1 else in_threads(worker, todo, spec.concurrency)) as episodes:
            for episode in episodes:
                yield episode
                self._watch(episode)


def n_requested(episodes: Any, env: gym.Env[Any, Any]) -> int:
    """How many episodes a run has: ``episodes``, or one of every task if ``None``.

    Raises:
        ValueError: if it is not a positive whole number, or is missing where tasks are endless.
    """
    if episodes is None:
        task_ids = cast(PaperworkEnv, env.unwrapped).task_ids
        if isinstance(task_ids, EndlessTasks):
            raise ValueError("these tasks have no end; say how many episodes to run, such as episodes=200")
        return len(task_ids)
    if not isinstance(episodes, int) or episodes < 1:
        raise ValueError(f"episodes must be at least 1, or null for one of every task; it is {episodes}")
    return episodes


def _played(spec: RunSpec, env: gym.Env[Any, Any], agent: Agent, index: int) -> Episode:
    task = cast(PaperworkEnv, env.unwrapped).task_ids[index] if spec.episodes is None else None
    return run_episode(env, agent, index=index, seed=episode_seed(spec.seed, index), task=task)


def _ordered(episodes: Iterator[Episode], order: Sequence[int]) -> Iterator[Episode]:
    """Episodes in a given order of indices, each as soon as all before it are there.

    If ``episodes`` raises an exception, what is left comes first.
    """
    waiting: dict[int, Episode] = {}
    error: BaseException | None = None
    expected = iter(order)
    following = next(expected, None)
    try:
        for episode in episodes:
            waiting[episode.index] = episode
            while following is not None and following in waiting:
                yield waiting.pop(following)
                following = next(expected, None)
    except (Exception, KeyboardInterrupt, SystemExit) as raised:  # noqa: BLE001  It is raised again below.
        error = raised
    yield from (waiting[index] for index in sorted(waiting))
    if error is not None:
        raise error


# -- Threads and signals -----------------------------------------------------------------------------------------------


def in_threads(
    open_worker: Callable[[], AbstractContextManager[Callable[[T], R]]], items: Sequence[T], n_threads: int
) -> Generator[R, None, None]:
    """The results of ``items``, which are begun in their order, as they come.

    SIGINT, SIGTERM and SIGHUP are put off: nothing new is begun, what ends within two seconds is still returned, and
    then the signal has its effect. What takes longer, such as an answer of a model, is not waited for.

    Args:
        open_worker: called in each thread; within its context, what it gives does one item after another.
        items: what to do.
        n_threads: how many threads there are at most.

    Raises:
        BaseException: the first that a worker raised, which ends it as an interrupt does.
    """
    messages = SimpleQueue[tuple[int, Any]]()
    stopping = threading.Event()
    # Threads may share the iterator of a list.
    todo = iter(list(items))

    def work() -> None:
        try:
            with open_worker() as do:
                for item in todo:
                    if stopping.is_set():
                        break
                    messages.put((_RESULT, do(item)))
        except BaseException as error:  # noqa: BLE001  It is raised again in the thread that waits for results.
            messages.put((_STOP, error))
        finally:
            messages.put((_END, None))

    n_working = min(n_threads, len(items))
    with _signals_put_off(lambda: messages.put((_STOP, None))):
        # Daemons: a process that is interrupted does not wait for them.
        for _ in range(n_working):
            threading.Thread(target=work, daemon=True).start()
        try:
            yield from _results(messages, n_working, stopping)
        finally:
            stopping.set()


def _results(messages: SimpleQueue[tuple[int, Any]], n_working: int, stopping: threading.Event) -> Iterator[Any]:
    """The results among messages, until all threads end or an interrupt's time is up."""
    deadline, error = None, None
    while n_working:
        try:
            kind, value = messages.get(timeout=None if deadline is None else max(deadline - time.monotonic(), 0))
        except Empty:
            break
        if kind == _RESULT:
            yield value
        elif kind == _END:
            n_working -= 1
        else:
            stopping.set()
            deadline = deadline or time.monotonic() + _GRACE_SECONDS
            error = error or value
    if error is not None:
        raise error


@contextmanager
def _signals_put_off(react: Callable[[], None]) -> Iterator[None]:
    """Calls ``react`` at SIGINT, SIGTERM and SIGHUP; they have their effect in the end."""
    pending: list[int] = []

    def handle(number: int, _: object) -> None:
        pending.append(number)
        react()

    try:
        with handling(handle, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            yield
    finally:
        if pending:
            signal.raise_signal(pending[0])


@contextmanager
def handling(handler: Callable[[int, Any], object], *numbers: int) -> Iterator[None]:
    """Has signals handled, where this is the main thread; those that are ignored, as under ``nohup``, stay so."""
    is_main = threading.current_thread() is threading.main_thread()
    heard = [number for number in numbers if is_main and signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def _exit(number: int, _: object) -> None:
    raise SystemExit(128 + number)
