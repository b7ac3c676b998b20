"""What to write where on a page of a data set: one answer, or all of them."""

from __future__ import annotations

from collections import Counter

from ...core.asset_cache import cached
from ...core.env import MAX_SOURCE_LENGTH
from ...core.texts import truncate
from ..task import PaperTask, Target
from .scanned_data import Key, ScannedPage, reading_order

_SHOWN_LABEL, _LISTED_LABEL = 500, 200


@cached
def field_task(page: ScannedPage, key: Key) -> PaperTask:
    """The task of writing one answer into its field."""
    gold = page.answers[key]
    # Where no other field is filled in, fields of one name look alike.
    query = page.queries[key] if page.filled else labels(page).get(key, page.queries[key])
    shown = truncate(query, _SHOWN_LABEL)
    if gold.matcher == "signature":
        goal = f"Sign with what is given in the source text in the field “{shown}” of this page."
    else:
        goal = f"Write the value given in the source text into the field “{shown}” of this page."
    return PaperTask(
        task_id=f"{page.name}#{key}",
        goal=goal,
        source=f"Field: {shown}\nValue: {gold.value}",
        text_size=page.text_size,
        targets=(Target("answer", query, page.fields[key], gold),),
    )


@cached
def page_task(page: ScannedPage) -> PaperTask:
    """The task of writing all answers of a page into their fields.

    Raises:
        ValueError: if there is more to write than a source text holds.
    """
    shown = labels(page)
    source = "\n".join(f"{label}: {page.answers[key].value}" for key, label in shown.items() if _asked(page, key))
    if len(source) > MAX_SOURCE_LENGTH:
        raise ValueError(
            f"the answers of {page.image} are too long for one task; take them one at a time, answers='one'"
        )
    signing = any(gold.matcher == "signature" for gold in page.answers.values())
    return PaperTask(
        task_id=page.name,
        goal="Write each value of the source text into its field of this page. "
        + ("Sign where a signature or initials are wanted. " if signing else "")
        + "Fields of one name are numbered line by line, from left to right.",
        source=source,
        text_size=page.text_size,
        targets=tuple(Target(str(key), label, page.fields[key], page.answers[key]) for key, label in shown.items()),
    )


def _asked(page: ScannedPage, key: Key) -> bool:
    return page.answers[key].value is not None


def labels(page: ScannedPage) -> dict[Key, str]:
    """What the fields of a page are called, in reading order; fields of one name are numbered in that order.

    Of fields with the same middle only the first is among them: what is written there cannot be told apart.
    """
    fields = {(box[0] + box[2], box[1] + box[3]): key for key, box in reversed(page.fields.items())}
    order = reading_order({key: page.fields[key] for key in fields.values()})
    names = {key: truncate(_bare(page.queries[key]), _LISTED_LABEL) for key in order}
    total, seen = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        seen[name] += 1
        if total[name] > 1:
            names[key] = f"{name} ({seen[name]} of {total[name]})"
    return names


def _bare(query: str) -> str:
    """A question without the colon that the source text puts behind it."""
    return query.rstrip(" :：") or query
