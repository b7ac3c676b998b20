"""FormGym/Database: fill in a tax or bank form by SQL queries (FormGym)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.env import PaperworkEnv
from ...core.pages import page_image
from ...core.tasks import SEEDS, TaskSplit, endless_secret
from ..form_tasks import targets_of
from ..paper_form import canvas_of, form_folder, forms_by_name, paper_form
from ..state import PaperFormState, PaperTask
from ..tools import DATABASE_TOOLS
from .answer_queries import facts_of_answers
from .generator.database_generator import CASES, ClientCase, make_database, shipped_database
from .generator.database_schema import sqlite_image
from .sql_sandbox import Database


class CaseDatabase:
    """A database with its cases and tasks: the shipped one, or one from a seed.

    Args:
        seed: of a generated database; ``None``: the shipped one.
        secret: of the endless databases.

    Attributes:
        cases: its cases by name.
        database: what the agent queries.
    """

    def __init__(self, seed: int | None, secret: int) -> None:
        self.seed = seed
        drawn = None if seed is None else int(np.random.default_rng([seed, secret]).integers(SEEDS))
        generated = shipped_database() if drawn is None else make_database(drawn)
        self.cases = {case.name: case for case in generated.cases}
        self._image = sqlite_image(generated.tables)
        self.database = Database(self._image)
        self._tasks: dict[str, PaperTask] = {}

    def task(self, form_name: str, case: str, task_id: str) -> PaperTask:
        """The task of a form and a case, cached with the database.

        Raises:
            ValueError: if a query of ``answers.sql`` fails, naming file and line, or none gives a ``subject``.
        """
        if task_id not in self._tasks:
            self._tasks[task_id] = self._task(form_name, self.cases[case], task_id)
        return self._tasks[task_id]

    def _task(self, form_name: str, case: ClientCase, task_id: str) -> PaperTask:
        form, queries = paper_form(form_name), form_folder(form_name) / "answers.sql"
        # In a copy of our own, never in the agent's database.
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(self._image)
            facts = facts_of_answers(queries, connection, case.parameters)
        if "subject" not in facts:
            raise ValueError(f"{queries} gives no subject: whom the goal speaks of")
        return PaperTask(
            task_id=task_id,
            goal=f"Fill in this form, “{form.title}”, for {facts['subject']} "
            "Find the answers in the database with query_sql, and follow the instructions printed on the form. "
            "Leave empty what has no answer there, and what is for the office. Tick boxes with X.",
            source=self.database.hint,
            text_size=form.text_size,
            targets=targets_of(form, facts),
            title=form.title,
        )


class DatabaseEnv(PaperworkEnv):
    r"""Fill in a form for a client of an accounting firm from the firm's database.

    The tool ``query_sql`` queries it. Tasks are ``form/case`` in the test split, where a case is a client and a year,
    and ``form/seed`` in the train split, where the seed makes a whole database and picks a case of it.

    Args:
        forms: names of shipped forms, or your own folders (written with a slash) with an ``answers.sql`` after
            ``formgym import``; ``None``: all shipped forms. A task names a folder by its last part.
        split: ``"test"``: the shipped database; ``"train"``: endless ones, made from their seeds.
        secret: with "train", another number gives other databases; one that nobody knows gives a private test.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form is unknown or broken, there is no such split, or it has no such secret.

    >>> env = DatabaseEnv(["sales_tax_return"])
    >>> observation, info = env.reset(seed=0)
    >>> *_, info = env.step(env.action_space.action("query_sql", query="SELECT count(*) AS n FROM clients"))
    >>> info["feedback"]
    'n\n12'
    """

    tools = DATABASE_TOOLS
    split: TaskSplit

    def __init__(
        self,
        forms: Sequence[str] | None = None,
        split: str = "test",
        secret: int = 0,
        **kwargs: Any,
    ) -> None:
        self._forms = forms_by_name(forms, "database_forms")
        self._canvas = canvas_of(self._forms.values())
        super().__init__(self._canvas, **kwargs)
        self.forms = tuple(self._forms)
        self.split = TaskSplit("form", self.forms, _shipped_cases, endless_secret(split, secret))
        self.task_ids = self.split.task_ids()

    def open_task(self, task_id: str) -> PaperFormState:
        """The empty form, with its database to query; see ``PaperworkEnv.open_task``."""
        name, key = self.split.parse(task_id)
        form = self._forms[name]
        source, case = self._case(key)
        background = page_image(form_folder(form) / "page.png", self._canvas)
        return PaperFormState(source.task(form, case, task_id), background, query=source.database.query)

    def _case(self, key: str) -> tuple[CaseDatabase, str]:
        """The database and the name of the case of a task, from the second part of its id."""
        if self.split.secret is None:
            return _source(None, 0), key
        seed, number = divmod(int(key), CASES)
        source = _source(seed, self.split.secret)
        return source, list(source.cases)[number]


def _shipped_cases(form: str) -> list[str]:
    return [case.name for case in shipped_database().cases]


@lru_cache(maxsize=8)
def _source(seed: int | None, secret: int) -> CaseDatabase:
    return CaseDatabase(seed, secret)
