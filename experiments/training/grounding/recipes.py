"""Recipes of grounding policies: cloning on made pages, and learning from reward on web forms or scans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from stable_baselines3 import PPO

from ....agents.policies.budget import Budget
from ....agents.policies.cloning import clone as train_by_cloning
from ....agents.policies.rehearsal import Rehearsal
from ....agents.policies.spatial_policy import SpatialPolicy
from ....agents.policies.window_vec_env import PointReward, WindowVecEnv
from ....fieldfinder_model.windows.window_network import WindowNetwork
from ....fieldfinder_model.windows.window_pages import WindowPage
from ....fieldfinder_model.windows.window_pool import WindowPool
from .click_reward import ClickReward
from .measuring import HitRate, measure
from .pools import made_test_pool, made_training_pool, pool_of, scan_pages, web_pages

RATE = 1e-3
"""The maximum of the learning rate when learning from reward."""
_ENVS = 256
_TARGET_KL, _TARGET_KL_REHEARSED = 0.05, 0.1
"""When an update ends that moves too far; rehearsal moves the policy too."""
_LABELS_ABOVE = ("clinic", "night")
"""The themes of the train split whose labels stand above their controls."""
LIMIT = Budget(cpu_seconds=90)
"""How long is cloned, and how long learned from reward, if nothing else is said."""


def new_policy(seed: int = 0) -> SpatialPolicy:
    """A policy over windows that has learned nothing."""
    torch.manual_seed(seed)
    spaces = WindowPool.observation_space, WindowPool.action_space
    return SpatialPolicy(*spaces, lambda _: RATE, network=WindowNetwork)


def clone(pool: WindowPool, budget: Budget, seed: int = 0) -> SpatialPolicy:
    """A policy cloned on the boxes of a pool's targets.

    Args:
        pool: the targets.
        budget: its steps are batches of 64.
        seed: of weights and batches.
    """
    policy = new_policy(seed)
    train_by_cloning(policy, pool, budget, seed)
    return policy


def fine_tune(
    policy: SpatialPolicy,
    pool: WindowPool,
    budget: Budget,
    seed: int = 0,
    reward: str | Mapping[str, float] | PointReward = "hit",
    rehearsed: WindowPool | None = None,
) -> tuple[SpatialPolicy, list[tuple[int, float]]]:
    """A policy that learned from reward (PPO) where another one left off, and its curve.

    Episodes have one step, so that nothing is discounted. Rollouts have 1,024 targets.

    Args:
        policy: to begin with; it stays as it is.
        pool: the targets; their boxes are used for nothing but the reward.
        budget: its steps are targets.
        seed: of targets and actions.
        reward: see ``WindowVecEnv``.
        rehearsed: targets with known boxes that are rehearsed against forgetting.

    Returns:
        The policy; the number of targets and the mean reward, step by step of the environments.
    """
    ppo = PPO(
        SpatialPolicy,
        WindowVecEnv(pool, _ENVS, reward, seed),
        learning_rate=RATE,
        n_steps=4,
        batch_size=128,
        n_epochs=2,
        gamma=0.0,
        gae_lambda=0.0,
        target_kl=_TARGET_KL if rehearsed is None else _TARGET_KL_REHEARSED,
        policy_kwargs={"network": WindowNetwork},
        seed=seed,
        device="cpu",
    )
    tuned = ppo.policy
    assert isinstance(tuned, SpatialPolicy)
    tuned.load_state_dict(policy.state_dict())
    rehearsal = Rehearsal(budget, RATE, rehearsed, seed=seed)
    ppo.learn(10**12, callback=rehearsal)
    tuned.set_training_mode(False)
    return tuned, rehearsal.curve


# -- Whole runs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tuning:
    """A way to learn from reward.

    Attributes:
        name: in tables.
        pool: the targets.
        reward: see ``WindowVecEnv``.
        rehearsed: targets that are rehearsed.
    """

    name: str
    pool: WindowPool
    reward: str | PointReward = "hit"
    rehearsed: WindowPool | None = None


@dataclass(frozen=True)
class Recipe:
    """What a run trains on and measures.

    Attributes:
        cloned_on: the targets of the cloning.
        tunings: each begins with the cloned policy.
        tests: the pools that are measured, by name.
    """

    cloned_on: WindowPool
    tunings: Sequence[Tuning]
    tests: Mapping[str, WindowPool]


@dataclass(frozen=True)
class Row:
    """A row of the table of a run.

    Attributes:
        seed: of the run.
        stage: ``"cloned"``, or the name of the tuning after it.
        pool: the name of the pool that was measured.
        group: of its targets; see ``measuring.hit_rates``.
        rate: of hits.
    """

    seed: int
    stage: str
    pool: str
    group: str
    rate: HitRate


Report = Callable[[SpatialPolicy, int, str], None]
"""``report(policy, seed, stage)``: called with every policy as soon as it is trained."""


def run(
    recipe: Recipe,
    seeds: Sequence[int] = (0,),
    cloning_budget: Budget = LIMIT,
    tuning_budget: Budget = LIMIT,
    report: Report | None = None,
) -> Iterator[Row]:
    """Clone a policy for each seed, tune it in several ways, and measure it before and after each.

    Args:
        recipe: see there.
        seeds: of the runs.
        cloning_budget: its steps are batches of 64.
        tuning_budget: of each tuning; its steps are targets.
        report: takes the policies.
    """
    for seed in seeds:
        for stage, policy in _trained(recipe, seed, cloning_budget, tuning_budget):
            if report is not None:
                report(policy, seed, stage)
            for name, pool in recipe.tests.items():
                yield from (Row(seed, stage, name, group, rate) for group, rate in measure(policy, pool).items())


def _trained(recipe: Recipe, seed: int, cloning: Budget, tuning: Budget) -> Iterator[tuple[str, SpatialPolicy]]:
    """The policies of a recipe by their stage."""
    cloned = clone(recipe.cloned_on, cloning, seed)
    yield "cloned", cloned
    for one in recipe.tunings:
        yield one.name, fine_tune(cloned, one.pool, tuning, seed, one.reward, one.rehearsed)[0]


def cloning_recipe(pages: int = 1000, test_pages: int = 60, processes: int = 1) -> Recipe:
    """Clone on made pages, and measure on made pages that are new.

    Args:
        pages: how many are cloned on.
        test_pages: how many are measured on.
        processes: that make the pages.
    """
    return Recipe(made_training_pool(0, pages, processes), (), {"made": made_test_pool(test_pages, processes)})


def web_recipe(split: str = "dev", pages: int = 1000, failures: bool = True, processes: int = 1) -> Recipe:
    """Clone on made pages, and learn from reward on the web forms of the train split.

    Two of the tunings are known to fail: forms whose labels are all above their controls spoil what was learned of
    labels to the left; the environment's own score, which clicks on labels win too, teaches to point at labels.

    Args:
        split: that is measured; look at ``"test"`` once, at the end.
        pages: how many made pages are cloned on and rehearsed.
        failures: whether to show those as well.
        processes: that make the pages.
    """
    made, web = made_training_pool(0, pages, processes), pool_of(web_pages("train"))
    tunings = [Tuning("reward", web), Tuning("reward, rehearsed", web, rehearsed=made)]
    if failures:
        above = WindowPool([page for page in web.pages if _theme(page) in _LABELS_ABOVE])
        tunings += [Tuning("labels above alone", above), Tuning("clicks on labels too", web, ClickReward(web))]
    return Recipe(made, tunings, _by_theme(split) | {"made": made_test_pool(60, processes)})


def scan_recipe(split: str = "dev", pages: int = 1000, root: str | None = None, processes: int = 1) -> Recipe:
    """Clone on made pages, and learn from reward on annotated scans (FUNSD).

    Args:
        split: that is measured; look at ``"test"`` once, at the end.
        pages: how many made pages are cloned on and rehearsed.
        root: the folder of FUNSD; ``None``: below FORMGYM_DATA.
        processes: that make the pages.
    """
    made, scans = made_training_pool(0, pages, processes), pool_of(scan_pages("train", root))
    tunings = [Tuning("reward", scans), Tuning("reward, rehearsed", scans, rehearsed=made)]
    return Recipe(made, tunings, {"scans": pool_of(scan_pages(split, root)), "made": made_test_pool(60, processes)})


def _by_theme(split: str) -> dict[str, WindowPool]:
    """The pages of a split of the web forms, together and by theme."""
    whole = pool_of(web_pages(split))
    themes = dict.fromkeys(map(_theme, whole.pages))
    parts = {theme: WindowPool([page for page in whole.pages if _theme(page) == theme]) for theme in themes}
    return {"web": whole} | {f"web, {theme}": pool for theme, pool in parts.items()}


def _theme(page: WindowPage) -> str:
    return page.name.split("/")[1]
