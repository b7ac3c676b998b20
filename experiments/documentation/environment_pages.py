"""Write the pages of environments, of suites, and their pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...envs.registration import ids
from ..running.rollout import bare_env
from ..terminal import NOTHING
from .baseline_rows import baseline_rows
from .environment_details import Details, argument_range, details_of, ids_by_class
from .sample_episode import animation, first_page, save_animation

_WEBP_QUALITY = 80


def write_environment_pages(docs: Path) -> None:
    """Write ``environments/`` into the folder that MkDocs builds.

    Args:
        docs: the folder.
    """
    folder = docs / "environments"
    details = [details_of(env_id) for env_id in ids()]
    results = docs / "baselines.json"
    measured = json.loads(results.read_text("utf-8"))["environments"] if results.exists() else {}
    for one in details:
        (folder / one.path).parent.mkdir(parents=True, exist_ok=True)
        _write_pictures(one, folder)
        page = environment_page(one, measured.get(one.env_id))
        (folder / f"{one.path}.md").write_text(page, "utf-8")
    for suite in _texts()["suites"]:
        of_suite = [one for one in details if one.suite == suite["name"]]
        (folder / suite["name"].lower() / "index.md").write_text(_suite_page(suite, of_suite), "utf-8")
    (folder / "index.md").write_text(_overview(details), "utf-8")


def environment_page(details: Details, measured: Mapping[str, Any] | None = None) -> str:
    """The page of an environment, as Markdown.

    Args:
        details: of the environment.
        measured: its baselines, as ``docs/baselines.json`` has them.
    """
    texts = _texts()
    suite = next(suite for suite in texts["suites"] if suite["name"] == details.suite)
    return _rendered(
        "environment.md.jinja",
        d=details,
        picture=f"{details.file}.webp" if details.own else "",
        animation=f"{details.file}.gif" if details.env_id in texts["animated"] else "",
        facts=_facts(details),
        user_data=texts["user_data"].get(details.env_id),
        is_shared=is_one_of_many(details.env_id),
        several=suite["several"],
        baselines=baseline_rows(measured) if measured else None,
    )


def is_one_of_many(env_id: str) -> bool:
    """Whether other ids have this one's class; the page of the suite describes it."""
    return any(env_id in env_ids and len(env_ids) > 1 for env_ids in ids_by_class().values())


def _suite_page(suite: Mapping[str, Any], details: Sequence[Details]) -> str:
    return _rendered(
        "suite.md.jinja",
        suite=_with_guide(suite, "../.."),
        shipped=[one for one in details if one.own],
        others=[one for one in details if not one.own],
        all=details,
        shared=next((one for one in details if is_one_of_many(one.env_id)), None),
    )


def _overview(details: Sequence[Details]) -> str:
    suites = [
        {**_with_guide(suite, ".."), "folder": suite["name"].lower()}
        | {"chosen": [one for one in details if one.suite == suite["name"] and one.name in suite["chosen"]]}
        for suite in _texts()["suites"]
    ]
    return _rendered("index.md.jinja", n=len(details), suites=suites)


def _with_guide(suite: Mapping[str, Any], up: str) -> dict[str, Any]:
    """A suite whose text's links lead from its page to the guide."""
    return {**suite, "text": suite["text"].replace("GUIDE", up)}


def _facts(details: Details) -> list[tuple[str, str]]:
    entry = details.entry
    facts = [
        ("Tasks", details.count("tasks")),
        ("Named by", f"`{entry['task']}`"),
        ("Pages", details.count("pages")),
        ("Users", details.count("users")),
        ("Elements" if details.suite == "DocEdit" else "Fields", details.count("fields")),
        ("Page, pixels", details.page_size),
        ("Steps at most", f"{entry['max_episode_steps']:,}"),
        ("Answers come from", entry["source"]),
        ("Data", entry["data"]),
        ("Licence", entry["licence"]),
    ]
    return [(name, value) for name, value in facts if value != NOTHING]


def _write_pictures(details: Details, folder: Path) -> None:
    if details.own is None:
        return
    first_page(bare_env(details.env_id)).save(folder / f"{details.path}.webp", quality=_WEBP_QUALITY)
    if details.env_id in _texts()["animated"]:
        env = bare_env(details.env_id, split=details.own.example_split)
        save_animation(animation(env), folder / f"{details.path}.gif")


@lru_cache(maxsize=1)
def _texts() -> dict[str, Any]:
    """What the pages say that the registry does not."""
    texts: dict[str, Any] = json.loads((files(__package__) / "suites.json").read_text("utf-8"))
    return texts


def _rendered(template: str, **values: Any) -> str:
    return _templates().get_template(template).render(**values)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"cell": _cell, "range": argument_range, "json": _json}
    return environment


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
