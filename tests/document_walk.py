"""Random operations on documents, as they come: most of them make sense, some do not."""

from formgym.envs.documents.operations.modifying import TYPES
from formgym.envs.documents.operations.values import COLOURS, FACES, SHAPES
from formgym.envs.documents.painting.pictures import picture_names

_TEXTS = ("Open on Sundays", "$12", "A much longer sentence that has to be set in several lines", "one\ntwo\nthree", "")
_VALUES = (
    *COLOURS,
    *FACES,
    *SHAPES,
    *_TEXTS,
    "bold",
    "50%",
    "20 px",
    "front",
    "back",
    "none",
    0,
    1,
    15,
    -30,
    0.5,
    250,
    True,
)


def random_operation(document, rng):
    """The name of an operation, and its arguments."""
    ids = [*document.places, "nothing_here"]

    def one():
        return ids[rng.integers(len(ids))]

    def place():
        return [int(v) for v in rng.integers(-50, 900, 2)]

    value = _VALUES[rng.integers(len(_VALUES))]
    kind = rng.integers(9)
    if kind == 0:
        return "MOVE", {"object_id": one(), "new_position": place()}
    if kind == 1:
        way = ("UP", "DOWN", "LEFT", "RIGHT", "AWAY")[rng.integers(5)]
        return "MOVE", {"object_id": one(), "position_diff": (way, int(rng.integers(0, 200)))}
    if kind == 2 and len(document.places) > 12:
        return "DELETE", {"object_id": one()}
    if kind == 3 and len(document.places) < 40:
        names = picture_names()
        words = (value, "a red circle", names[rng.integers(len(names))], "Name\tPrice\nTea\t$2")[rng.integers(4)]
        what = ("text", "shape", "image", "line", "table", "list", "song")[rng.integers(7)]
        return "ADD", {"object_type": what, "object_description": words, "position": place()}
    if kind == 4 and len(document.places) < 40:
        return "COPY", {"object_id": one(), "position": place() if rng.random() < 0.5 else None}
    if kind == 5:
        old = document.find(one())
        told = old.type if old else "text"
        new = ("text", "shape", "image", "list", told)[rng.integers(5)]
        return "REPLACE", {
            "object_id_to_replace": old.id if old else "x",
            "type_of_object_replaced": told,
            "new_object_type": new,
            "new_object_content": "icon/star" if new == "image" else "Something new",
        }
    if kind == 6:
        return "SPLIT", {"object_id": one(), "separator": ("\n", " ")[rng.integers(2)]}
    if kind == 7:
        return "MERGE", {"object_ids": [one(), one()]}
    return "MODIFY", {
        "object_id_to_modify": one(),
        "modification": value,
        "type_of_modification": TYPES[rng.integers(len(TYPES))],
    }
