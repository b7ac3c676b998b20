"""Recipes of grounding policies: what they clone, learn from reward and measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from stable_baselines3 import PPO

from ....agents.policies.budget import Budget
from ....agents.policies.cloning import clone as train_by_cloning
from ....agents.policies.early_stop import EarlyStop
from ....agents.policies.rehearsal import Rehearsal
from ....agents.policies.spatial_policy import SpatialPolicy
from ....agents.policies.window_vec_env import PointReward, WindowVecEnv
from ....envs.core.grounding import GroundingPage, GroundingTarget
from ....envs.web_forms.grounding_env import WebGroundingEnv
from ....fieldfinder_model.windows.window_network import WindowNetwork
from ....fieldfinder_model.windows.window_pages import WindowPage
from ....fieldfinder_model.windows.window_pool import WindowPool
from .click_reward import ClickReward
from .measuring import ALL, measure
from .pools import UNSEEN_MADE, made_pages, made_test_pool, made_training_pool, pool_of, scan_pages, web_pages

RATE = 1e-3
"""The maximum of the learning rate when learning from reward."""
_ENVS = 256
_TARGET_KL, _TARGET_KL_REHEARSED = 0.05, 0.1
"""When an update ends that moves too far; rehearsal moves the policy too."""
_LABELS_ABOVE = ("clinic", "night")
"""The themes of the train split whose labels stand above their controls."""
Curve = list[tuple[int, float]]
"""Steps and values."""


def new_policy(seed: int = 0) -> SpatialPolicy:
    """A policy over windows that has learned nothing."""
    torch.manual_seed(seed)
    spaces = WindowPool.observation_space, WindowPool.action_space
    return SpatialPolicy(*spaces, lambda _: RATE, network=WindowNetwork)


def clone(pool: WindowPool, budget: Budget, seed: int = 0) -> tuple[SpatialPolicy, dict[str, Curve]]:
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
        pool: the targets; their boxes are used for nothing but the reward.
        reward: see ``WindowVecEnv``.
        rehearsed: targets with known boxes that are rehearsed against forgetting.
    """

    name: str
    pool: WindowPool
    reward: str | Mapping[str, float] | PointReward = "hit"
    rehearsed: WindowPool | None = None


@dataclass(frozen=True)
class Recipe:
    """What a run trains on and measures.

    Attributes:
        name: of the run.
        cloned_on: the targets of the cloning.
        tunings: each begins with the cloned policy.
        tests: the pools that are measured, by name.
        shown: makes the pages of which an animation is drawn.
        dev: targets on which tunings are stopped early, in none of the tests; ``None``: they take all their budget.
    """

    name: str
    cloned_on: WindowPool
    tunings: Sequence[Tuning]
    tests: Mapping[str, WindowPool]
    shown: Callable[[], Sequence[GroundingPage]]
    dev: WindowPool | None = None


def fine_tune(
    policy: SpatialPolicy, tuning: Tuning, budget: Budget, seed: int = 0, dev: WindowPool | None = None
) -> tuple[SpatialPolicy, dict[str, Curve]]:
    """A policy that learned from reward (PPO) from another one on, and its curves.

    Episodes have one step, so that nothing is discounted. Rollouts have 1,024 targets.

    Args:
        policy: to begin with; it stays as it is.
        tuning: what is learned.
        budget: its steps are targets.
        seed: of targets and actions.
        dev: targets by which the best policy is chosen.
    """
    ppo = _ppo(tuning, seed)
    tuned = ppo.policy
    assert isinstance(tuned, SpatialPolicy)
    tuned.load_state_dict(policy.state_dict())
    rehearsal = Rehearsal(budget, RATE, tuning.rehearsed, seed=seed)
    stop = EarlyStop(lambda one: measure(one, dev)[ALL].mean) if dev is not None else None
    ppo.learn(10**12, callback=[rehearsal, *([stop] if stop else [])])
    if stop is not None:
        stop.restore_best(tuned)
    tuned.set_training_mode(False)
    return tuned, {"reward": rehearsal.curve} | ({"hits on dev": stop.curve} if stop else {})


def _ppo(tuning: Tuning, seed: int) -> PPO:
    return PPO(
        SpatialPolicy,
        WindowVecEnv(tuning.pool, _ENVS, tuning.reward, seed),
        learning_rate=RATE,
        n_steps=4,
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


def cloning_recipe(pages: int = 1000, test_pages: int = 60, processes: int = 1) -> Recipe:
    """Clone on made pages, and measure on made pages that are new.

    Args:
        pages: how many are cloned on.
        test_pages: how many are measured on.
        processes: that make the pages.
    """
    tests = {"made": made_test_pool(test_pages, processes)}
    return Recipe("clone", made_training_pool(0, pages, processes), (), tests, _made_shown)


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
    dev = pool_of(web_pages("dev")) if split == "test" else None
    tests = _by_theme(split) | {"made": made_test_pool(60, processes)}
    return Recipe(f"web, {split}", made, tunings, tests, partial(_web_shown, split), dev)


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
    dev = pool_of(scan_pages("dev", root)) if split == "test" else None
    tests = {"scans": pool_of(scan_pages(split, root)), "made": made_test_pool(60, processes)}
    return Recipe(f"scans, {split}", made, tunings, tests, _made_shown, dev)


def _made_shown() -> list[GroundingPage]:
    """A made page that is not trained on."""
    page = next(made_pages(UNSEEN_MADE, 20))
    targets = [GroundingTarget(one.target, one.field, one.kind) for one in page.examples]
    return [GroundingPage(np.repeat(page.gray[:, :, None], 3, axis=2), tuple(targets))]


def _web_shown(split: str) -> list[GroundingPage]:
    """Two pages of a split of the web forms."""
    env = WebGroundingEnv(split)
    return [env.open_page(task) for task in env.task_ids[:: max(1, len(env.task_ids) // 2)][:2]]


def _by_theme(split: str) -> dict[str, WindowPool]:
    """The pages of a split of the web forms, together and by theme."""
    whole = pool_of(web_pages(split))
    themes = dict.fromkeys(map(_theme, whole.pages))
    parts = {theme: WindowPool([page for page in whole.pages if _theme(page) == theme]) for theme in themes}
    return {"web": whole} | {f"web, {theme}": pool for theme, pool in parts.items()}


def _theme(page: WindowPage) -> str:
    return page.name.split("/")[1]
