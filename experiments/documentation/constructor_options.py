"""Constructor parameters of environments, as their docstrings describe them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from griffe import Docstring, DocstringParameter

from ...envs.core.env import PaperworkEnv
from ...envs.registration import index

_SET_BY_CLASS = ("source_page",)
"""Parameters of a base class that no caller sets."""
_SEE = re.compile(r"^see ``\w+``[.;]?\s*")


@dataclass(frozen=True)
class Option:
    """A keyword argument of ``gymnasium.make``.

    Attributes:
        name: the argument.
        kind: its type, as annotated.
        default: its value if it is not passed, as Python writes it.
        description: what it does.
    """

    name: str
    kind: str
    default: str
    description: str


def options_of(cls: type[PaperworkEnv], registered: Mapping[str, Any]) -> list[Option]:
    """The options of an environment's class, those of its bases last.

    Args:
        cls: the class.
        registered: the arguments that its id is registered with.
    """
    found: dict[str, Option] = {}
    for owner in _constructed(cls):
        described = descriptions_of(owner)
        for name, parameter in inspect.signature(owner).parameters.items():
            if parameter.default is parameter.empty or name in _SET_BY_CLASS:
                continue
            text = described.get(name, "")
            if name not in found:
                default = registered.get(name, parameter.default)
                found[name] = Option(name, str(parameter.annotation).strip("'"), repr(default), text)
            else:
                found[name] = _with_reference(found[name], text)
    return list(found.values())


def text_of(cls: type[PaperworkEnv]) -> str:
    """What a class's docstring says before its arguments.

    Docstrings of bases that have no id follow.
    """
    with_ids = {entry["entry_point"].partition(":")[2] for entry in index()["environments"].values()}
    bases = (base for base in _constructed(cls)[1:-1] if base.__name__ not in with_ids)
    # The first line of a base's docstring says what the class's does, in general.
    more = (_plain(inspect.getdoc(base) or "").partition("\n\n")[2] for base in bases)
    return "\n\n".join((_plain(inspect.getdoc(cls) or ""), *more))


def descriptions_of(owner: type) -> dict[str, str]:
    """The descriptions of a class's arguments by name."""
    sections = Docstring(inspect.getdoc(owner) or "", parser="google").parse(warnings=False)
    arguments: Iterator[DocstringParameter] = (a for s in sections if s.kind.value == "parameters" for a in s.value)
    return {argument.name: " ".join(argument.description.split()) for argument in arguments}


def _constructed(cls: type[PaperworkEnv]) -> list[type[PaperworkEnv]]:
    """The classes whose constructors take the arguments of ``cls``."""
    return [base for base in cls.__mro__ if issubclass(base, PaperworkEnv) and "__init__" in vars(base)]


def _with_reference(option: Option, text: str) -> Option:
    """An option whose description refers to a base, with the base's in its place."""
    match = _SEE.match(option.description)
    if match is None:
        return option
    rest = option.description[match.end() :]
    joined = f"{text.rstrip('.')}; {rest}" if rest else text
    return Option(option.name, option.kind, option.default, joined)


def _plain(docstring: str) -> str:
    """The text sections of a docstring, without references to bases."""
    sections = Docstring(docstring, parser="google").parse(warnings=False)
    text = "\n\n".join(section.value for section in sections if section.kind.value == "text")
    return re.sub(r"; see ``\w+``", "", text)
