"""Reading data files: what is wrong in one is said with file and place."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


def load(model: type[Model], path: Path) -> Model:
    """The JSON file at ``path``, validated.

    Raises:
        ValueError: if it is missing, no JSON, or against the schema; the message names the file and each place in it.
    """
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ValueError(f"{path} is missing") from None
    except ValidationError as error:
        places = [f"  {_place(e['loc']) or 'file'}: {e['msg']}" for e in error.errors()]
        raise ValueError(f"{path} is not valid:\n" + "\n".join(places)) from error


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)
