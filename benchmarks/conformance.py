"""Compare the captured web forms with Chromium: ``python benchmarks/conformance.py [FORM...] [--theme NAME]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from formgym.envs.web_forms.chromium.chromium_page import ChromiumPages
from formgym.envs.web_forms.env import CAPTURES, TEST, WebFormEnv
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.html.themes import themes
from formgym.envs.web_forms.instances.instance_generator import frozen_instances
from formgym.envs.web_forms.replay.capture import load_pictures
from formgym.envs.web_forms.replay.captured_page import CapturedPage
from formgym.experiments.authoring.web.comparison import Calls, Conformance, random_walk
from formgym.experiments.terminal.console import print_table, table_of, track, user_errors


def conform(form: str, theme: str, seeds: Sequence[int], steps: int, instances: Sequence[int]) -> Conformance:
    """Compare a form in a theme.

    Args:
        form: a shipped form's name.
        theme: how it looks.
        seeds: of random episodes.
        steps: of each of these.
        instances: numbers of test instances that an oracle fills in and submits.
    """
    result = Conformance(form, theme)
    pages = ChromiumPages()
    try:
        for name, number, calls in _episodes(form, theme, seeds, steps, instances):
            replayed = CapturedPage(load_pictures(CAPTURES / form / theme), frozen_instances(form)[number].files)
            result.compare(name, replayed, pages.open(form, theme, replayed.clone()), calls)
    finally:
        pages.close()
    return result


def _episodes(
    form: str, theme: str, seeds: Sequence[int], steps: int, instances: Sequence[int]
) -> Iterator[tuple[str, int, Calls]]:
    """The name, the instance and the calls of each episode."""
    for seed in seeds:
        yield f"random {seed}", 0, lambda page, seed=seed: random_walk(page, [seed, steps], steps)  # type: ignore[misc]
    env = WebFormEnv(forms=form, theme=theme)
    for number in instances:
        env.reset(options={"task": f"{form}/{TEST}{number}"})
        calls = [call for call in env.solution() if call["tool"] != "terminate"]
        yield f"oracle {number}", number, lambda _, calls=calls: iter(calls)  # type: ignore[misc]


def conformance(forms: Sequence[str], looks: Sequence[str], episodes: int, steps: int, out: Path) -> bool:
    """Compare forms and themes with Chromium; whether everything was equal.

    A form that fails in a theme counts as not equal; the others are compared all the same.

    Args:
        forms: names; none: all.
        looks: themes; none: all.
        episodes: how many random ones, and how many of an oracle, of each form and theme.
        steps: of each random episode.
        out: the folder for pictures.

    Raises:
        ValueError: if there is no such form or theme, or a form has fewer instances than ``episodes``.
    """
    forms, looks = forms or web_forms(), looks or themes()
    for kind, names, known in (("form", forms, web_forms()), ("theme", looks, themes())):
        if unknown := [name for name in names if name not in known]:
            raise ValueError(f"no {kind} {unknown[0]!r}; there are {', '.join(known)}")
    for form in forms:
        if episodes > (number := len(frozen_instances(form))):
            raise ValueError(f"an oracle plays as many instances as episodes: {form} has {number}, not {episodes}")
    results = []
    with ProcessPoolExecutor(2) as pool:
        pairs = [(form, look) for form in forms for look in looks]
        jobs = [pool.submit(conform, *pair, range(episodes), steps, range(episodes)) for pair in pairs]
        for pair, job in track(zip(pairs, jobs, strict=True), "comparing", len(pairs)):
            results.append(_outcome(*pair, job))
            _print_result(results[-1], out)
    _sum_up(results)
    return all(result.is_equal for result in results)


def _outcome(form: str, theme: str, job: Future[Conformance]) -> Conformance:
    """The result of a job, or the reason that it failed."""
    error = job.exception()
    return job.result() if error is None else Conformance(form, theme, f"{type(error).__name__}: {error}")


def _print_result(result: Conformance, out: Path) -> None:
    if result.failed:
        print(f"{result.form} in {result.theme}: failed: {result.failed}")
        return
    print(f"{result.form} in {result.theme}: {result.equal} of {result.compared} frames equal")
    for one in result.differences:
        out.mkdir(parents=True, exist_ok=True)
        path = out / f"{result.form}_{result.theme}_{one.episode.replace(' ', '_')}_{one.step}.png"
        path.write_bytes(one.picture)
        print(f"  {one.episode}, step {one.step}, {one.call}: {list(one.rects[:3])} {list(one.values)} -> {path}")


def _sum_up(results: Sequence[Conformance]) -> None:
    by_theme = {theme: [r for r in results if r.theme == theme] for theme in dict.fromkeys(r.theme for r in results)}
    rows = []
    for name, group in {**by_theme, "all": results}.items():
        compared, equal = sum(r.compared for r in group), sum(r.equal for r in group)
        failed = sum(1 for r in group if r.failed)
        rows.append((name, f"{compared:,}", f"{equal:,}", f"{100 * equal / max(compared, 1):.3f} %", f"{failed}"))
    headings = ("theme", "frames compared", "frames equal", "share", "forms failed")
    print_table(table_of("captured pages against Chromium", headings, rows))


def main(
    forms: Annotated[list[str] | None, typer.Argument(help="names of web forms; default: all")] = None,
    theme: Annotated[list[str] | None, typer.Option(help="default: all")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="random ones, and an oracle's, of each form and theme")] = 2,
    steps: Annotated[int, typer.Option(min=1, help="of each random episode")] = 40,
    out: Annotated[Path, typer.Option(help="where pictures of what differs go")] = Path("conformance"),
) -> None:
    """Compare captured web forms with Chromium, frame by frame; exit status 1 if any frame differs."""
    with user_errors():
        is_equal = conformance(forms or (), theme or (), episodes, steps, out)
    raise typer.Exit(0 if is_equal else 1)


if __name__ == "__main__":
    typer.run(main)
