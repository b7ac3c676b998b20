"""``formgym fill``: fill in a person's form from facts in words, by a model or by the names of facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ....agents.base import Agent
from ....agents.rule_based.agent import RuleBased
from ....agents.rule_based.named_facts import FieldName, NamedFact, match_facts, read_named_facts
from ....envs.core.files import atomic_write
from ....envs.core.matchers import fold
from ....envs.core.pages import png_bytes
from ....envs.core.tools import ToolSpace
from ....envs.paper_forms.paper_form import FormField
from ....wrappers import ActionBatch, Feedback, FieldFinder, FieldList
from ....wrappers.field_list import Filling, pages_of
from ...running.rollout import run_episode
from ...terminal.console import print_table, say, say_failure, say_written, table_of
from ..model_settings import answer, cost_in_words, is_setting, model_spec
from ..versions import replace_file
from .fill_env import FillEnv
from .own_form import OwnForm, open_form, page_pictures
from .writing import Entry, fill_pdf

MAX_FACTS = 39_000
_ROUNDS_PER_PAGE = 6
_NEEDS_MODEL = "give either model=... or --ask FOLDER, not both"
_UNCHANGED = "Nothing was written."
_HEADINGS = ("page", "field", "text", "from, or to be looked at")
_DATE = re.compile(r"\b[MDYTJA]{2,4}([/.\- ])[MDYTJA]{2,4}\1[MDYTJA]{2,4}\b", re.IGNORECASE)
"""How forms say how a date is to be written: MM/DD/YYYY, TT.MM.JJJJ, JJ/MM/AAAA."""


@dataclass
class Row:
    """What was entered in a place, or why it is empty.

    Attributes:
        label: of the place.
        page: from 1.
        entry: what was entered; ``None``: nothing.
        fact: the words of the facts that it is from.
        notes: why it is empty, or what is to be looked at.
    """

    label: str
    page: int
    entry: Entry | None = None
    fact: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def cells(self) -> tuple[str, ...]:
        """Its cells in a table."""
        text = self.entry.text if self.entry else ""
        return str(self.page), self.label, text, "; ".join(part for part in (self.fact, *self.notes) if part)


class FillFailed(Exception):
    """A form was not filled in; the message says why."""


def fill_form(
    path: Path,
    facts: str,
    settings: Sequence[str] = (),
    ask: Path | None = None,
    out: Path | None = None,
    yes: bool = False,
) -> bool:
    """Fill in a form, show it, and write it if the person takes it.

    Args:
        path: a PDF, a picture of a page, or the folder of a form that was imported.
        facts: in words; without a model, lines ``name: text``, JSON or CSV.
        settings: of the model and its budget; none: facts go to the fields of their names.
        ask: the folder where questions are written and replies are read, as of ``model=files``.
        out: the PDF to write, or a PNG of a form of one page; ``None``: a PDF beside the form, with "-filled" in its
            name. What a file was before is kept in ``versions.versions_folder``.
        yes: whether it is written without a question. Without a model, nobody is asked either where fields have the
            names of facts and nothing is in doubt.

    Returns:
        Whether it was filled in and taken; else nothing is written.

    Raises:
        ValueError: if the form cannot be read, settings are wrong, or there are no facts or too many.
        OSError: if a file cannot be read or written.
    """
    if wrong := [one for one in settings if not is_setting(one)]:
        raise ValueError(f"{wrong[0]!r} is no setting of a model; facts are in the file that --facts names")
    if not facts.strip():
        raise ValueError("there are no facts: what --facts names is empty")
    if len(facts) > MAX_FACTS:
        raise ValueError(f"the facts have {len(facts):,} characters; {MAX_FACTS:,} are the most")
    form, has_model = open_form(path), bool(settings or ask)
    out = out or path.with_name(f"{path.stem}-filled.pdf")
    if out.suffix.lower() not in ((".pdf", ".png") if len(form.pages) == 1 else (".pdf",)):
        raise ValueError(f"{out} cannot be written: it must end in .pdf, or in .png if the form has one page")
    try:
        rows, remarks = _by_model(form, facts, settings, ask) if has_model else _by_names(form, facts)
        return _review(form, rows, [*remarks, *form.remarks], out, yes, has_model)
    except FillFailed as error:
        say_failure(f"formgym: {str(error).rstrip('.')}. {_UNCHANGED}")
        return False


# -- Filling in --------------------------------------------------------------------------------------------------------


def _by_model(form: OwnForm, facts: str, settings: Sequence[str], ask: Path | None) -> tuple[list[Row], list[str]]:
    """What a model fills in, and remarks.

    Raises:
        FillFailed: if its provider fails.
    """
    kept = [] if ask else ["model_cache=default"]
    spec = model_spec([*kept, *settings], ask, _NEEDS_MODEL)
    bare = FillEnv(form.pages, form.form, facts)
    rounds = ActionBatch(FieldList(bare) if form.form else bare, max_rounds=_ROUNDS_PER_PAGE * len(form.pages))
    with TemporaryDirectory() as folder:
        agent = spec.make_agent(Path(folder, "ledger.jsonl"))
        return _played(Feedback(rounds if form.form else FieldFinder(rounds)), agent, form, facts)


def _by_names(form: OwnForm, facts: str) -> tuple[list[Row], list[str]]:
    """What the names of facts say, without a model, and remarks.

    Raises:
        ValueError: if no fact has a name, or the form has several pages and no fields.
    """
    named = read_named_facts(facts)
    if not named:
        raise ValueError(
            "without a model, facts are lines such as 'Date of birth: 3 May 1980', JSON or CSV; for sentences add "
            "model=openai_compatible (or inspect) and model.name=..., or --ask FOLDER for a chat window"
        )
    env = FillEnv(form.pages, form.form, "\n".join(f"{one.name}: {one.text}" for one in named))
    if form.form:
        fields = FieldList(env)
        fields.reset(seed=0)
        unused = _enter_named(fields, {one.name: one for one in form.form.fields}, named)
        rows = _rows(fields, form, "\n".join(one.quote for one in named))
        for row in rows:
            heading, _, words = row.label.rpartition(": ")
            if row.entry and row.entry.on_value is None and fold(heading) not in fold(row.fact):
                row.notes.append(f"check: it is the {words!r} of {heading!r}")
        return rows, [f"no field was found for {fact.quote!r}" for fact in unused]
    if len(form.pages) > 1:
        raise ValueError("without a model, a form without fields is filled in only if it has one page: add model=...")
    return _played(Feedback(FieldFinder(ActionBatch(env), show=1)), RuleBased(), form, facts)


def _enter_named(env: FieldList, fields: dict[str, FormField], facts: Sequence[NamedFact]) -> Sequence[NamedFact]:
    """Enter facts into the fields of their names; those that no field asks for."""
    numbered = {one.number: fields[one.target.name] for one in env.fields()}
    matches = match_facts(facts, [_name_of(number, one) for number, one in numbered.items()])
    space = cast(ToolSpace, env.action_space)
    for number, fact in matches.texts.items():
        text = "X" if numbered[number].matcher == "checkbox" else fact.text
        call = {"tool": "fill_in", "field": number, "text": text, "fact": fact.quote}
        if not (info := env.step(space.from_call(call))[-1])["valid"]:
            matches.doubts[number] = f"{fact.quote!r}: {info['feedback']}"
    for number, doubt in matches.doubts.items():
        env.step(space.from_call({"tool": "leave_empty", "field": number, "last": number, "reason": doubt}))
    return matches.unused


def _name_of(number: int, field: FormField) -> FieldName:
    label, _, option = field.label.rpartition(": ") if field.group else (field.label, "", "")
    return FieldName(number, label or option, field.source_name, option if label else "", field.matcher == "checkbox")


def _played(env: Any, agent: Agent, form: OwnForm, facts: str) -> tuple[list[Row], list[str]]:
    """What an agent fills in, and remarks.

    Raises:
        FillFailed: if its model fails.
    """
    episode = run_episode(env, agent, index=0, seed=0)
    if episode.error or episode.ended == "stopped":
        reason = episode.error or "; ".join(episode.rounds[-1].feedback) or "the model cannot go on"
        raise FillFailed(
            f"{reason.rstrip('.')}; replies that were paid for are kept, and the same command goes on there"
        )
    remarks = [cost_in_words(episode.usage)] if episode.usage else []
    if episode.ended == "truncated":
        remarks.append("the model did not say that it was done: look at what is missing")
    while not isinstance(env, FieldList | FillEnv):
        env = env.env
    return _rows(env, form, facts), remarks


# -- What was entered --------------------------------------------------------------------------------------------------


def _rows(env: FieldList | FillEnv, form: OwnForm, facts: str) -> list[Row]:
    """What was entered in each field and beside them, and what to look at."""
    rows = [] if isinstance(env, FillEnv) else list(_rows_of_fields(env, form, facts))
    rows += _rows_beside_fields(cast(FillEnv, env.unwrapped), facts)
    for row in rows:
        row.notes += _doubts(row, facts)
    return rows


def _rows_of_fields(env: FieldList, form: OwnForm, facts: str) -> Iterator[Row]:
    fields = {one.name: one for one in form.form.fields} if form.form else {}
    for one in env.fields():
        own = fields[one.target.name]
        written = env.entered(one)
        # Texts may be placed in a field as well as anywhere on the page.
        filling = env.filled.get(one.number) or (Filling(written, _line_with(written, facts)) if written else None)
        if filling is None:
            yield Row(own.label, one.page, notes=list(filter(None, [env.left.get(one.number)])))
        else:
            entry = Entry(filling.text, one.page, own.box, own.source_name, own.on_value, one.target.signed, own.comb)
            yield Row(own.label, one.page, entry, filling.fact)


def _rows_beside_fields(env: FillEnv, facts: str) -> Iterator[Row]:
    for page, state in enumerate(pages_of(env.state), start=1):
        for mark in state.marks:
            if mark.target is None:
                x, y = mark.x * state.width, mark.y * state.height
                size, _ = state.lettering(mark.signed)
                entry = Entry(mark.text, page, (x, y, x, y), is_signed=mark.signed, size=size)
                yield Row(f"at {mark.x:.2f}, {mark.y:.2f}", page, entry, _line_with(mark.text, facts))


def _line_with(text: str, facts: str) -> str:
    """The shortest line of the facts that holds a text; empty if none does."""
    return min((line for line in facts.splitlines() if fold(text) in fold(line)), key=len, default="").strip()


def _doubts(row: Row, facts: str) -> Iterator[str]:
    """What a person should look at in an entry."""
    if row.entry is None:
        return
    if not row.fact or fold(row.fact) not in fold(facts):
        yield "check: these words are not in the facts" if row.fact else "check: it is from no fact"
    if wanted := _DATE.search(row.label):
        shape = re.sub(r"[A-Z]", r"\\d", re.escape(wanted[0].upper()))
        if not re.fullmatch(shape, row.entry.text):
            yield f"check: the form asks for the date as {wanted[0]}"


# -- Writing -----------------------------------------------------------------------------------------------------------


def _review(form: OwnForm, rows: Sequence[Row], remarks: list[str], out: Path, yes: bool, has_model: bool) -> bool:
    """Show what was entered, and write it if it is taken.

    Raises:
        FillFailed: if nothing was entered, or it is not taken.
    """
    entered = [row for row in rows if row.entry]
    if not entered:
        hint = "; of facts in sentences a model makes more: add model=... or --ask FOLDER"
        raise FillFailed(f"no fact was entered{'' if has_model else hint}")
    filled = fill_pdf(form.pdf, [row.entry for row in entered if row.entry])
    for index, notes in filled.notes.items():
        entered[index].notes += [f"check: it {note}" for note in notes]
    remarks += filled.remarks
    pictures = [png_bytes(page) for page in page_pictures(filled.content)]
    print_table(table_of(f"{len(entered)} entered", _HEADINGS, (row.cells for row in entered), len(_HEADINGS)))
    left = [row for row in rows if not row.entry]
    for text in (f"page {row.page}, {row.label}: {row.cells[-1]}" for row in left if row.notes):
        say(text)
    for text in (f"{sum(not row.notes for row in left)} other fields stay empty", *remarks):
        say(text)
    shown = {out.with_name(f"{out.stem}-page-{i}.png"): picture for i, picture in enumerate(pictures, start=1)}
    shown[out.with_name(f"{out.stem}.md")] = _markdown(out, rows, remarks).encode()
    for file, content in shown.items():
        atomic_write(file, content)
        say_written(file, f"see {file}")
    is_sure = not has_model and form.form is not None and not any(row.notes for row in entered)
    taken = yes or is_sure
    try:
        taken = taken or answer("Write this? [y/N] ").lower() in ("y", "yes")
    finally:
        for file in () if taken else shown:
            file.unlink(missing_ok=True)
    if taken:
        content = filled.content if out.suffix.lower() == ".pdf" else pictures[0]
        replace_file(out, lambda: atomic_write(out, content))
        say_written(out, f"written to {out}")
    else:
        say_failure(_UNCHANGED)
    return taken


def _markdown(out: Path, rows: Iterable[Row], remarks: Iterable[str]) -> str:
    """The table of all places as Markdown."""
    lines = [_HEADINGS, ["---"] * len(_HEADINGS), *(row.cells for row in rows)]
    table = ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([f"# {out.name}", "", *table, "", *(f"- {remark}" for remark in remarks), ""])
