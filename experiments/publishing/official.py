"""Official runs: the seed, episodes and options with which a submission has a rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...envs.registration import index
from ..running.run_spec import RunSpec

SEED = 0
EPISODES: Mapping[str, int | None] = {"FormFactory/Atomic-v0": 500}
"""How many episodes an official run has where one of every task of the test split would be too many."""
CONDITIONS = (
    "action",
    "action_mode",
    "grounder",
    "grounder_accuracy",
    "marks",
    "names",
    "render_size",
    "session",
    "strict",
)
"""Options that leave the tasks what they are: tables show them with the agent."""


def official_ids() -> list[str]:
    """The environments whose tasks are shipped, so that they are the same for everyone."""
    environments = index()["environments"]
    return [env_id for env_id, entry in environments.items() if "data_set" not in entry and "facts" in entry]


def deviations(spec: RunSpec, episodes: Mapping[str, int | None] = EPISODES) -> Iterator[str]:
    """Why a run is not an official one, a few words each.

    Args:
        spec: of the run.
        episodes: how many episodes an official run has, by environment; ``None`` and those left out: one of every task.
    """
    if spec.env_id not in official_ids():
        yield "its tasks are not shipped with formgym"
    if spec.seed != SEED:
        yield f"seed={spec.seed} in place of {SEED}"
    expected = episodes.get(spec.env_id)
    if spec.is_open_ended:
        yield "its tasks are chosen, not drawn from a seed"
    elif spec.episodes != expected:
        yield f"episodes={_as_setting(spec.episodes)} in place of {_as_setting(expected)}"
    yield from (f"{name}={value}" for name, value in spec.settings.items() if name not in CONDITIONS)


def _as_setting(episodes: int | None) -> str:
    return "null" if episodes is None else str(episodes)
