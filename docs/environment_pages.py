"""The pages of environments and suites: Markdown and pictures, from the registry and the environments."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
from griffe import Docstring
from gymnasium import spaces
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from PIL import Image as PillowImage

from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.grounding import GroundingEnv
from formgym.envs.core.metrics import METRICS_OF, Metric
from formgym.envs.core.tasks import EndlessTasks, page_of
from formgym.envs.core.texts import UnicodeText
from formgym.envs.core.tools import Argument, Call, Tool
from formgym.envs.registration import ids, index
from formgym.envs.web_forms.env import WebFormEnv
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.html.themes import themes
from formgym.experiments.running.rollout import bare_env

NOTHING = "–"
_TEMPLATES = Path(__file__).parent / "templates"
_WIDTH, _ANIMATION_WIDTH = 800, 480
_MAX_CALLS, _MAX_FRAMES, _ANIMATION_MS = 6, 24, 8_000
_SEE = re.compile(r"^see ``\w+``[.;]?\s*")
_GROUNDING = {
    "grounding_reward": Metric("grounding reward", "the mean of the rewards for all targets of the episode"),
    "strict_accuracy": Metric("strict accuracy", "targets that are hit, among all of the episode"),
    "iou": Metric("IoU", "what the box drawn and the target's box share, of what both cover"),
}
"""The metrics of the environments in which names are to be found on pages."""


@dataclass(frozen=True)
class Option:
    """A keyword argument of ``gymnasium.make``: type and default as Python writes them."""

    name: str
    kind: str
    default: str
    description: str


@dataclass(frozen=True)
class Opened:
    """What is known of an environment that has been made.

    Attributes:
        observations: rows of key and space.
        tools: in the order of their indices.
        reward_metric: the metric that the reward follows.
        metrics: rows of name and meaning.
        splits: rows of a split and its number of tasks.
        calls: that begin to solve a task, up to the first that the score rises with.
        printed: the goal of this task, the feedback on the last call, and the score after it.
        split: that the calls are from.
    """

    observations: Sequence[tuple[str, str]]
    tools: Sequence[Tool]
    reward_metric: str
    metrics: Sequence[tuple[str, str]]
    splits: Sequence[tuple[str, str]]
    calls: Sequence[Call]
    printed: tuple[str, str, str]
    split: str


@dataclass(frozen=True)
class Details:
    """An environment, as its page shows it.

    Attributes:
        env_id: its id.
        entry: its row in the index of assets.
        text: its class's docstring without the arguments, as Markdown.
        options: what it is made with.
        tools: what agents call; empty where they depend on the user's data.
        own: what is known of environments whose data are shipped; ``None`` for the others.
    """

    env_id: str
    entry: Mapping[str, Any]
    text: str
    options: Sequence[Option]
    tools: Sequence[Tool]
    own: Opened | None

    @property
    def suite(self) -> str:
        """The part of the id before the slash."""
        return self.env_id.partition("/")[0]

    @property
    def name(self) -> str:
        """The part of the id after the slash."""
        return self.env_id.partition("/")[2]

    @property
    def file(self) -> str:
        """The name of its page's file, without the suffix."""
        return path_of(self.env_id).partition("/")[2]

    def fact(self, name: str) -> str:
        """A fact of the index of assets, such as the number of ``tasks``; a dash if unknown."""
        fact = self.entry.get("facts", {}).get(name)
        if isinstance(fact, list):
            height, width = fact
            return f"{width} × {height}"
        return NOTHING if fact is None else f"{fact:,}"


# -- Pages ---------------------------------------------------------------------------------------------------------


def write_environment_pages(docs: Path) -> None:
    """Write ``environments/`` with its pictures into the folder that the site is built from."""
    folder = docs / "environments"
    details = [details_of(env_id) for env_id in ids()]
    measured = json.loads((docs / "baselines.json").read_text("utf-8"))["environments"]
    for one in details:
        file = folder / f"{path_of(one.env_id)}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(environment_page(one, measured.get(one.env_id)), "utf-8")
        if one.own is not None:
            first_page(bare_env(one.env_id)).save(file.with_suffix(".webp"), quality=80)
        if one.own is not None and one.env_id in _texts()["animated"]:
            write_animation(bare_env(one.env_id, split=one.own.split), file.with_suffix(".gif"))
    by_suite = {suite["name"]: [one for one in details if one.suite == suite["name"]] for suite in _texts()["suites"]}
    for suite in _texts()["suites"]:
        of_suite = by_suite[suite["name"]]
        shared = next((one for one in of_suite if _is_one_of_many(one.env_id)), None)
        page = _rendered("suite.md.jinja", suite=suite, details=of_suite, shared=shared)
        (folder / suite["name"].lower() / "index.md").write_text(page, "utf-8")
    overview = _rendered("index.md.jinja", suites=_texts()["suites"], by_suite=by_suite)
    (folder / "index.md").write_text(overview, "utf-8")


def environment_page(details: Details, measured: Mapping[str, Any] | None = None) -> str:
    """The page of an environment, as Markdown.

    Args:
        details: of the environment.
        measured: its baselines, as docs/baselines.json has them.
    """
    texts = _texts()
    return _rendered(
        "environment.md.jinja",
        d=details,
        is_animated=details.env_id in texts["animated"],
        user_data=texts["user_data"].get(details.env_id),
        is_shared=_is_one_of_many(details.env_id),
        several=next(suite["several"] for suite in texts["suites"] if suite["name"] == details.suite),
        agents=texts["agents"],
        measured=measured,
    )


def path_of(env_id: str) -> str:
    """The page of an environment: ``formgym/auto_loans_text``."""
    suite, _, name = env_id.partition("/")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition("-v")[0].replace("-", "_"))
    return f"{suite.lower()}/{words.lower()}"


def is_shipped(entry: Mapping[str, Any]) -> bool:
    """Whether an environment can be made without data of the user's own."""
    return entry.get("facts", {}).get("tasks") is not None


@cache
def _texts() -> dict[str, Any]:
    """What the pages say that the registry does not."""
    texts: dict[str, Any] = json.loads((_TEMPLATES / "suites.json").read_text("utf-8"))
    return texts


def _rendered(template: str, **values: Any) -> str:
    return _templates().get_template(template).render(**values)


def _interval(score: Mapping[str, Any]) -> str:
    return f"{score['mean']:.2f}" + (" [{:.2f}, {:.2f}]".format(*score["ci95"]) if score["ci95"] else "")


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(_TEMPLATES)
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "cell": lambda text: " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split()),
        "range": _argument_range,
        "json": lambda value: json.dumps(value, ensure_ascii=False),
        "interval": _interval,
        "path": path_of,
    }
    return environment


# -- Classes -------------------------------------------------------------------------------------------------------


def details_of(env_id: str) -> Details:
    """An environment's details; deterministic, users' own data are not opened."""
    entry = index()["environments"][env_id]
    module, _, name = entry["entry_point"].partition(":")
    cls = getattr(import_module(f"formgym.envs.{module}"), name)
    opened = _opened(env_id) if is_shipped(entry) else None
    tools = opened.tools if opened else getattr(cls, "tools", ())
    return Details(env_id, entry, _with_links(_text_of(cls)), options_of(cls, entry.get("kwargs", {})), tools, opened)


def options_of(cls: type[PaperworkEnv], registered: Mapping[str, Any]) -> list[Option]:
    """The options of an environment's class, those of its bases last.

    Args:
        cls: the class.
        registered: the arguments that its id is registered with.
    """
    options: dict[str, Option] = {}
    for owner in _constructed(cls):
        described = _descriptions_of(owner)
        for name, parameter in inspect.signature(owner).parameters.items():
            text = _with_links(described.get(name, ""))
            if parameter.default is parameter.empty or name == "source_page":
                continue
            if name not in options:
                default = repr(registered.get(name, parameter.default))
                options[name] = Option(name, str(parameter.annotation).strip("'"), default, text)
            elif match := _SEE.match(options[name].description):
                # The description of the base stands in the place of the reference to it.
                rest = options[name].description[match.end() :]
                joined = f"{text.rstrip('.')}; {rest}" if rest else text
                options[name] = Option(name, options[name].kind, options[name].default, joined)
    return list(options.values())


def _text_of(cls: type[PaperworkEnv]) -> str:
    """What a class's docstring says before its arguments; docstrings of bases that have no id follow."""
    bases = (base for base in cls.__mro__[1:] if issubclass(base, PaperworkEnv) and base is not PaperworkEnv)
    unlisted = (base for base in bases if base.__name__ not in _ids_by_class())
    # The first line of a base's docstring says what the class's does, in general.
    more = (_plain(inspect.getdoc(base) or "").partition("\n\n")[2] for base in unlisted)
    return "\n\n".join((_plain(inspect.getdoc(cls) or ""), *more))


def _descriptions_of(owner: type) -> dict[str, str]:
    """The descriptions of a class's arguments by name."""
    sections = Docstring(inspect.getdoc(owner) or "", parser="google").parse(warnings=False)
    arguments: Any = (one.value for one in sections if one.kind.value == "parameters")
    return {argument.name: " ".join(argument.description.split()) for argument in chain(*arguments)}


def _constructed(cls: type[PaperworkEnv]) -> list[type[PaperworkEnv]]:
    """The classes whose constructors take the arguments of ``cls``."""
    return [base for base in cls.__mro__ if issubclass(base, PaperworkEnv) and "__init__" in vars(base)]


def _plain(docstring: str) -> str:
    """The text sections of a docstring, without references to bases."""
    sections = Docstring(docstring, parser="google").parse(warnings=False)
    text = "\n\n".join(section.value for section in sections if section.kind.value == "text")
    return re.sub(r"; see ``\w+``", "", with_fenced_examples(text))


def with_fenced_examples(text: str) -> str:
    """A docstring, or code with docstrings, with ``>>>`` paragraphs as code: their brackets would be links."""
    return re.sub(r'^( *)>>> .*(?:\n\1(?!""").+)*', r"\1```pycon\n\g<0>\n\1```", text, flags=re.MULTILINE)


@cache
def _ids_by_class() -> dict[str, list[str]]:
    """The ids of each class of environments, by the class's name."""
    by_class: dict[str, list[str]] = {}
    for env_id, entry in index()["environments"].items():
        by_class.setdefault(entry["entry_point"].partition(":")[2], []).append(env_id)
    return by_class


def _is_one_of_many(env_id: str) -> bool:
    """Whether other ids have this one's class; the page of the suite describes it."""
    return any(env_id in env_ids and len(env_ids) > 1 for env_ids in _ids_by_class().values())


def _with_links(text: str) -> str:
    """A docstring's text with links to pages in the place of names of classes."""

    def linked(match: re.Match[str]) -> str:
        env_ids = _ids_by_class().get(match[1], [])
        if len(env_ids) > 1:
            return "[the suite's forms](index.md#the-task)"
        return f"[`{env_ids[0]}`]({path_of(env_ids[0]).partition('/')[2]}.md)" if env_ids else match[0]

    return re.sub(r"``(\w+Env)``", linked, text)


# -- Environments --------------------------------------------------------------------------------------------------


def _opened(env_id: str) -> Opened:
    by_split: dict[str, PaperworkEnv] = {}
    for split in ("train", "dev", "test"):
        with suppress(ValueError):
            by_split[split] = bare_env(env_id, split=split)
    env, split = by_split["test"], "train" if "train" in by_split else "test"
    _, info = env.reset(seed=0)
    known = _GROUNDING if isinstance(env, GroundingEnv) else METRICS_OF[env_id.partition("/")[0]]
    observed = cast(spaces.Dict, env.observation_space)
    return Opened(
        [(name, _space(space)) for name, space in observed.items()],
        env.tools,
        env.reward_metric,
        [(name, known[name].meaning) for name in info["score"]],
        [(name, _n_tasks(of_split)) for name, of_split in by_split.items()],
        *_example(by_split[split]),
        split,
    )


def _example(env: PaperworkEnv) -> tuple[list[Call], tuple[str, str, str]]:
    """The first calls of a solution, up to the first that the score rises with, and what they print."""
    observation, info = env.reset(seed=0)
    calls: list[Call] = []
    for call in env.solution()[:_MAX_CALLS]:
        # Places have fewer decimals than a solution's.
        calls.append({name: round(value, 3) if isinstance(value, float) else value for name, value in call.items()})
        _, reward, _, _, info = env.step(env.action_space.from_call(calls[-1]))
        if reward > 0:
            break
    return calls, (observation["goal"], info["feedback"], f"{info['score'][env.reward_metric]:.3f}")


def _argument_range(argument: Argument) -> str:
    """The values that an argument takes, in words."""
    space = argument.space
    if isinstance(space, UnicodeText):
        return _space(space)
    if isinstance(space, spaces.Discrete):
        return f"whole number, {space.start} to {space.start + space.n - 1}"
    box = cast(spaces.Box, space)
    return f"number, {float(box.low):g} to {float(box.high):g}"


def _space(space: spaces.Space[Any]) -> str:
    if isinstance(space, UnicodeText):
        return f"text, at most {space.max_length:,} characters"
    height, width, _ = cast(tuple[int, ...], space.shape)
    return f"uint8 array ({height}, {width}, 3): height, width, RGB"


def _n_tasks(env: PaperworkEnv) -> str:
    # Splits with more than a million tasks are endless too.
    tasks = env.task_ids
    return "endless" if isinstance(tasks, EndlessTasks) or len(tasks) > 10**6 else f"{len(tasks):,}"


# -- Pictures ------------------------------------------------------------------------------------------------------


def first_page(env: PaperworkEnv) -> PillowImage.Image:
    """The page after a reset, small enough for a web page; web forms take turns with all themes."""
    look = {}
    if isinstance(env, WebFormEnv):
        look["theme"] = themes()[web_forms().index(page_of(env.task_ids[0])) % len(themes())]
    return _scaled(env.reset(seed=0, options=look)[0]["page"], _WIDTH)


def write_animation(env: PaperworkEnv, path: Path) -> None:
    """Write an animated picture of an episode that solves a task; it plays once."""
    pages = [env.reset(seed=0)[0]["page"]]
    pages += [env.step(env.action_space.from_call(call))[0]["page"] for call in env.solution()]
    chosen = np.unique(np.linspace(0, len(pages) - 1, _MAX_FRAMES).round().astype(int))
    first, *rest = (_scaled(pages[i], _ANIMATION_WIDTH).quantize(64) for i in chosen)
    duration = _ANIMATION_MS // len(chosen)
    first.save(path, save_all=True, append_images=rest, duration=duration, optimize=True)


def _scaled(page: Any, width: int) -> PillowImage.Image:
    picture = PillowImage.fromarray(page)
    if picture.width <= width:
        return picture
    return picture.resize((width, round(picture.height * width / picture.width)), PillowImage.Resampling.LANCZOS)
