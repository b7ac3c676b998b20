"""Calls in the replies of models, in whatever format their families write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..envs.core.texts import truncate
from .lenient_json import Parsed, ValueReader, json_values
from .models.model import Reply, Schema, ToolCall

_MAX_LENGTH = 1_000_000
"""Of a text, so many characters are read for calls."""
_MAX_NESTING = 5
_MAX_PROBLEMS = 3
_NAMES = ("tool", "tool_name", "name", "action", "function", "recipient_name", "type")
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input", "action_input", "tool_input", "tool_args", "kwargs")
_COMMENTS = ("thought", "thoughts", "thinking", "reasoning", "explanation", "comment", "description", "type", "id")
"""What stands beside the arguments of a call, if the tool has no argument of that name."""

NO_CALL = 'Your reply has no tool call: answer with a JSON list of calls, each {"tool": NAME, ...}.'
CUT_OFF = "Your reply ends in the middle of a call, which was left out: answer with fewer calls at a time."
CUT_AT_LIMIT = "Your reply was cut off at max_tokens, its limit: give a shorter answer."

_THOUGHTS = r"(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|tool_response)"
_FORMATS = (
    # Reasoning, and what a model makes up as if others had written it.
    ("reasoning", rf"<({_THOUGHTS})>|\[THINK\]|◁think▷|<\|(?:START_THINKING|begin_of_thought|thinking)\|>"),
    ("thoughts_end", rf"</{_THOUGHTS}>|\[/THINK\]|◁/think▷|<\|(?:END_THINKING|end_of_thought|/thinking)\|>"),
    ("analysis", r"<\|channel\|>analysis\b(?![^<\n]{0,9}\bto=)|\Aanalysis(?=[A-Z])"),
    ("others", r"^[ \t]*(?:Observation[ \t]*:|\[TOOL_RESULTS\]|<\|im_start\|>[ \t]*user)"),
    ("others", r"<[｜|](?:tool▁outputs?▁begin|start_header_id\|>user<\|end_header_id)[｜|]>"),
    # A tool's name; its arguments follow as an object or as parameters.
    (
        "named",
        r"<(?:[\w｜]{1,20}[:｜])?invoke[ \t]+name=[\"']?([\w.:-]+)[^>\n]{0,40}>|<tool_name>\s*([\w.]+)\s*</tool_name>",
    ),
    ("named", r"<function(?:=|[ \t]+name=)[\"']?([\w.:-]+)[\"']?[ \t]*>?"),
    ("named", r"<\|tool_call_begin\|>\s*([\w.:-]+)\s*<\|tool_call_argument_begin\|>"),
    ("named", r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)(?:<｜tool▁sep｜>)?"),
    (
        "named",
        r"\bto=(?:functions\.)?([\w.]+)(?:[^<\n{]|<\|(?:channel|constrain)\|>){0,60}(?:<\|message\|>)?(?=\s{0,9}\{)",
    ),
    ("named", r"\[TOOL_CALLS\]\s*([A-Za-z_][\w.-]*)(?:\[CALL_ID\]\w{1,40})?(?:\[ARGS\])?(?=\s{0,9}[{(])"),
    ("named", r"<tool_call>\s*([\w.-]+)\s*(?=<arg_key>|</tool_call>)"),
    (
        "react",
        r"^[ \t*]*(?:Action|Tool|Function)[* \t]*:[* \t`]*([\w.]+)[* \t`]*"
        r"(?:\n\s*\**(?:Action[ _]?)?(?:Input|Arguments|Parameters)[* \t]*:[* \t]*|$)",
    ),
    # Calls follow, whatever their names are.
    (
        "opens",
        r"(?:<start_function_call>(?:call:)?|<tool_calls?>|<\|tool_calls?\|>|<functioncall>|<(?:\w+:)?function_calls?>|<\|START_ACTION\|>"
        r"|<tool_code>|<\|python_tag\|>|\[TOOL_CALLS\]|functools(?=\s*\[)|<\|action_start\|>(?:\s*<\|\w+\|>)?)"
        r"(?=\s*(?:[\[{`<]|[\w.]+\s*[({\n<]))",
    ),
    (
        "closes",
        r"</(?:\w+:)?(?:tool_calls?|functioncall|function_calls?|tool_code)>|<\|(?:END_ACTION|action_end|eo[mt]_id)\|>",
    ),
    ("tag", r"<(?:tool(?:_call)?[ \t]+name=[\"'])?([A-Za-z_]\w{0,40})[\"']?>(?=\s{0,9}[<{])"),
    ("fence", r"`{3,}|~{3,}"),
    ("label", r"(?:^[ \t*#]*|(?<=[.!?][ \n]))Actions?[* \t]*[:：][ \t*]*"),
    ("comment", r"(?:^|(?<=[ \t]))\#(?!\#)[^\n]*|^[ \t]*>(?!>)[^\n]*"),
    ("python", r"(?<![\w.])([A-Za-z_][\w.]{0,80})(?=[ \t]?\(|:?\s{0,2}\{)"),
    ("value", r"[{\[]"),
)
"""What begins something in a reply, by its kind; the first that matches at a place counts."""
_OPENING = re.compile("|".join(f"(?P<{kind}_{i}>{pattern})" for i, (kind, pattern) in enumerate(_FORMATS)), re.M)
_REASONING = re.compile(
    rf"(?:{dict(_FORMATS)['reasoning']}).*?(?:{dict(_FORMATS)['thoughts_end']}|\Z)"
    r"|<\|channel\|>analysis.*?(?:<\|(?:end|start|call|return|channel)\|>|\Z)",
    re.S,
)
_THOUGHTS_END = re.compile(dict(_FORMATS)["thoughts_end"])
_ENDS = {
    "reasoning": _THOUGHTS_END,
    "analysis": re.compile(r"<\|(?:end|start|call|return|channel)\|>|assistant(?=commentary|final)"),
}
_BODY = re.compile(r"\s*(`{3,}\w*\s*)?(?:<parameters>\s*)?")
_AFTER_FENCED_BODY = re.compile(r"\s*`{3,}")
_SPACE = r"(?:[\w｜]{1,20}[:｜])?"
"""The namespace of a tag."""
_PARAMETER = re.compile(
    rf"\s*<{_SPACE}(?:parameter(?:=|[ \t]+name=)[\"']?([\w.-]+)[\"']?[^>\n]{{0,40}}"
    r"|arg_key>\s*([\w.-]+)\s*</arg_key>\s*<arg_value|([A-Za-z_]\w*))>"
)
_PARAMETER_END = f"</{_SPACE}TAG>(?=\\s{{0,9}}(?:<|\\Z))|(?=<{_SPACE}TAG[= ]|</{_SPACE}(?:function|invoke)>)"
_CLOSED = re.compile(rf"\s*(?:</parameters>\s*)?</{_SPACE}(?:invoke|function|tool_call)>")
_LINE_START = re.compile(
    r"[ \t]*(?:(?:[-*•+>]|\d{1,4}[.):]|\w{1,20}(?: \w{1,20}){0,2}[*_]{0,2}[:：])[ \t*_]*){0,3}[`\[(]*"
    r"(?:\w{1,30} = |await |print\(){0,2}"
)
_LINE_END = re.compile(r"[ \t`*_.,;!)\]。]*(?:$|<[|｜/])", re.M)
_REMARK = re.compile(r"[ \t`*_.,;!)\]。]*(?:[-–—→(#]|//)")
_BETWEEN = re.compile(r"[ \t,;|&`\]]*(?:(?:and|then)[ \t,]+)*[ \t`\[]*")
_TO_BRACKET = re.compile(r"[:\s]*")
_THOUGHT = re.compile(r"\W*(?:thoughts?|thinking|reasoning|思考)\W", re.I)
_NOT_MEANT = re.compile(
    r"\b(?:could|would|might|can|cannot|not|never|instead of|rather than|like|such as|example|format|if|unless)\b"
    r"|\be\.g\.|n't\b",
    re.I,
)
_EXAMPLE = re.compile(r"\b(?:example|look(?:s|ed)? like|format)\b|\be\.g\.", re.I)
_SENTENCE_END = re.compile(r"[.!?]\s")
_PREFIX = re.compile(r"^(?:functions|default_api|tools)\.|\.call$|:\d+$")
_MAX_LINE = 300
"""Characters of a line before a call that decide whether it is meant."""
BARE, LABELLED, FENCED, MARKED = range(4)
"""How plainly a call is marked as one: only those of the plainest kind in a reply are carried out."""


@dataclass(frozen=True)
class ParsedReply:
    """The calls in a reply, in order, and what in it could not be read as one."""

    calls: Sequence[ToolCall]
    problems: Sequence[str] = ()


def parse_reply(reply: Reply, tools: Sequence[Schema]) -> ParsedReply:
    """The calls of tools in a reply, native ones or those in its text; never raises.

    Names and arguments are as the model wrote them: whether there is such a tool is not looked at.
    """
    if not reply.tool_calls:
        return parse_calls(reply.text, tools)
    calls = [ToolCall(call.id, call.name, _object(call.arguments)) for call in reply.tool_calls]
    whole = [call for call in calls if getattr(call.arguments, "is_whole", True)]
    return ParsedReply(whole, [CUT_OFF] * (len(whole) < len(calls)))


def parse_calls(text: str, tools: Sequence[Schema]) -> ParsedReply:
    """The calls of tools in a text; never raises, and takes linear time.

    Reasoning is left out: what is between ``<think>`` and ``</think>`` or the like, or not closed, or before a
    ``</think>`` that nothing opens. Of the rest the plainest kind of calls counts alone: those in the tokens or tags of
    a model's family, such as ``<tool_call>``, ``<function=..>``, ``<invoke ..>`` or ``[TOOL_CALLS]``; in fences; after
    ``Action:``; or else those that begin a line or end one. They are JSON in any of the usual forms (``{"tool": name,
    ...}``, ``{"name": ..., "arguments": ...}``, ``{"actions": [...]}``, ``{name: {...}}``), or as Python writes them.

    >>> parse_calls('<think>Click? {"tool": "undo"}</think> I am done: {"tool": "terminate"}', []).calls[0].name
    'terminate'
    """
    found = list(_Scanner(text[:_MAX_LENGTH], tools).found())
    level = max((one.level for one in found if isinstance(one.content, tuple)), default=None)
    chosen = [one.content for one in found if level in (None, one.level)]
    calls = [ToolCall(f"call_{i}", *one) for i, one in enumerate(one for one in chosen if isinstance(one, tuple))]
    problems = list(dict.fromkeys(one for one in chosen if isinstance(one, str)))[:_MAX_PROBLEMS]
    return ParsedReply(calls, problems if calls or problems else [NO_CALL])


@dataclass(frozen=True)
class _Found:
    """A name and arguments, or what is wrong with what may have been a call; where it is, and how it is marked."""

    content: tuple[str, Any] | str
    start: int
    end: int
    level: int


class _Scanner:
    """Goes through a text once, from one opening of ``_FORMATS`` to the next."""

    def __init__(self, text: str, tools: Sequence[Schema]) -> None:
        self._text, self._reader = text, ValueReader(text)
        self._tools: dict[str, Mapping[str, Any]] = {str(tool["name"]): tool["parameters"] for tool in tools}
        self._found: list[_Found] = []
        self._fence, self._is_open, self._labelled = "", False, -1
        self._steps: dict[str, Callable[[re.Match[str]], int]] = {
            **{"reasoning": self._reasoning, "analysis": self._reasoning, "thoughts_end": self._thoughts_end},
            **{"named": self._named, "react": self._react, "tag": self._tag, "opens": self._opens},
            **{"others": re.Match.end, "comment": re.Match.end, "label": self._label, "fence": self._fenced},
            **{"closes": self._closes, "python": self._python, "value": self._value},
        }

    def found(self) -> Iterator[_Found]:
        """What is found outside of reasoning, and meant."""
        position = 0
        while match := _OPENING.search(self._text, position):
            kind = str(match.lastgroup).rpartition("_")[0]
            if kind == "others" and self._found:
                break
            position = max(self._steps[kind](match), match.start() + 1)
        return self._meant()

    def _meant(self) -> Iterator[_Found]:
        """What is found, without what prose only mentions; calls with nothing between them are meant together."""
        groups: list[list[_Found]] = []
        for one in self._found:
            last = groups[-1][-1] if groups else None
            if last and last.level == one.level == BARE and self._follows(last.end, one.start):
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            if group[0].level != BARE or self._is_meant(group[0].start, group[-1].end):
                yield from group

    def _follows(self, end: int, start: int) -> bool:
        return start < end or _BETWEEN.fullmatch(self._text, end, start) is not None

    def _is_meant(self, start: int, end: int) -> bool:
        """Whether a bare call begins its line, or ends a sentence that does not merely mention it."""
        before = self._text[max(0, start - _MAX_LINE) : start].rpartition("\n")[2]
        if before[-1:] in tuple("\"'“„«‘") or _THOUGHT.match(before):
            return False
        if len(before) < _MAX_LINE and _LINE_START.fullmatch(before):
            is_json = self._text[start] in "{["
            return is_json or bool(_LINE_END.match(self._text, end) or _REMARK.match(self._text, end))
        sentence = _SENTENCE_END.split(before)[-1]
        return bool(_LINE_END.match(self._text, end)) and not _NOT_MEANT.search(sentence)

    def _level(self, start: int) -> int:
        """How plainly what begins there is marked as a call."""
        if self._fence:
            return FENCED
        if self._is_open:
            return MARKED
        gap = start - self._labelled
        is_labelled = self._labelled >= 0 and gap < 20 and not self._text[self._labelled : start].strip(" \t\r\n`*[,;")
        return LABELLED if is_labelled else BARE

    def _is_quoted(self, start: int) -> bool:
        """Whether there is a single backtick before it, in the middle of a line."""
        before = self._text[max(0, start - _MAX_LINE) : start].rpartition("\n")[2]
        return before.endswith("`") and not before.endswith("``") and bool(before[:-1].strip())

    def _add(self, content: tuple[str, Any] | str, start: int, end: int, level: int) -> None:
        self._found.append(_Found(content, start, end, level))
        if level == LABELLED:
            self._labelled = end

    def _reasoning(self, match: re.Match[str]) -> int:
        if self._is_quoted(match.start()):
            return match.end()
        end = _ENDS[str(match.lastgroup).rpartition("_")[0]].search(self._text, match.end())
        return end.end() if end else len(self._text)

    def _thoughts_end(self, match: re.Match[str]) -> int:
        self._found.clear()
        self._fence, self._is_open = "", False
        return match.end()

    def _opens(self, match: re.Match[str]) -> int:
        self._is_open = self._is_open or not self._is_quoted(match.start())
        return match.end()

    def _closes(self, match: re.Match[str]) -> int:
        self._is_open = False
        return match.end()

    def _fenced(self, match: re.Match[str]) -> int:
        mark = match[0][0]
        before = self._text[max(0, match.start() - _MAX_LINE) : match.start()].rstrip().rpartition("\n")[2]
        if not self._fence and before.endswith(":") and _EXAMPLE.search(before):
            end = self._text.find(mark * 3, match.end())
            return len(self._text) if end < 0 else end + 3
        self._fence = "" if mark == self._fence else self._fence or mark
        return match.end()

    def _label(self, match: re.Match[str]) -> int:
        self._labelled = match.end()
        return match.end()

    def _named(self, match: re.Match[str], level: int = MARKED) -> int:
        """A tool's name in the tokens of a model's family, and the arguments that follow."""
        if self._is_quoted(match.start()):
            return match.end()
        name = self._name(next(word for word in match.groups()[match.lastindex or 0 :] if word))
        arguments, end, is_whole = self._arguments(name, match.end())
        self._add((name, arguments) if is_whole else CUT_OFF, match.start(), end, FENCED if self._fence else level)
        return end

    def _react(self, match: re.Match[str]) -> int:
        name = self._name(next(word for word in match.groups()[match.lastindex or 0 :] if word))
        properties = list(self._tools.get(name, {}).get("properties", ()))
        if not match[0].rstrip(" *\t").endswith(":"):
            return self._named(match, LABELLED) if name in self._tools and not properties else match.end()
        line = self._text[match.end() :].partition("\n")[0].strip()
        if len(properties) != 1 or not line or line[0] in "{(`":
            return self._named(match, LABELLED)
        self._add((name, {properties[0]: line}), match.start(), match.end() + len(line), LABELLED)
        return match.end() + len(line)

    def _tag(self, match: re.Match[str]) -> int:
        return self._named(match) if match.groups()[match.lastindex or 0] in self._tools else match.end()

    def _python(self, match: re.Match[str]) -> int:
        """A name and a bracket."""
        name, level = self._name(match.groups()[match.lastindex or 0]), self._level(match.start())
        start = match.end() + len(_TO_BRACKET.match(self._text, match.end())[0])  # type: ignore[index]
        is_object = self._text[start] == "{"
        if name not in self._tools and (is_object or (level in (BARE, FENCED) and not self._is_listed(match.start()))):
            return match.end()
        value, end, is_whole = self._reader.at(start)
        if is_object and any(isinstance(item, tuple) for item in self._items(value)):
            return start
        if is_whole:
            self._add((name, self._by_name(name, value)), match.start(), end, level)
        elif end >= len(self._text):
            self._add(CUT_OFF, match.start(), end, level)
        return end

    def _is_listed(self, start: int) -> bool:
        """Whether it stands in a list of calls as Python writes them."""
        before = self._text[max(0, start - 3) : start].rstrip()
        return before.endswith("[") or (before.endswith(",") and bool(self._found) and self._found[-1].end > start - 3)

    def _value(self, match: re.Match[str]) -> int:
        value, end, _ = self._reader.at(match.start())
        level = self._level(match.start())
        for content in self._items(value):
            self._add(content, match.start(), end, level)
        return end

    def _items(self, value: Any, depth: int = 0) -> Iterator[tuple[str, Any] | str]:
        """The calls in a value, and what is wrong with others."""
        if isinstance(value, list) and depth < _MAX_NESTING:
            for item in value:
                yield from self._items(item, depth + 1)
        elif isinstance(value, Mapping) and value:
            yield from self._calls(value, depth)

    def _calls(self, item: Mapping[Any, Any], depth: int) -> Iterator[tuple[str, Any] | str]:
        given = next((name for name in _ARGUMENTS if name in item), None)
        key = next((key for key in _NAMES if self._is_name(key, item.get(key), given is not None)), None)
        if key is None and not set(item) <= set(self._tools):
            inner = [one for value in item.values() for one in self._items(value, depth + 1)]
            good = [one for one in inner if isinstance(one, tuple) or one == CUT_OFF]
            problem = f'{truncate(repr(dict(item)), 80)} names no tool: each call is {{"tool": NAME, ...}}.'
            yield from good or [problem if getattr(item, "is_whole", True) else CUT_OFF]
        elif not (getattr(item, "is_whole", True) or getattr(item.get(given), "is_whole", False)):
            yield CUT_OFF
        elif key is None:
            yield from ((name, _object(arguments)) for name, arguments in item.items())
        else:
            name = self._name(item[key])
            own = self._tools.get(name, {}).get("properties", ())
            if isinstance(item.get(given), Mapping) and {"type", "properties"} <= set(item[given]):
                return  # It is the schema of a tool.
            rest = {str(k): v for k, v in item.items() if k != key and (k in own or k not in _COMMENTS)}
            yield name, rest if given is None else _object(item[given])

    def _is_name(self, key: str, value: Any, has_arguments: bool) -> bool:
        """Whether a value is the name of a tool that is called."""
        if not isinstance(value, str) or value.startswith("multi_tool_use"):
            return False
        if self._name(value) in self._tools:
            return True
        return key != "type" and (has_arguments or key != "name") and " " not in value.strip()

    def _name(self, name: str) -> str:
        """The name of a tool, without what models put around it."""
        if name in self._tools:
            return name
        short = _PREFIX.sub("", _PREFIX.sub("", name.strip()))
        last = short.rpartition(".")[2]
        return last if last in self._tools else short

    def _by_name(self, name: str, arguments: Mapping[Any, Any]) -> dict[str, Any]:
        """The arguments of a call by their names, which those by position lack."""
        if list(arguments) == [0] and isinstance(arguments[0], Mapping):
            return dict(arguments[0])
        names = list(self._tools.get(name, {}).get("properties", ()))
        return {names[k] if k in range(len(names)) else str(k): v for k, v in arguments.items()}

    def _arguments(self, name: str, position: int) -> tuple[Any, int, bool]:
        """The arguments that follow a name, where they end, and whether they are whole."""
        body = _BODY.match(self._text, position)
        assert body is not None
        start = body.end()
        if self._text[start : start + 1] in ("{", "("):
            value, end, is_whole = self._reader.at(start)
            fence = _AFTER_FENCED_BODY.match(self._text, end) if body[1] else None
            return self._by_name(name, value), fence.end() if fence else end, is_whole
        arguments: dict[str, Any] = {}
        schema = self._tools.get(name, {})
        while found := _PARAMETER.match(self._text, start):
            if found[3] and found[3] not in schema.get("properties", {}):
                break
            tag = found[3] or ("arg_value" if found[2] else "parameter")
            end_tag = re.compile(_PARAMETER_END.replace("TAG", tag)).search(self._text, found.end())
            if end_tag is None:
                return arguments, len(self._text), False
            key, text = found[found.lastindex or 0], self._text[found.end() : end_tag.start()]
            arguments[key] = _typed(text, (schema.get("properties", {}).get(key) or {}).get("type"))
            start = end_tag.end()
        if closed := _CLOSED.match(self._text, start):
            return arguments, closed.end(), True
        return arguments, start, set(schema.get("required", ())) <= set(arguments)


def _typed(text: str, kind: str | None) -> Any:
    """The text of a parameter as what its schema asks for."""
    text = text.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
    values = [] if kind == "string" else json_values(f"[{text.strip()}]")
    return values[0][0] if len(values) == 1 and isinstance(values[0], list) and len(values[0]) == 1 else text


def is_silent(reply: Reply) -> bool:
    """Whether a reply has neither a native call nor words besides reasoning."""
    return not reply.tool_calls and not without_reasoning(reply.text).strip()


def without_reasoning(text: str) -> str:
    """A text without its reasoning, for replies that are no calls, such as programs.

    >>> without_reasoning("Or so?</think><think>Hm.</think>Yes.")
    'Yes.'
    """
    ends = list(_THOUGHTS_END.finditer(rest := _REASONING.sub("", text)))
    return rest[ends[-1].end() :] if ends else rest


def _object(arguments: Any) -> Any:
    """Arguments that are a text as the object in it, if there is one; none are an empty object."""
    if arguments is None or arguments in ([], ""):
        return {}
    if not isinstance(arguments, str):
        return arguments
    values = json_values(arguments)
    if len(values) == 1 and isinstance(values[0], Parsed):
        return values[0]
    inner = _typed(arguments, None)
    return _object(inner) if isinstance(inner, str) and len(inner) < len(arguments) else arguments
