"""Check every environment, play baselines, and write docs/health.md, docs/baselines.md and docs/baselines.json."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mode
from typing import Annotated, Any, NamedTuple

import gymnasium as gym
import typer
from jinja2 import Environment, StrictUndefined

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from hostile import attack  # noqa: E402
from invariants import EPISODE, Broken, hold  # noqa: E402

from formgym import __version__  # noqa: E402
from formgym.agents.base import Agent  # noqa: E402
from formgym.agents.baselines import Noop, Oracle, Random, SubmitSource, TickEverything  # noqa: E402
from formgym.agents.rule_based.agent import RuleBased  # noqa: E402
from formgym.envs.registration import ids  # noqa: E402
from formgym.experiments.evaluation import evaluate_agent  # noqa: E402
from formgym.experiments.running.episodes import Episode  # noqa: E402
from formgym.experiments.running.intervals import combined_mean, scores_of  # noqa: E402
from formgym.experiments.running.rollout import bare_env, regraded  # noqa: E402
from formgym.experiments.terminal.console import track  # noqa: E402
from formgym.wrappers import ActionBatch, Feedback, FieldFinder, GroundTruthCoordinates  # noqa: E402

Env = gym.Env[Any, Any]
Health = dict[str, Any]
"""Of an environment: ``metric``, ``baselines`` and ``checks`` by name."""

PAPERS_METRIC = "field_accuracy"
_CHECKED, _HOSTILE = 3, 60
"""Episodes of each check, and hostile actions."""
_NOTHING = "—"


class Baseline(NamedTuple):
    """An agent without a model: its title, the suite and tool that it needs, and its wrappers, innermost first."""

    title: str
    agent: Callable[[], Agent]
    needs: tuple[str, str] = ("", "terminate")
    wrappers: tuple[Callable[[Env], Env], ...] = ()


def _finding(locator: str) -> tuple[Callable[[Env], Env], ...]:
    return partial(FieldFinder, locator=locator, show=1), Feedback


_PAPER, _DOCUMENT = ("FormGym/", "place_text"), ("DocEdit/", "move")
_NEEDS_OCR = "rules_fieldfinder"
BASELINES = {
    "oracle": Baseline("oracle", Oracle),
    "noop": Baseline("no-op", Noop),
    "random": Baseline("random", Random),
    "tick_everything": Baseline("tick everything", TickEverything, _PAPER, (GroundTruthCoordinates,)),
    "submit_source": Baseline("submit source", SubmitSource, _DOCUMENT),
    "rules": Baseline("rules, evenly down the page", RuleBased, _PAPER, (Feedback,)),
    _NEEDS_OCR: Baseline("rules + FieldFinder", RuleBased, _PAPER, _finding("fieldfinder")),
    "rules_exact": Baseline("rules + exact places", RuleBased, _PAPER, _finding("oracle")),
}
"""By name; the ceiling and the floor first."""


def play(env_id: str, name: str, episodes: int, **options: Any) -> list[Episode]:
    """Episodes of a baseline, on the tasks of ``formgym sweep``; none if it cannot play the environment."""
    _, agent, (suite, tool), wrappers = BASELINES[name]
    with closing(gym.make(env_id, disable_env_checker=True, **options)) as bare:
        if not env_id.startswith(suite) or tool not in bare.unwrapped.action_space.names:  # type: ignore[attr-defined]
            return []
        env: Env = ActionBatch(bare, max_rounds=10)
        for wrap in wrappers:
            env = wrap(env)
        return list(evaluate_agent(agent(), env, episodes).episodes)


def records_replay(env_id: str, episodes: Sequence[Episode], **options: Any) -> str:
    """A record survives JSON and, replayed in a new environment, gives the same pixels and metrics."""
    for episode in episodes:
        hold(Episode.model_validate_json(episode.model_dump_json()) == episode, f"episode {episode.index} in JSON")
        with closing(bare_env(env_id, **options)) as env:
            again = regraded(env, episode)
        same = not isinstance(again, str) and again.is_same_page and again.episode == episode
        hold(same, f"episode {episode.index} replays to something else")
    return f"{len(episodes)} records"


def hostile_actions(env_id: str, **options: Any) -> str:
    """After every valid, mutated and hostile action what ``tests/invariants.py`` lists under STEP holds."""
    return f"{attack(env_id, options, _HOSTILE)} actions"


CHECKS: dict[str, Callable[..., str]] = {
    **EPISODE,
    "semantic.replayability": records_replay,
    "runtime.invariants": hostile_actions,
}


def examine(env_id: str, episodes: int, fieldfinder: int = 0, options: Mapping[str, Any] | None = None) -> Health:
    """The health of an environment.

    Args:
        env_id: the id of the environment.
        episodes: of each baseline.
        fieldfinder: episodes of the rules with FieldFinder.
        options: what the environment is made with.
    """
    options = options or {}
    counts = {name: fieldfinder if name == _NEEDS_OCR else episodes for name in BASELINES}
    played = {name: play(env_id, name, count, **options) for name, count in counts.items() if count}
    checks = {}
    for name, check in CHECKS.items():
        with ExitStack() as opened:

            def make(stack: ExitStack = opened) -> Any:
                return stack.enter_context(closing(bare_env(env_id, **options)))

            try:
                if name in EPISODE:
                    note = check(make, range(min(episodes, _CHECKED)))
                elif check is records_replay:
                    note = check(env_id, played["oracle"][:_CHECKED] + played["random"][:_CHECKED], **options)
                else:
                    note = check(env_id, **options)
                checks[name] = {"holds": True, "note": note}
            except Broken as broken:
                checks[name] = {"holds": False, "note": str(broken)}
    with closing(bare_env(env_id, **options)) as env:
        metric = env.reward_metric
    baselines = {
        name: {"title": BASELINES[name].title, "episodes": len(records), "scores": scores_of(records)}
        for name, records in played.items()
        if records
    }
    return {"metric": metric, "baselines": baselines, "checks": checks}


# -- Pages ------------------------------------------------------------------------------------------------------------


def rendered(template: str, result: Health) -> str:
    """A result as Markdown, by one of the templates beside this file."""
    here = Path(__file__).parent
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    checklist = json.loads((here / "checklist.json").read_text(encoding="utf-8"))
    environment.globals |= {"interval": _interval, "baselines": BASELINES}
    environments = result["environments"].values()
    return environment.from_string((here / template).read_text(encoding="utf-8")).render(
        **result,
        broken=broken_checks(result),
        checks=CHECKS,
        held={name: sum(one["checks"][name]["holds"] for one in environments) for name in CHECKS},
        checklists=checklist,
        suites=_suites(result),
    )


def broken_checks(result: Health) -> list[tuple[str, str, str]]:
    """Id, check and note of each check that does not hold."""
    return [
        (env_id, name, finding["note"])
        for env_id, one in result["environments"].items()
        for name, finding in one["checks"].items()
        if not finding["holds"]
    ]


def headlines(result: Health) -> Health:
    """The baselines of a result: the metric that rewards follow, and the paper's."""
    environments = {}
    for env_id, one in result["environments"].items():
        baselines = {
            name: row | {"scores": {m: s for m, s in row["scores"].items() if m in (one["metric"], PAPERS_METRIC)}}
            for name, row in one["baselines"].items()
        }
        environments[env_id] = {"metric": one["metric"], "baselines": baselines}
    return {"version": result["version"], "episodes": result["episodes"], "environments": environments}


def _interval(one: Health, baseline: str, metric: str = "") -> str:
    """The mean and interval of a baseline in an environment; a dash if it has none."""
    score = one["baselines"].get(baseline, {}).get("scores", {}).get(metric or one["metric"])
    return _NOTHING if score is None else _formatted(score)


def _formatted(score: Mapping[str, Any]) -> str:
    if score["ci95"] is None:
        return f"{score['mean']:.2f}"
    low, high = score["ci95"]
    return f"{score['mean']:.2f} [{low:.2f}, {high:.2f}]"


def _suites(result: Health) -> dict[str, Health]:
    """The environments of each suite, the baselines played in it, and their means if several share a metric."""
    suites = {}
    for suite in dict.fromkeys(env_id.partition("/")[0] for env_id in result["environments"]):
        chosen = {env_id: one for env_id, one in result["environments"].items() if env_id.startswith(f"{suite}/")}
        names = [name for name in BASELINES if any(name in one["baselines"] for one in chosen.values())]
        metric = mode(one["metric"] for one in chosen.values())
        of = [one["baselines"] for one in chosen.values() if one["metric"] == metric]
        means = {
            name: _formatted(combined_mean([played[name]["scores"][metric] for played in of]))
            for name in names
            if all(name in played for played in of)
        }
        suites[suite] = {"environments": chosen, "names": names, "metric": metric, "n": len(of), "means": means}
    return suites


# -- The script -------------------------------------------------------------------------------------------------------


def left_out(env_ids: Iterable[str]) -> dict[str, str]:
    """The environments that cannot be made, and why."""
    missing = {}
    for env_id in env_ids:
        try:
            bare_env(env_id).close()
        except (ValueError, OSError, RuntimeError) as error:
            missing[env_id] = str(error)
    return missing


def main(
    pattern: Annotated[str, typer.Argument(help="of ids, with *")] = "*",
    episodes: Annotated[int, typer.Option(min=2, help="of each baseline")] = 40,
    fieldfinder: Annotated[int, typer.Option(min=0, help="episodes of the rules with FieldFinder; 0: none")] = 10,
    processes: Annotated[int, typer.Option(min=1, help="how many work at a time")] = 2,
    out: Annotated[Path, typer.Option(help="the folder of the pages")] = ROOT / "docs",
) -> None:
    """Check environments and play baselines; exit status 1 if a check does not hold."""
    chosen = [env_id for env_id in ids() if fnmatchcase(env_id, pattern)]
    missing = left_out(chosen)
    usable = [env_id for env_id in chosen if env_id not in missing]
    if not usable:
        raise typer.BadParameter(f"no environment like {pattern!r} can be made; formgym list names them all")
    work = partial(examine, episodes=episodes, fieldfinder=fieldfinder)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        examined = dict(zip(usable, track(pool.map(work, usable), "checking", len(usable)), strict=True))
    result = {"version": __version__, "episodes": episodes, "missing": missing, "environments": examined}
    for name in ("health.md", "baselines.md"):
        (out / name).write_text(rendered(f"{name}.jinja", result), encoding="utf-8")
    (out / "baselines.json").write_text(json.dumps(headlines(result), indent=1) + "\n", encoding="utf-8")
    for env_id, name, note in (broken := broken_checks(result)):
        print(f"{env_id}: {name} does not hold: {note}")
    print(f"{len(usable)} environments checked, {len(broken)} checks do not hold; {out}/health.md, baselines.md")
    raise typer.Exit(bool(broken))


if __name__ == "__main__":
    typer.run(main)
