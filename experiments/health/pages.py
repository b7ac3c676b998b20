"""The results of health checks as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from statistics import mode
from typing import Any

from jinja2 import Environment, StrictUndefined

from ..running.intervals import combined_mean
from ..terminal import NOTHING
from .baselines import BASELINES
from .checks import CHECKS

Health = dict[str, Any]
"""``{"version", "episodes", "missing": {id: why}, "environments": {id: ...}}``; see ``command.examine``."""

_HERE = files(__package__)
PAPERS_METRIC = "field_accuracy"


def rendered(template: str, result: Health) -> str:
    """A result as Markdown, by one of the templates beside this file."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    checklist = json.loads((_HERE / "checklist.json").read_text(encoding="utf-8"))
    return environment.from_string((_HERE / template).read_text(encoding="utf-8")).render(
        **result,
        broken=broken(result),
        meaning_table=_meaning_table(result),
        check_table=_check_table(result),
        baseline_tables=_baseline_tables(result),
        checklists={title: _table(items[0], (item.values() for item in items)) for title, items in checklist.items()},
    )


def broken(result: Health) -> list[tuple[str, str, str]]:
    """Id, check and note of each check that does not hold."""
    return [
        (env_id, name, finding["note"])
        for env_id, one in result["environments"].items()
        for name, finding in one["checks"].items()
        if not finding["holds"]
    ]


def interval(one: Health, baseline: str, metric: str = "") -> str:
    """The mean and interval of a baseline in an environment; a dash if it has none."""
    score = one["baselines"].get(baseline, {}).get("scores", {}).get(metric or one["metric"])
    return NOTHING if score is None else _formatted(score)


def headlines(result: Health) -> Health:
    """The baselines of a result: the metric that rewards follow, and the paper's."""

    def of(one: Health) -> Health:
        kept = {one["metric"], PAPERS_METRIC}
        played = {
            name: {**played, "scores": {metric: score for metric, score in played["scores"].items() if metric in kept}}
            for name, played in one["baselines"].items()
        }
        return {"metric": one["metric"], "baselines": played}

    environments = {env_id: of(one) for env_id, one in result["environments"].items()}
    return {"version": result["version"], "episodes": result["episodes"], "environments": environments}


def _formatted(score: Mapping[str, Any]) -> str:
    if score["ci95"] is None:
        return f"{score['mean']:.2f}"
    low, high = score["ci95"]
    return f"{score['mean']:.2f} [{low:.2f}, {high:.2f}]"


def _meaning_table(result: Health) -> str:
    """What each check means, and in how many environments it holds."""
    of = result["environments"].values()
    rows = [
        (name, (check.__doc__ or "").strip(), f"{sum(one['checks'][name]['holds'] for one in of)} of {len(of)}")
        for name, check in CHECKS.items()
    ]
    return _table(("id", "what holds", "environments"), rows)


def _check_table(result: Health) -> str:
    rows = [
        (
            env_id,
            *(interval(one, name) for name in ("oracle", "noop", "random")),
            f"{sum(finding['holds'] for finding in one['checks'].values())} of {len(one['checks'])}",
            one["checks"]["runtime.reward_well_formed"]["note"],
            one["checks"]["ABC.II.5"]["note"],
        )
        for env_id, one in result["environments"].items()
    ]
    return _table(("environment", "oracle", "no-op", "random", "checks", "rewards", "hidden answers seen"), rows)


def _baseline_tables(result: Health) -> dict[str, str]:
    """The baselines of each suite."""
    tables = {}
    for suite in dict.fromkeys(env_id.partition("/")[0] for env_id in result["environments"]):
        chosen = {env_id: one for env_id, one in result["environments"].items() if env_id.startswith(f"{suite}/")}
        names = [name for name in BASELINES if any(name in one["baselines"] for one in chosen.values())]
        rows = [
            (env_id.partition("/")[2], metric, *(_cell(one, name, metric, result["episodes"]) for name in names))
            for env_id, one in chosen.items()
            for metric in _metrics_of(suite, one)
        ]
        rows = [*_mean_row(list(chosen.values()), names), *rows]
        tables[suite] = _table(("environment", "metric", *(BASELINES[name].title for name in names)), rows)
    return tables


def _cell(one: Health, baseline: str, metric: str, episodes: int) -> str:
    """The mean and interval of a baseline, and an unusual number of episodes."""
    own = one["baselines"].get(baseline, {}).get("episodes", episodes)
    return interval(one, baseline, metric) + (f" (n = {own})" if own != episodes else "")


def _mean_row(chosen: Sequence[Health], names: Sequence[str]) -> list[tuple[str, ...]]:
    """The means over environments with the most usual metric; none of a single one."""
    metric = mode(one["metric"] for one in chosen)
    of = [one for one in chosen if one["metric"] == metric]
    if len(of) < 2:
        return []
    means = (
        _formatted(combined_mean([one["baselines"][name]["scores"][metric] for one in of]))
        if all(name in one["baselines"] for one in of)
        else NOTHING
        for name in names
    )
    return [(f"mean of {len(of)}", metric, *means)]


def _metrics_of(suite: str, one: Health) -> list[str]:
    """The metric that rewards follow, and for paper forms the paper's."""
    has_papers = suite == "FormGym" and PAPERS_METRIC in one["baselines"]["oracle"]["scores"]
    return list(dict.fromkeys([one["metric"], *([PAPERS_METRIC] if has_papers else [])]))


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines: list[Sequence[str]] = [tuple(headings)]
    lines += [("---",) * len(lines[0]), *(tuple(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
