"""Text actions: calls as BrowserGym writes them, such as ``click('12')``.

They are for web forms with the wrapper ``ControlList``, which gives controls their ids; coordinates are pixels.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...envs.core.tools import Call, ToolError
from ..blocks import Block, TextBlock
from ..session import Session

_ACTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "click": ("click_control", ("id",)),
    "fill": ("fill", ("id", "text")),
    "select_option": ("select_option", ("id", "text")),
    "mouse_click": ("click", ("x", "y")),
    "mouse_dblclick": ("double_click", ("x", "y")),
    "keyboard_press": ("press_key", ("key",)),
    "keyboard_type": ("type_text", ("text",)),
    "scroll": ("scroll", ("dy",)),
    "send_msg_to_user": ("terminate", ()),
}
"""The tool of each action, and what the action's arguments are called there."""
_PARAMETERS = {"bid": "id", "value": "text", "options": "text", "delta_y": "dy"}
"""BrowserGym's names of arguments, where ours are others."""
_LEFT_OUT = {"scroll": ("delta_x",)}
"""Arguments before ours that are read and not used: pages scroll up and down alone."""
_MAX_LENGTH = 20_000


def parse_actions(text: str) -> list[Call]:
    """The calls that a text of actions, one a line, stands for; nothing in it is run.

    Raises:
        ToolError: if it is no list of such actions; it says which part is wrong.
    """
    try:
        statements = ast.parse(text[:_MAX_LENGTH].strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"This is no action: {error}. Write one as in click('12') or fill('3', 'Ann').") from None
    if not statements:
        raise ToolError(f"There is no action; the actions are {', '.join(_ACTIONS)}.")
    return [call for statement in statements for call in _calls(statement)]


def text_of(call: Call) -> str:
    """A call as BrowserGym writes it.

    Raises:
        ValueError: if BrowserGym has no such action.
    """
    for action, (tool, names) in _ACTIONS.items():
        if tool == call["tool"]:
            before = [0] * len(_LEFT_OUT.get(action, ()))
            given = [str(call[name]) if name == "id" else call[name] for name in names]
            return f"{action}({', '.join(map(repr, [*before, *given]))})" if names else f"{action}('Done.')"
    raise ValueError(f"BrowserGym has no action for {call['tool']}")


def act(session: Session, text: str) -> list[Block]:
    """Carry out a text of actions; what came of them, or what is wrong with it.

    A text that is no list of actions costs a step.

    Args:
        session: an open one, of an environment in ``ControlList``, without a ``unit``.
        text: what a model has written.
    """
    try:
        calls = parse_actions(text)
    except ToolError as error:
        session.call(None)
        return [TextBlock(str(error))]
    blocks: list[Block] = []
    for call in calls:
        if not session.done:
            blocks += session.call(call["tool"], {name: value for name, value in call.items() if name != "tool"})[0]
    return blocks


def _calls(statement: ast.stmt) -> list[Call]:
    source = ast.unparse(statement)[:100]
    node = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _ACTIONS:
        raise ToolError(f"{source} is no action; the actions are {', '.join(_ACTIONS)}.")
    tool, names = _ACTIONS[node.func.id]
    if not names:
        return [{"tool": tool}]
    try:
        unnamed = [ast.literal_eval(value) for value in node.args]
        named = {_PARAMETERS.get(str(word.arg), str(word.arg)): ast.literal_eval(word.value) for word in node.keywords}
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise ToolError(f"The arguments of {source} must be texts, numbers or lists of texts.") from None
    all_names = (*_LEFT_OUT.get(node.func.id, ()), *names)
    arguments = dict(zip(all_names, unnamed, strict=False)) | named
    given = {name: arguments[name] for name in names if name in arguments}
    if "id" in given and isinstance(given["id"], str) and given["id"].isdecimal():
        given["id"] = int(given["id"][:9])
    return [{"tool": tool, **one} for one in _each(given)]


def _each(arguments: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """Arguments, once for each of several options."""
    options = arguments.get("text")
    return [arguments | {"text": one} for one in options] if isinstance(options, list) else [arguments]
