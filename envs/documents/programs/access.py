"""Items, calls and operators of program values; each costs the program steps."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...core.tools import ToolError
from .budget import CATCHABLE, MAX_LENGTH, Budget, EditError, ProgramError, Raised
from .python_functions import BINARY, attribute
from .values import Function, OrderedSet, Record, Stream


class Access:
    """The operations of a program on values; errors become its exceptions.

    Args:
        budget: the steps that there are.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def store_item(self, holder: Any, key: Any, value: Any) -> None:
        """Assign to an item of a list or a dict."""
        if not isinstance(holder, list | dict):
            raise Raised(TypeError(f"items of a {type(holder).__name__} cannot be assigned to"))
        if isinstance(key, slice):
            raise ProgramError("slices cannot be assigned to; assign single items, or make a new list")
        self.attempt(operator.setitem, holder, key, value, weighed=(key,))
        self._check_length(holder)

    def item(self, holder: Any, key: Any) -> Any:
        """An item of a list, tuple, dict, text or range, or a field of a record."""
        if isinstance(holder, Record):
            return self.attempt(attribute, holder, key, weighed=(key,))
        if not isinstance(holder, list | tuple | dict | str | range):
            raise Raised(TypeError(f"a {type(holder).__name__} has no items"))
        found = self.attempt(operator.getitem, holder, key, weighed=(key,))
        if isinstance(key, slice):
            self._budget.weigh(found)
        return found

    def binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        """The result of an operator on two values."""
        return self.attempt(BINARY[type(op)], left, right)

    def items(self, value: Any) -> Iterable[Any]:
        """The value itself, if it can be iterated over."""
        if not isinstance(value, list | tuple | dict | str | range | OrderedSet | Stream):
            hint = "; document.elements can" if isinstance(value, Record) else ""
            raise Raised(TypeError(f"a {type(value).__name__.lower()} has no items to go through{hint}"))
        return value

    def listed(self, value: Any) -> list[Any]:
        """The items of an iterable as a list."""
        found = list(self.items(value))
        self._budget.go_through(len(found))
        return found

    def mapping(self, value: Any) -> dict[Any, Any]:
        """The dict of a ``**`` argument."""
        if not isinstance(value, dict):
            raise Raised(TypeError(f"what stands behind ** must be a dict, not a {type(value).__name__.lower()}"))
        self._budget.weigh(value)
        return value

    def raised(self, error: Exception) -> Raised:
        """An exception of the program; its contents cost steps."""
        self._budget.weigh(error)
        return Raised(error)

    def attempt(self, function: Callable[..., Any], *arguments: Any, weighed: Sequence[Any] | None = None) -> Any:
        """Call a function; its exceptions become exceptions of the program.

        The arguments and the result cost steps, for the function may go through all that is in them.

        Args:
            function: an operator, a method or a function of Python.
            arguments: what it takes.
            weighed: all that it goes through, where that is less.
        """
        return self._attempt(function, arguments, {}, weighed)

    def _attempt(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        named: Mapping[str, Any],
        weighed: Sequence[Any] | None = None,
    ) -> Any:
        self._budget.weigh(*((*arguments, *named.values()) if weighed is None else weighed))
        found = self._found(function, arguments, named)
        if weighed is None:
            # What is in a stream was weighed among the arguments.
            self._budget.weigh(range(len(found)) if isinstance(found, Stream) else found)
        return found

    def _found(self, function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        try:
            return function(*arguments, **named)
        except ToolError as error:
            raise Raised(EditError(str(error))) from None
        except RecursionError:
            raise ProgramError("a value is nested too deeply") from None
        except CATCHABLE as error:
            raise self.raised(error) from None

    def _charged(self, name: str, function: Callable[..., Any], is_quick: bool = False) -> Function:
        """A function that costs steps for its arguments and its result.

        A quick one does not iterate over its first argument, and its result exists already.
        """

        def call(*arguments: Any, **named: Any) -> Any:
            weighed = (*arguments[1:], *named.values()) if is_quick else None
            found = self._attempt(function, arguments, named, weighed)
            if arguments:
                self._check_length(arguments[0])
            return found

        return Function(name, call)

    def _check_length(self, holder: Any) -> None:
        if isinstance(holder, list | dict | OrderedSet) and len(holder) > MAX_LENGTH:
            raise ProgramError(f"a {type(holder).__name__.lower()} is longer than {MAX_LENGTH:,}")
