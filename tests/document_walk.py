"""Random operations on documents, as they come: most of them make sense, some do not."""

from formgym.envs.documents.operations.modifying import TYPES
from formgym.envs.documents.operations.values import COLOURS, FACES, SHAPES
from formgym.envs.documents.painting.pictures import picture_names
from formgym.envs.documents.requests.generate import PLAN, edits_by_action

_TEXTS = ("Open on Sundays", "$12", "A much longer sentence that has to be set in several lines", "one\ntwo\nthree", "")
_SIZES = ("bold", "50%", "20 px", "front", "back", "none", 0, 1, 15, -30, 0.5, 250, True)
_VALUES = (*COLOURS, *FACES, *SHAPES, *_TEXTS, *_SIZES)


def random_operation(document, rng):
    """The name of an operation, and its arguments."""

    def pick(items):
        return items[rng.integers(len(items))]

    def place():
        return [int(v) for v in rng.integers(-50, 900, 2)]

    ids = [*document.places, "nothing_here"]
    value, kind = pick(_VALUES), rng.integers(13)
    if kind == 0:
        return "MOVE", {"object_id": pick(ids), "new_position": place()}
    if kind == 1:
        way = pick(("UP", "DOWN", "LEFT", "RIGHT", "AWAY"))
        return "MOVE", {"object_id": pick(ids), "position_diff": (way, int(rng.integers(0, 200)))}
    if kind == 2 and len(document.places) > 12:
        return "DELETE", {"object_id": pick(ids)}
    if kind == 3 and len(document.places) < 40:
        words = pick((value, "a red circle", pick(picture_names()), "Name\tPrice\nTea\t$2"))
        what = pick(("text", "shape", "image", "line", "table", "list", "song"))
        return "ADD", {"object_type": what, "object_description": words, "position": place()}
    if kind == 4 and len(document.places) < 40:
        return "COPY", {"object_id": pick(ids), "position": place() if rng.random() < 0.5 else None}
    if kind == 5:
        old = document.find(pick(ids))
        old_id, old_type = (old.id, old.type) if old else ("x", "text")
        new = pick(("text", "shape", "image", "list", old_type))
        return "REPLACE", {
            "object_id_to_replace": old_id,
            "type_of_object_replaced": old_type,
            "new_object_type": new,
            "new_object_content": "icon/star" if new == "image" else "Something new",
        }
    if kind == 6:
        return "SPLIT", {"object_id": pick(ids), "separator": pick(("\n", " "))}
    if kind == 7:
        return "MERGE", {"object_ids": [pick(ids), pick(ids)]}
    if kind == 8:
        part = {"object_id": pick(ids), "part": pick(("row", "column", "item", "page")), "at": int(rng.integers(0, 5))}
        more = pick(({}, {"to": int(rng.integers(0, 5))}, {"content": pick(("a\tb", ["c"], "d", 7))}))
        return "REMOVE" if not more else "SHIFT" if "to" in more else "INSERT", part | more
    if kind == 9:
        return _of_pages(pick, [int(n) for n in rng.integers(-1, len(document.pages) + 2, 2)], value)
    modified = {"object_id_to_modify": pick(ids), "modification": value}
    return "MODIFY", modified | {"type_of_modification": pick(TYPES)}


def _of_pages(pick, numbers, value):
    number, to = numbers
    name = pick(("ADD_PAGE", "COPY_PAGE", "DELETE_PAGE", "DELETE_PAGE", "MOVE_PAGE", "MODIFY_PAGE"))
    if name == "MODIFY_PAGE":
        kind = pick(("background", "notes", "order"))
        return name, {"number": number, "modification": value, "type_of_modification": kind}
    return name, {
        "ADD_PAGE": {"to": to},
        "COPY_PAGE": {"number": number, "to": to},
        "DELETE_PAGE": {"number": number},
        "MOVE_PAGE": {"number": number, "to": to},
    }[name]


def planned_seeds(edit: str, n: int) -> list[int]:
    """The seeds below ``n`` for which a request of one edit of its operation is made, if a document allows it."""
    action = next(name for name, edits in edits_by_action().items() if edit in edits)
    return [seed for seed in range(n) if PLAN[seed % len(PLAN)] == (action, "single")]
