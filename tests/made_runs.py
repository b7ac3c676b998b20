"""Episodes and runs that nobody has played."""

from formgym.experiments.running.conditions import holds_ground_truth
from formgym.experiments.running.episodes import Episode
from formgym.experiments.running.intervals import scores_of
from formgym.experiments.running.run_folder import Run

LOANS = "FormGym/AutoLoans-Text-v0"


def made_episode(index=0, task="form/user", env=LOANS, metrics=None, **changes):
    """An episode with a score if there are metrics; otherwise the model's provider has failed."""
    data = {
        "index": index,
        "env": env,
        "task": task,
        "seed": index,
        "rounds": [],
        "metrics": metrics,
        "fields": [],
        "usage": {},
        "reward": 0.0,
        "ended": "terminated" if metrics else "error",
        "error": None if metrics else "the provider failed",
        "page_sha256": "",
        "seconds": 0.1,
    }
    return Episode(**data | changes)


def made_run(folder, agent, episodes, env=None, spec=None, requested=None, **changes):
    """A run of these episodes."""
    summary = {
        "env": env or episodes[0].env,
        "settings": {},
        "agent": agent,
        "flow": "iterative",
        "wrappers": [],
        "options": [],
        "ground_truth": holds_ground_truth(spec) if spec else [],
        "seed": 0,
        "episodes": len(episodes),
        "errors": 0,
        "unscored": 0,
        "crashes": 0,
        "environment_crashes": 0,
        "stopped": {},
        "scores": scores_of(episodes),
        "version": "0",
    }
    return Run(folder, summary | changes, tuple(episodes), spec, requested)
