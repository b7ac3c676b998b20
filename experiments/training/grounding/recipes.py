"""Recipes of grounding policies: what they clone, learn from reward and measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from ....agents.policies.spatial_policy import SpatialPolicy
from ....agents.policies.training import EarlyStop, Rehearsal, TrainingBudget
from ....agents.policies.training import clone as train_by_cloning
from ....agents.policies.window_vec_env import PointReward, WindowVecEnv
from ....envs.core.grounding import GroundingEnv
from ....envs.documents.grounding.env import DocumentGroundingEnv
from ....envs.paper_forms.grounding.env import PaperGroundingEnv
from ....envs.paper_forms.grounding.grounding_pages import Split
from ....envs.web_forms.grounding_env import WebGroundingEnv
from ....fieldfinder_model.windows.window_network import WindowNetwork
from ....fieldfinder_model.windows.window_pool import WindowPage, WindowPool
from .measuring import ALL, HitRate, measure
from .pools import environment_pages, made_test_pool, made_training_pool, pool_of, scan_pages
from .rewards import ClickReward

RATE = 1e-3
"""The maximum of the learning rate when learning from reward."""
_ENVS = 256
_MADE_TESTED = 60
"""How many made pages are measured on at most after learning from reward."""
_ROLLOUT = 1024
"""How many targets a rollout has."""
_TARGET_KL, _TARGET_KL_REHEARSED = 0.05, 0.1
"""When an update ends that moves too far; rehearsal moves the policy too."""
_LABELS_ABOVE = ("clinic", "night")
"""The themes of the train split whose labels stand above their controls."""
Curve = list[tuple[int, float]]
"""Steps and values."""
Test = Callable[[SpatialPolicy], Mapping[str, HitRate]]
"""Measures a policy: all targets, and groups of them."""


def new_policy(seed: int = 0) -> SpatialPolicy:
    """A policy over windows that has learned nothing."""
    torch.manual_seed(seed)
    spaces = WindowPool.observation_space, WindowPool.action_space
    return SpatialPolicy(*spaces, lambda _: RATE, network=WindowNetwork)


def clone(pool: WindowPool, budget: TrainingBudget, seed: int = 0) -> tuple[SpatialPolicy, dict[str, Curve]]:
    """A policy cloned on the boxes of a pool's targets, and the curve of its loss.

    Args:
        pool: the targets.
        budget: its steps are batches of 64.
        seed: of weights and batches.
    """
    policy = new_policy(seed)
    return policy, {"loss of cloning": train_by_cloning(policy, pool, budget, seed)}


@dataclass(frozen=True)
class Tuning:
    """A way to learn from reward.

    Attributes:
        name: in tables.
        environments: makes the environments that pay the reward; their observations are windows, their actions cells.
        rehearsed: targets with known boxes that are rehearsed against forgetting.
        from_scratch: whether to begin with random weights in place of the cloned policy's.
    """

    name: str
    environments: Callable[[], VecEnv]
    rehearsed: WindowPool | None = None
    from_scratch: bool = False


def targets_of(pool: WindowPool, reward: str | Mapping[str, float] | PointReward = "hit") -> Callable[[], VecEnv]:
    """Makes environments of one step, each with a target of a pool.

    Args:
        pool: the targets; their boxes are used for nothing but the reward.
        reward: see ``WindowVecEnv``.
    """
    return partial(WindowVecEnv, pool, _ENVS, reward)


@dataclass(frozen=True)
class Recipe:
    """What a run trains on and measures.

    Attributes:
        name: of the run.
        cloned_on: the targets of the cloning.
        tunings: begin with the cloned policy, but those from scratch.
        tests: what is measured, by name.
        shown: has the page of which an animation is drawn, its first.
        dev: measures where tunings are stopped early, in none of the tests; ``None``: they take all their budget.
    """

    name: str
    cloned_on: WindowPool
    tunings: Sequence[Tuning]
    tests: Mapping[str, Test]
    shown: GroundingEnv
    dev: Test | None = None


def fine_tune(
    policy: SpatialPolicy, tuning: Tuning, budget: TrainingBudget, seed: int = 0, dev: Test | None = None
) -> tuple[SpatialPolicy, dict[str, Curve]]:
    """A policy that learned from reward (PPO) from another one on, and its curves.

    Each point is credited with its own reward alone (a discount of 0), also in episodes of many steps.

    Args:
        policy: to begin with; it stays as it is.
        tuning: what is learned.
        budget: its steps are targets.
        seed: of targets and actions.
        dev: measures by what the best policy is chosen.
    """
    ppo = new_ppo(tuning, seed)
    tuned = ppo.policy
    assert isinstance(tuned, SpatialPolicy)
    if not tuning.from_scratch:
        tuned.load_state_dict(policy.state_dict())
    rehearsal = Rehearsal(budget, RATE, tuning.rehearsed, seed=seed)
    stop = EarlyStop(lambda one: dev(one)[ALL].mean) if dev is not None else None
    ppo.learn(10**12, callback=[rehearsal, *([stop] if stop else [])])
    if stop is not None:
        stop.restore_best(tuned)
    tuned.set_training_mode(False)
    return tuned, {"reward": rehearsal.curve} | ({"hits on dev": stop.curve} if stop else {})


def new_ppo(tuning: Tuning, seed: int) -> PPO:
    """PPO on the environments of a tuning, with a policy that has learned nothing."""
    environments = tuning.environments()
    return PPO(
        SpatialPolicy,
        environments,
        learning_rate=RATE,
        n_steps=_ROLLOUT // environments.num_envs,
        batch_size=128,
        n_epochs=2,
        gamma=0.0,
        gae_lambda=0.0,
        target_kl=_TARGET_KL if tuning.rehearsed is None else _TARGET_KL_REHEARSED,
        policy_kwargs={"network": WindowNetwork},
        seed=seed,
        device="cpu",
    )


# -- Recipes -----------------------------------------------------------------------------------------------------------


OTHER_PAGES: Mapping[str, Callable[[Split], GroundingEnv]] = {
    "loans": partial(PaperGroundingEnv, "loans"),
    "scans": partial(PaperGroundingEnv, "scans"),
    "documents": lambda split: DocumentGroundingEnv(split=split, action="point"),
    "web": WebGroundingEnv,
}
"""The environments whose pages are trained on or measured on besides made pages, by name, from a split."""


def pages_of(name: str, split: Split) -> WindowPool:
    """The targets of ``OTHER_PAGES`` in a split."""
    return pool_of(environment_pages(OTHER_PAGES[name](split)))


def cloning_recipe(
    split: Split = "dev", pages: int = 1000, test_pages: int = 100, others: Sequence[str] = (), processes: int = 1
) -> Recipe:
    """Clone on made pages, and measure on made pages that are new.

    Args:
        split: that is measured: ``"dev"``, which has 50 made pages, or ``"test"``; documents have ``"test"`` alone.
        pages: how many are cloned on.
        test_pages: how many made pages are measured on at most.
        others: names of ``OTHER_PAGES`` that are measured on as well.
        processes: that make the pages.

    Raises:
        ValueError: if there are no such other pages, or they have no such split.
    """
    unknown = set(others) - set(OTHER_PAGES)
    if unknown:
        raise ValueError(f"others must be of {', '.join(OTHER_PAGES)}, not {', '.join(sorted(unknown))}")
    tests = {"made": hits_on(made_test_pool(split, test_pages, processes))}
    tests |= {name: hits_on(pages_of(name, split)) for name in others}
    return Recipe("clone", made_training_pool(pages, processes), (), tests, PaperGroundingEnv("made", split))


def web_recipe(split: Split = "dev", pages: int = 1000, failures: bool = True, processes: int = 1) -> Recipe:
    """Clone on made pages, and learn from reward on the web forms of the train split.

    Two of the tunings are known to fail: forms whose labels are all above their controls spoil what was learned of
    labels to the left; the environment's own score, which clicks on labels win too, teaches to point at labels. A third
    shows what reward teaches without cloning.

    Args:
        split: that is measured; look at ``"test"`` once, at the end.
        pages: how many made pages are cloned on and rehearsed.
        failures: whether to train these as well.
        processes: that make the pages.
    """
    made, web = made_training_pool(pages, processes), pages_of("web", "train")
    tunings = _alone_and_rehearsed(targets_of(web), made)
    if failures:
        above = WindowPool([page for page in web.pages if _theme(page) in _LABELS_ABOVE])
        tunings.append(Tuning("labels above alone", targets_of(above)))
        tunings.append(Tuning("clicks on labels too", targets_of(web, ClickReward(web))))
        tunings.append(Tuning("reward, not cloned", targets_of(web), from_scratch=True))
    dev = hits_on(pages_of("web", "dev")) if split == "test" else None
    tests = _by_theme(split) | {"made": hits_on(made_test_pool(split, _MADE_TESTED, processes))}
    return Recipe(f"web, {split}", made, tunings, tests, WebGroundingEnv(split), dev)


def scan_recipe(split: Split = "dev", pages: int = 1000, root: str | None = None, processes: int = 1) -> Recipe:
    """Clone on made pages, and learn from reward on annotated scans (FUNSD).

    Args:
        split: that is measured; look at ``"test"`` once, at the end.
        pages: how many made pages are cloned on and rehearsed.
        root: the folder of FUNSD; ``None``: below FORMGYM_DATA.
        processes: that make the pages.
    """
    made, scans = made_training_pool(pages, processes), pool_of(scan_pages("train", root))
    dev = hits_on(pool_of(scan_pages("dev", root))) if split == "test" else None
    tests = {
        "scans": hits_on(pool_of(scan_pages(split, root))),
        "made": hits_on(made_test_pool(split, _MADE_TESTED, processes)),
    }
    tunings = _alone_and_rehearsed(targets_of(scans), made)
    return Recipe(f"scans, {split}", made, tunings, tests, PaperGroundingEnv("made", split), dev)


def _alone_and_rehearsed(environments: Callable[[], VecEnv], rehearsed: WindowPool) -> list[Tuning]:
    """Learning from reward alone, and with rehearsal."""
    return [Tuning("reward", environments), Tuning("reward, rehearsed", environments, rehearsed)]


def hits_on(pool: WindowPool) -> Test:
    """Measures the hits on the targets of a pool."""
    return partial(measure, pool=pool)


def _by_theme(split: Split) -> dict[str, Test]:
    """The pages of a split of the web forms, together and by theme."""
    whole = pages_of("web", split)
    themes = dict.fromkeys(map(_theme, whole.pages))
    parts = {theme: WindowPool([page for page in whole.pages if _theme(page) == theme]) for theme in themes}
    return {"web": hits_on(whole)} | {f"web, {theme}": hits_on(pool) for theme, pool in parts.items()}


def _theme(page: WindowPage) -> str:
    return page.name.split("/")[1]
