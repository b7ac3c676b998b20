"""What an edit operation is: declared once, for programs, tools, solutions, scores, requests and prompts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...core.tools import Argument, Call
from ..scene.document import Document
from .arguments import PARAMETERS
from .draft import EditKind

Made = str | tuple[str, ...] | None
"""The id of what an operation has made, the ids of several, or nothing."""


@dataclass(frozen=True, slots=True)
class OperationTool:
    """A tool that carries out an operation.

    Attributes:
        name: what agents call it.
        description: what it does, in words for agents.
        parameters: which arguments of the published signature it takes, each in the way ``PARAMETERS`` says.
        described: descriptions of arguments of the tool, where they are not the usual ones.
    """

    name: str
    description: str
    parameters: tuple[str, ...]
    described: Mapping[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Argument]:
        """The tool's arguments, in order."""
        known = {name: one for parameter in self.parameters for name, one in PARAMETERS[parameter].arguments.items()}
        return {
            name: replace(one, description=self.described.get(name, one.description)) for name, one in known.items()
        }

    def read(self, document: Document, call: Mapping[str, Any]) -> dict[str, Any]:
        """The operation's arguments from those of the tool."""
        return {parameter: PARAMETERS[parameter].read(document, call) for parameter in self.parameters}

    def call(self, arguments: Mapping[str, Any]) -> Call:
        """A call of the tool with the operation's arguments."""
        call: Call = {"tool": self.name}
        for name, value in arguments.items():
            call |= PARAMETERS[name].write(value)
        return call


@dataclass(frozen=True)
class EditOperation:
    """An operation on a document, with the signature that Agent-DocEdit publishes.

    Attributes:
        apply: makes another document of one and arguments, or it and the ids of what is new. Its name in upper case is
            the operation's. A ``ToolError`` says what is wrong.
        usage: what it does, in words for those who write programs.
        example: a request, and the lines of a program that does it.
        tools: the tools that carry it out.
        typesets: the argument that holds a text which it typesets, or the ids of elements whose texts it does.
        edits: the kinds of edits that requests ask for and that it makes, by name.
    """

    apply: Callable[..., Document | tuple[Document, Made]]
    usage: str
    example: tuple[str, str]
    tools: tuple[OperationTool, ...]
    typesets: str | None = None
    edits: Mapping[str, EditKind] = field(default_factory=dict)

    def __call__(self, document: Document, *given: Any, **named: Any) -> Document:
        """The document after the operation."""
        return self.edit(document, *given, **named)[0]

    @property
    def name(self) -> str:
        """Its name, in upper case."""
        return self.apply.__name__.upper()

    @cached_property
    def signature(self) -> inspect.Signature:
        """The published signature: without the document and the page."""
        known = inspect.signature(self.apply).parameters.values()
        named = [one.replace(annotation=one.empty) for one in known if one.name not in ("document", "page")]
        return inspect.Signature(named)

    @cached_property
    def takes_page(self) -> bool:
        """Whether it must be told the page."""
        return "page" in inspect.signature(self.apply).parameters

    def edit(self, document: Document, *given: Any, **named: Any) -> tuple[Document, Made]:
        """The document after the operation, and the ids of what is new."""
        found = self.apply(document, *given, **named)
        return found if isinstance(found, tuple) else (found, None)

    def typeset(self, document: Document, arguments: Mapping[str, Any]) -> list[str]:
        """The texts that it typesets."""
        if self.typesets is None:
            return []
        value = arguments.get(self.typesets)
        texts = [one for one in (value if isinstance(value, list | tuple) else [value]) if isinstance(one, str)]
        if not self.typesets.startswith("object_id"):
            return texts
        return [element.text for one in texts if (element := document.find(one)) is not None]

    def tool_call(self, arguments: Mapping[str, Any]) -> Call:
        """The call of a tool that carries it out with some arguments."""
        fitting = (tool for tool in self.tools if any(one in arguments for one in tool.parameters[1:]))
        return next(fitting, self.tools[0]).call(arguments)


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """An operation that was carried out.

    Attributes:
        action: its name.
        component: the type of the element that it was about.
        made: the type of what came of it, if that is new.
    """

    action: str
    component: str
    made: str = ""
