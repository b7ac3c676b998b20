"""Data files: load and validate JSON, with precise errors; write atomically."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from io import BufferedReader
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from ...assets import ROOT

Model = TypeVar("Model", bound=BaseModel)


CACHE_VARIABLE = "FORMGYM_CACHE"
MAX_FILE_BYTES = 64_000_000
"""Of a file that is none of ours."""
MAX_VALUES = 2_000_000
"""Of JSON that somebody else may have made: commas and brackets, which is never less than its values."""
_MAX_PROBLEMS = 20
"""The maximum number of places in a file that a message names."""


class Data(BaseModel):
    """Validated data that never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def load(model: type[Model], path: Path) -> Model:
    """The JSON file at ``path``, validated.

    Raises:
        ValueError: if it is missing, no JSON, against the schema or, where it is none of ours, too large or a link;
            the message names the file and each place in it, items of a list by their ``name`` where they have one.
    """
    is_own = path.is_relative_to(ROOT)
    try:
        content = path.read_bytes() if is_own else read_foreign(path, MAX_FILE_BYTES)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    if is_own:
        # Several times as fast; what is wrong is found below.
        with suppress(ValidationError):
            return model.model_validate_json(content)
    return validated(model, parse_json(content, str(path)), path)


def load_once(model: type[Model], path: Path) -> Callable[[], Model]:
    """A function that returns the JSON file at ``path``, which it loads when it is first called; see ``load``."""
    return lru_cache(maxsize=1)(partial(load, model, path))


def open_foreign(path: Path) -> BufferedReader:
    """A file that somebody else may have made, to read: no link, pipe or device.

    Raises:
        ValueError: if it is one.
        OSError: if it cannot be read.
    """
    return os.fdopen(open_regular(path, os.O_RDONLY), "rb")


def open_file(path: Path) -> BufferedReader:
    """A file to read: one of ours, which may be a link where it is installed, or one as ``open_foreign`` opens it."""
    return path.open("rb") if path.is_relative_to(ROOT) else open_foreign(path)


def open_regular(path: Path, flags: int) -> int:
    """The descriptor of an ordinary file; see ``open_foreign``."""
    try:
        # A pipe would be waited for, and a link may lead to what is none of its maker's business.
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise ValueError(f"{path} is a link or a pipe; only ordinary files are opened") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError(f"{path} is no ordinary file")
    return descriptor


def read_foreign(path: Path, max_bytes: int, is_json: bool = True) -> bytes:
    """The content of a file that somebody else may have made; see ``open_foreign`` and ``check_structure``.

    Raises:
        ValueError: if it is larger than ``max_bytes``.
    """
    with open_foreign(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(f"{path} is larger than {max_bytes / 1e6:,.0f} MB, which nothing of its kind is")
    if is_json:
        check_structure(content, str(path))
    return content


def foreign_lines(path: Path, max_bytes: int) -> Iterator[bytes]:
    """The lines of a file that somebody else may have made; see ``open_foreign``.

    Raises:
        ValueError: if a line is longer than ``max_bytes``.
    """
    with open_foreign(path) as file:
        for number in count(1):
            line = file.readline(max_bytes + 1)
            if len(line) > max_bytes:
                raise ValueError(f"{path}, line {number} is longer than {max_bytes / 1e6:,.0f} MB, which no line is")
            if not line:
                return
            check_structure(line, f"{path}, line {number}")
            yield line


def check_structure(content: bytes, place: str) -> None:
    """Check that JSON has so few values that it fits into memory when it is read.

    Raises:
        ValueError: if it has too many; the message names the place.
    """
    if sum(map(content.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise ValueError(f"{place} has more than {MAX_VALUES / 1e6:,.0f} million values, which nothing of its kind has")


def parse_json(content: bytes, place: str) -> Any:
    """The value in JSON.

    Args:
        content: UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
        place: the file, or the file and line, for messages.

    Raises:
        ValueError: if it is no JSON, is nested too deep, or holds a number that is not finite; the message names the
            place.
    """
    try:
        text = content.decode(json.detect_encoding(content))
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise ValueError(f"{place} is no UTF-8: byte {error.start} cannot be read") from None
    except RecursionError:
        raise ValueError(f"{place} is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"{place} is no JSON: {error}") from None


def _finite(number: str) -> float:
    """The number of a JSON literal; ValueError if it is not finite."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number[:20]} is no finite number")
    return value


def validated(model: type[Model], data: Any, origin: Path) -> Model:
    """``data`` as a model; see ``load``.

    Args:
        model: what it must be.
        data: the content of a JSON file.
        origin: the file that it came from, for messages.
    """
    try:
        return model.model_validate(data)
    except RecursionError:
        raise ValueError(f"{origin} is nested too deep") from None
    except ValidationError as error:
        errors = error.errors()
        places = [f"  {'.'.join(_steps(data, e['loc'])) or 'file'}: {e['msg']}" for e in errors[:_MAX_PROBLEMS]]
        if len(errors) > _MAX_PROBLEMS:
            places.append(f"  and {len(errors) - _MAX_PROBLEMS} more")
        raise ValueError(f"{origin} is not valid:\n" + "\n".join(places)) from error


def _steps(data: Any, location: tuple[int | str, ...]) -> Iterator[str]:
    """The parts of a location; items of a list by their name, if they have one."""
    for part in location:
        try:
            data = data[part]
        except (LookupError, TypeError):
            data = None
        named = isinstance(part, int) and isinstance(data, dict) and isinstance(data.get("name"), str)
        yield data["name"] if named else str(part)


def atomic_write(path: Path, content: bytes | Iterable[bytes], sync: bool = False) -> None:
    """Replace a file at once: readers see the old content or the new, never a part.

    Args:
        path: of the file.
        content: of the file, as a whole or in pieces.
        sync: whether it is on disk when this returns.

    Raises:
        OSError: if it cannot be written; it names the file.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file to write")
    # A unique name: two processes may be writing the same file.
    unfinished = path.with_name(f"{path.name}.{uuid4().hex[:8]}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def cache_folder() -> Path:
    """The folder for downloads and other data that can be made again.

    It is ``FORMGYM_CACHE``, or ``formgym`` below XDG_CACHE_HOME or ``~/.cache``. It need not exist, and may be deleted
    at any time.
    """
    if os.environ.get(CACHE_VARIABLE):
        return Path(os.environ[CACHE_VARIABLE])
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "formgym"
