"""Interpret a part of Python by walking its syntax tree, with a budget of steps.

Python neither compiles nor evaluates any of the code. There are numbers, texts, lists, tuples, dicts and sets with
their methods, comprehensions, lambdas, f-strings, ``if``, ``for``, ``while``, ``try``, ``raise`` and ``assert``, and
calls of the functions that it is given. There are no imports, classes, other functions, attributes but those of the
document, or names that begin with an underscore. Generators are evaluated as soon as they are made.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Sequence
from typing import Any

from .budget import EXCEPTIONS, ProgramError, Raised
from .expressions import Evaluator
from .values import Function, OrderedSet


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Interpreter(Evaluator):
    """One run of a program; see ``Evaluator`` for its arguments."""

    def run(self, main: ast.FunctionDef) -> Any:
        """Run a function and return its result.

        Raises:
            ProgramError: if something in it cannot be done, or the budget is used up.
        """
        self._names = ChainMap()
        self._handled: list[Raised] = []
        try:
            self._run_block(main.body)
        except _Return as found:
            return found.value
        except (_Break, _Continue):
            raise ProgramError("break and continue belong in a loop", main.lineno) from None
        except RecursionError:
            raise ProgramError("the program is nested too deeply", main.lineno) from None
        return None

    def _run_block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            try:
                self._budget.spend()
                STATEMENTS[type(statement)](self, statement)
            except ProgramError as error:
                error.line = error.line or statement.lineno
                raise

    # Each kind of node.

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.store(target, value)

    def _assign_annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def _assign_changed(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            holder, key = self.value(node.target.value), self.value(node.target.slice)
            self.store_item(holder, key, self._changed(self.item(holder, key), node))
        elif isinstance(node.target, ast.Name):
            self.store(node.target, self._changed(self._name(node.target), node))

    def _changed(self, left: Any, node: ast.AugAssign) -> Any:
        right = self.value(node.value)
        # Lists and sets change in their place, as Python's do.
        if isinstance(left, list) and isinstance(node.op, ast.Add):
            left += self.listed(right)
            self._check_length(left)
            return left
        found = self.binary(node.op, left, right)
        if isinstance(left, list | OrderedSet) and type(found) is type(left):
            left.clear()
            (left.extend if isinstance(left, list) else left.update)(found)
            return left
        return found

    def _if(self, node: ast.If) -> None:
        self._run_block(node.body if self.value(node.test) else node.orelse)

    def _for(self, node: ast.For) -> None:
        for item in self._iterated(self.value(node.iter)):
            self.store(node.target, item)
            if not self._run_loop_body(node.body):
                return
        self._run_block(node.orelse)

    def _while(self, node: ast.While) -> None:
        while self.value(node.test):
            if not self._run_loop_body(node.body):
                return
        self._run_block(node.orelse)

    def _run_loop_body(self, body: Sequence[ast.stmt]) -> bool:
        """Run the body of a loop once and return whether the loop continues."""
        try:
            self._run_block(body)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def _return(self, node: ast.Return) -> None:
        raise _Return(None if node.value is None else self.value(node.value))

    def _break(self, node: ast.Break) -> None:
        raise _Break

    def _continue(self, node: ast.Continue) -> None:
        raise _Continue

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expression(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _assert(self, node: ast.Assert) -> None:
        if not self.value(node.test):
            raise self.raised(AssertionError(*([] if node.msg is None else [self.value(node.msg)])))

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is None:
            if not self._handled:
                raise Raised(RuntimeError("No active exception to reraise"))
            # Its traceback would grow each time.
            raise self._handled[-1].with_traceback(None)
        error = self.value(node.exc)
        error = error() if isinstance(error, Function) and error.name in EXCEPTIONS else error
        raise self.raised(error if isinstance(error, Exception) else TypeError("only exceptions can be raised"))

    def _try(self, node: ast.Try) -> None:
        # Not Python's own finally: it would run, and could return, when the budget is used up.
        try:
            self._run_handled(node)
        except (Raised, _Return, _Break, _Continue):
            self._run_block(node.finalbody)
            raise
        self._run_block(node.finalbody)

    def _run_handled(self, node: ast.Try) -> None:
        try:
            self._run_block(node.body)
        except Raised as raised:
            handler = next((one for one in node.handlers if self._handles(one, raised.error)), None)
            if handler is None:
                raise
            self._handle(handler, raised)
        else:
            self._run_block(node.orelse)

    def _handles(self, handler: ast.ExceptHandler, error: Exception) -> bool:
        if handler.type is None:
            return True
        named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = [one.id for one in named if isinstance(one, ast.Name) and one.id in EXCEPTIONS]
        if len(names) < len(named):
            raise ProgramError(f"except takes {', '.join(EXCEPTIONS)}", handler.lineno)
        return any(isinstance(error, EXCEPTIONS[name]) for name in names)

    def _handle(self, handler: ast.ExceptHandler, raised: Raised) -> None:
        if handler.name is not None:
            self._names[handler.name] = raised.error
        self._handled.append(raised)
        try:
            self._run_block(handler.body)
        finally:
            self._handled.pop()
            # Python takes the name away, too.
            self._names.pop(handler.name or "", None)


STATEMENTS: dict[type[ast.stmt], Callable[[Interpreter, Any], None]] = {
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._assign_annotated,
    ast.AugAssign: Interpreter._assign_changed,
    ast.If: Interpreter._if,
    ast.For: Interpreter._for,
    ast.While: Interpreter._while,
    ast.Return: Interpreter._return,
    ast.Break: Interpreter._break,
    ast.Continue: Interpreter._continue,
    ast.Pass: Interpreter._pass,
    ast.Expr: Interpreter._expression,
    ast.Assert: Interpreter._assert,
    ast.Raise: Interpreter._raise,
    ast.Try: Interpreter._try,
}
"""The execution of each supported kind of statement."""
