"""``RunSpec``: which agent plays which environment, and how; and what it makes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from zlib import crc32

import gymnasium as gym
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from ...agents.base import Agent
from ...envs.core.redaction import REMOVED, is_secret_argument, without_values
from ...envs.core.texts import truncate

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from ...agents.models.model import Model

MAY_DIFFER = (
    *("run_dir", "resume", "retry", "concurrency", "shard", "job"),
    *("logger", "budget", "model_cache", "prices"),
)
"""The settings that do not make another run of a run."""
_MAX_SHOWN = 200
VARIABLE = "FORMGYM_SECRET"
"""The environment variable with the secret of runs that are replayed or resumed; several are divided by commas."""
_PREFIX, _SALT = "scrypt:", b"formgym secret"
INSIDE_FLOW = ("ControlList", "FieldList", "FieldQueue")
"""Wrappers that take one call a step: they are inside of the flow."""
_VARIABLE_NAME = re.compile(r"\$\{oc\.env:(\w+)")
_MUST_BE = {
    "seed": "a whole number from 0 on, below 2 to the 64",
    "episodes": "at least 1 and at most a million, or null for one of every task",
    "concurrency": "a whole number from 1 on",
    "resume": "true or false",
    "retry": "errors or null",
}

EPISODES = "episodes.jsonl"
"""The file of a run's episodes."""
Settings = dict[str, Any]
Positive = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


@dataclass(frozen=True)
class Shard:
    """One of ``count`` shares of a run's episodes; it depends on no other."""

    index: int = 0
    count: int = 1

    @classmethod
    def of(cls, text: str | None) -> Shard:
        """The shard of a setting such as ``"0/4"``; ``None``: all episodes.

        Raises:
            ValueError: if it is none.
        """
        if text is None:
            return cls()
        match = re.fullmatch(r"(\d+)/(\d+)", str(text))
        if match is None or int(match[1]) >= int(match[2]):
            raise ValueError(f"shard must be i/n with i from 0 to n - 1, such as shard=0/4; it is {text}")
        return cls(int(match[1]), int(match[2]))

    @property
    def file_name(self) -> str:
        """Its file of episodes in the folder of a run."""
        return EPISODES if self.count == 1 else f"episodes.{self.index}-of-{self.count}.jsonl"

    def has(self, run: str, index: int) -> bool:
        """Whether an episode belongs to it.

        Args:
            run: the name of the run's folder. It makes the shares of a sweep alike in size, whose runs may have few
                episodes each.
            index: of the episode.
        """
        return (crc32(run.encode()) + index) % self.count == self.index


class RunSpec(BaseModel):
    """An agent, an environment and the settings of a run; it never changes.

    The command line makes one with ``from_hydra``. Parts that are objects are described as Hydra does: ``_target_``, a
    class by its path, and its arguments.

    Attributes:
        env: the ``id`` and the arguments of ``gymnasium.make``; an id alone will do.
        agent: its ``_target_`` and arguments; a class or its path will do.
        name: of the agent in tables; default: the name of its class.
        model: the provider of an agent that has the argument ``model``, with ``_target_`` and arguments.
        flow: the wrapper that divides an episode into rounds.
        flow_name: of the flow in tables.
        wrappers: by name, the first one innermost.
        episodes: how many, their tasks drawn from ``seed``; ``None``: one of every task.
        seed: of tasks and agent.
        prompts: the digest of the agent's prompts, if it has some.
        logger: where metrics go beside the folder of the run; ``None``: nowhere.
        model_cache: the folder of a model's replies; ``"default"``: in that of formgym; ``None``: none is kept.
        prices: of models; see ``agents.models.ledger.read_prices``.
        budget: the most ``dollars`` and ``tokens`` of the run, or of its sweep as a whole.
        concurrency: how many episodes are played at once, in threads.
        shard: ``"i/n"``: only these episodes, beside other processes that do the others in the same ``run_dir``.
        run_dir: the folder of the run; ``None``: nothing is written.
        resume: whether to go on with the run in ``run_dir``.
        retry: ``"errors"``: when resuming, episodes that are unscored or crashed are played again.
        job: its number in the sweep that it is part of.

    Example:
        >>> spec = RunSpec(env="FormGym/Scans-v0", agent="formgym.agents.Noop", episodes=2)
        >>> spec.name, spec.env["id"]
        ('Noop', 'FormGym/Scans-v0')
        >>> spec.make_env()
        <ActionBatch<TimeLimit<OrderEnforcing<PassiveEnvChecker<ScansEnv<FormGym/Scans-v0>>>>>>
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    env: Settings
    agent: Settings
    name: str = ""
    model: Settings | None = None
    flow: Settings = {"_target_": "formgym.wrappers.ActionBatch", "_partial_": True, "max_rounds": 10}
    flow_name: str = "iterative"
    wrappers: dict[str, Any] = {}
    episodes: Positive | None = None
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**64)] = 0
    prompts: str | None = None
    logger: Settings | None = None
    model_cache: str | None = "default"
    prices: Any = None
    budget: Settings | None = None
    concurrency: Positive = 1
    shard: str | None = None
    run_dir: Path | None = None
    resume: Annotated[bool, Field(strict=True)] = False
    retry: Literal["errors"] | None = None
    job: int | None = None
    _variables: dict[str, str] = PrivateAttr(default_factory=dict)

    @field_validator("env", mode="before")
    @classmethod
    def _with_id(cls, env: Any) -> Any:
        settings = {"id": env} if isinstance(env, str) else env
        if isinstance(settings, Mapping) and isinstance(settings.get("id"), str):
            return {**settings, "id": settings["id"].removeprefix("formgym:")}
        raise ValueError(f"env must be an id, or its id and arguments; it is {env}")

    @field_validator("shard", mode="before")
    @classmethod
    def _is_shard(cls, shard: Any) -> Any:
        Shard.of(shard)
        return shard

    @model_validator(mode="before")
    @classmethod
    def _with_target_and_name(cls, data: Any) -> Any:
        agent = data.get("agent") if isinstance(data, Mapping) else None
        if isinstance(agent, type | str):
            agent = {"_target_": path_of(agent)}
        if not isinstance(agent, Mapping):
            return data
        return {**data, "agent": agent, "name": data.get("name") or str(agent.get("_target_", "")).rpartition(".")[2]}

    @model_validator(mode="after")
    def _resumes_what_it_retries(self) -> RunSpec:
        if self.retry and not self.resume:
            raise ValueError("retry=errors goes on with a run; add resume=true")
        return self

    @classmethod
    def from_hydra(cls, config: DictConfig, hydra: DictConfig) -> RunSpec:
        """The run that a configuration describes.

        Args:
            config: composed from ``conf/sweep.yaml``.
            hydra: Hydra's part of it.

        Raises:
            ValueError: if a setting is unknown or wrong.
        """
        from omegaconf import OmegaConf

        given = {setting_of(override) for override in hydra.overrides.task}
        own = OmegaConf.masked_copy(config, [str(name) for name in config if name != "hydra"])
        data = cast("dict[str, Any]", OmegaConf.to_container(own, resolve=True, throw_on_missing=True))
        # The names by which env= chooses a form or a document are in its id.
        data = {name: value for name, value in data.items() if name not in ("form", "document")}
        agent, model = data["agent"], data["model"]
        takes_model = model is not None and "model" in agent
        name = data["name"] or hydra.runtime.choices["agent"]
        label = takes_model and not data["name"] and model.get("name")
        if "prompts" in agent:
            data["prompts"] = _prompts(agent)
        if data["shard"] is not None and Shard.of(data["shard"]).count > 1 and "run_dir" not in given:
            raise ValueError("shards meet in one folder; say which, such as run_dir=runs/sweep")
        parts = {"agent": agent | {"model": None} if takes_model else agent, "model": model if takes_model else None}
        names = {"name": f"{name} ({label})" if label else str(name), "flow_name": hydra.runtime.choices["flow"]}
        spec = _validated(data | parts | names)
        variables = _VARIABLE_NAME.findall(OmegaConf.to_yaml(own))
        spec._variables = {os.environ[one]: f"${{oc.env:{one}}}" for one in variables if os.environ.get(one)}
        return spec

    @property
    def env_id(self) -> str:
        """The id of the environment."""
        return str(self.env["id"])

    @property
    def env_arguments(self) -> Settings:
        """The arguments of the environment."""
        return {name: value for name, value in self.env.items() if name != "id"}

    @property
    def is_open_ended(self) -> bool:
        """Whether it has no agent of its own: people or programs add episodes, of tasks and seeds that they choose."""
        return not self.agent

    @property
    def settings(self) -> Settings:
        """The arguments of the environment that are not its usual ones, without secrets, for tables."""
        usual = gym.registry[self.env_id].kwargs if self.env_id in gym.registry else {}
        arguments = self.env_arguments.items()
        given = {key: v for key, v in arguments if v is not None and key != "sha256"}
        return {key: _shown(key, v) for key, v in given.items() if _listed(v) != _listed(usual.get(key))}

    @property
    def title(self) -> str:
        """The agent and the environment."""
        return f"{self.name} on {self.env_id}"

    def is_same_run(self, other: RunSpec) -> bool:
        """Whether another spec describes the same episodes, if the user's files are those it was begun with."""
        return self.pinned(other.env.get("sha256"))._compared() == other._compared()

    def pinned(self, sha256: str | None) -> RunSpec:
        """With the digest of the user's own files, where there are some: with other files it cannot run."""
        has_one = not sha256 or self.env.get("sha256")
        return self if has_one else self.model_copy(update={"env": self.env | {"sha256": sha256}})

    def _compared(self) -> Settings:
        """The settings that make a run another one, as JSON has them, where tuples are lists."""
        return self.public().model_dump(mode="json", exclude=set(MAY_DIFFER))

    def public(self) -> RunSpec:
        """As its folder holds it: without secrets and values of variables, and nothing about one process."""
        named = {name: self._recorded(getattr(self, name)) for name in ("agent", "model", "logger", "wrappers")}
        of_process = {"shard": None, "run_dir": None, "resume": False, "retry": None}
        return self.model_copy(update={"env": with_hash(self.env), **named, **of_process})

    def _recorded(self, value: Any, name: str = "") -> Any:
        """A setting without keys; what came from a variable is named by it."""
        if isinstance(value, Mapping):
            return {key: self._recorded(item, str(key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._recorded(item, name) for item in value]
        if not isinstance(value, str) or not value:
            return value
        if value in self._variables:
            return self._variables[value]
        return REMOVED if is_secret_argument(name) else without_values(value)

    def check_resumes(self, recorded: RunSpec) -> None:
        """Check that a recorded run is this one, so that it can be gone on with.

        What plays is made of this spec alone: of the recorded one nothing is made, whoever recorded it.

        Raises:
            ValueError: if a setting that makes another run differs.
        """
        own, theirs = self.pinned(recorded.env.get("sha256"))._compared(), recorded._compared()
        if differing := [name for name in own if own[name] != theirs[name]]:
            raise ValueError(
                f"{self.run_dir} was begun with another {', '.join(differing)} ({_first_difference(own, theirs)}); "
                "resume=true goes with all the settings that it was begun with, or choose another run_dir"
            )

    def make_env(self) -> gym.Env[Any, Any]:
        """The environment in its wrappers and its flow, the first wrapper innermost."""
        env = make(self.env_id, **with_secret(self.env_arguments))
        wrappers = [self._with_metered_judge(wrapper) for wrapper in self.wrappers.values()]
        targets = [f"formgym.wrappers.{name}" for name in INSIDE_FLOW]
        inside = [wrapper for wrapper in wrappers if wrapper["_target_"] in targets]
        for wrapper in (*inside, self.flow, *(wrapper for wrapper in wrappers if wrapper not in inside)):
            env = build(wrapper)(env=env)
        return env

    def make_agent(self, ledger: Path | None = None) -> Agent:
        """The agent; its model has the cache of replies, the prices and the budget.

        Args:
            ledger: the file of what its replies cost.
        """
        if self.model is None:
            return cast(Agent, build(self.agent))
        metered = self._metered(self.model, self.budget, ledger)
        return cast(Agent, build(self.agent | {"model": metered}))

    def make_model(self, ledger: Path | None = None) -> Model | None:
        """The model alone, with the cache of replies and the prices; ``None`` if the agent takes none.

        Args:
            ledger: the file of what its replies cost; without one there is no budget.
        """
        budget = self.budget if ledger else None
        return None if self.model is None else cast("Model", build(self._metered(self.model, budget, ledger)))

    def _with_metered_judge(self, wrapper: Settings) -> Settings:
        """A wrapper whose provider of feedback is a model, with the cache and the prices of models."""
        provider = wrapper.get("provider")
        if not isinstance(provider, Mapping) or not provider.get("model"):
            return wrapper
        return {**wrapper, "provider": {**provider, "model": self._metered(provider["model"])}}

    def _metered(self, model: Settings, budget: Any = None, ledger: Path | None = None) -> Settings:
        return {
            "_target_": "formgym.agents.models.metered.MeteredModel",
            "provider": model,
            "cache": self.model_cache,
            "prices": self.prices,
            "budget": budget,
            "ledger": None if ledger is None else str(ledger),
        }


def _validated(data: Settings) -> RunSpec:
    """A spec from settings of the command line; a mistake is a ``ValueError`` of one sentence."""
    try:
        return RunSpec.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "value_error":
            raise ValueError(first["msg"].removeprefix("Value error, ")) from error
        if first["type"] == "extra_forbidden":
            raise ValueError(f"there is no setting {name!r}") from error
        must = _MUST_BE.get(name, first["msg"])
        raise ValueError(f"{'.'.join(map(str, first['loc']))} must be {must}; it is {first['input']}") from error


def setting_of(override: str) -> str:
    """The first part of the key that an override sets."""
    return re.split(r"[=.@]", override.lstrip("+~"), maxsplit=1)[0]


def make(env_id: str, **arguments: Any) -> gym.Env[Any, Any]:
    """``gymnasium.make``; a mistake in its arguments is a ``ValueError`` of one sentence."""
    try:
        return gym.make(env_id, **arguments)
    except (gym.error.Error, TypeError, LookupError, AssertionError) as error:
        raise ValueError(" ".join(f"{env_id}: {error}".split())) from error


def build(settings: Mapping[str, Any]) -> Any:
    """What ``_target_`` and its arguments describe.

    Raises:
        ValueError: if it cannot be made; one sentence says why.
    """
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate

    from .command_line import missing_package

    try:
        return instantiate({**settings, "_convert_": "all"})
    except InstantiationException as error:
        what = missing_package(error) or str(error.__cause__ or error)
        raise ValueError(" ".join(what.split())) from error


def _first_difference(own: Any, theirs: Any) -> str:
    """Where two values of JSON differ first, and how, in a few words."""
    path = []
    while isinstance(own, dict) and isinstance(theirs, dict):
        name = next(name for name in {**own, **theirs} if own.get(name) != theirs.get(name))
        path.append(name)
        own, theirs = own.get(name), theirs.get(name)
    return truncate(f"{'.'.join(path)} was {theirs!r}, and is {own!r} now", _MAX_SHOWN)


def _prompts(agent: Mapping[str, Any]) -> str:
    """The digest of an agent's prompts as they are now."""
    from ...agents.model_agent import Prompts

    return Prompts(agent["prompts"]).sha256


def path_of(target: Any) -> str:
    """The path of a class."""
    return target if isinstance(target, str) else f"{target.__module__}.{target.__qualname__}"


def _listed(value: Any) -> Any:
    """A value as JSON has it: tuples are lists."""
    return list(value) if isinstance(value, tuple) else value


def _shown(key: str, value: Any) -> Any:
    """A setting as tables and reports print it, without secrets."""
    if key == "secret":
        return "private"
    return re.sub(r"://([^/@:]*):[^/@]*@", r"://\1:***@", value) if isinstance(value, str) else value


# -- Secrets: run folders hold the hash of the secret of a private test split ------------------------------------------


@lru_cache(maxsize=64)
def secret_hash(secret: str) -> str:
    """The hash of a secret; a hash is its own."""
    if secret.startswith(_PREFIX):
        return secret
    return _PREFIX + hashlib.scrypt(secret.encode(), salt=_SALT, n=2**14, r=8, p=1, dklen=16).hex()


def with_hash(settings: Mapping[str, Any]) -> Settings:
    """The settings of an environment, its secret replaced by the hash."""
    secret = settings.get("secret")
    return {**settings, "secret": secret_hash(str(secret))} if secret else dict(settings)


def with_secret(settings: Mapping[str, Any]) -> Settings:
    """The settings of an environment with its secret, which ``FORMGYM_SECRET`` has, in the place of the hash.

    Args:
        settings: as a run folder holds them.

    Raises:
        ValueError: if no secret there has this hash.
    """
    expected = settings.get("secret")
    if not str(expected).startswith(_PREFIX):
        return dict(settings)
    for secret in os.environ.get(VARIABLE, "").split(","):
        if secret.isdecimal() and secret_hash(secret) == expected:
            return {**settings, "secret": int(secret)}
    raise ValueError(f"the run has a private test split; set {VARIABLE} to the env.secret that it was begun with")
