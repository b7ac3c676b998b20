"""Rewrite programs so that their work is counted, in steps, and what the sandbox lacks of Python works.

The sandbox limits memory and the depth of calls, but work by the clock alone, and then the outcome of a program would
depend on how fast a machine is. So each turn of a loop and each call of a function is a step, and what an operation
works on costs as many steps as it is large: with all that is in it where values are compared, written or hashed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

MAX_STEPS = 100_000
"""The maximum number of steps of a program."""
PREFIX = "_meter"
"""What the names of the counting functions in the sandbox begin with; programs may use none such."""
STOP = f"{PREFIX}_stop"
"""The function of the host that is called when no steps are left."""
MAX_BITS = 128
"""The maximum size of a whole number in a program."""
MAX_RANGE = 100_000
"""The maximum length of a range."""

METER = (
    f"""
_meter_left, _meter_bits, _meter_longest = {MAX_STEPS}, {MAX_BITS}, {MAX_RANGE}
_meter_large = "a whole number has at most {MAX_BITS} bits"
"""
    + """import collections as _meter_collections
import itertools as _meter_itertools
import math as _meter_math
_meter_type, _meter_len, _meter_isinstance, _meter_range = type, len, isinstance, range
_meter_list, _meter_int, _meter_tuple, _meter_dict = list, int, tuple, dict
_meter_plain = {int, float, bool, type(None)}
_meter_holders = (list, tuple, _meter_collections.deque, dict, set, frozenset)
_meter_texts = (str, bytes)
_meter_lazy = [iter([]), map(str, []), zip(), filter(str, []), enumerate([]), reversed([])]
_meter_lazy += [_meter_itertools.count(), _meter_itertools.cycle([0]), _meter_itertools.repeat(0)]
_meter_lazy += [_meter_itertools.product(), _meter_itertools.permutations([]), _meter_itertools.combinations([], 1)]
_meter_iterators = {type(one) for one in _meter_lazy}
_meter_error, _meter_pow_of, _meter_print = ValueError, pow, print

def _meter_spend(steps):
    global _meter_left
    _meter_left -= steps
    if _meter_left < 0:
        _meter_stop()
        # No program can catch this.
        [0] * 10**12
    return True

def _meter_tick():
    global _meter_left
    _meter_left -= 1
    return _meter_left >= 0 or _meter_spend(0)

def _meter_number(value):
    if _meter_type(value) is _meter_int and not -(2**_meter_bits) < value < 2**_meter_bits:
        raise _meter_error(_meter_large)
    return value

def _meter_flat(value):
    global _meter_left
    _meter_left -= 1
    kind = _meter_type(value)
    if kind in _meter_plain:
        _meter_number(value)
    elif kind in _meter_texts or _meter_isinstance(value, _meter_holders):
        _meter_spend(1 + _meter_len(value) // 8)
    return value

def _meter_deep(value):
    kind = _meter_type(value)
    if kind in _meter_plain or kind in _meter_texts:
        return _meter_flat(value)
    if kind is _meter_range:
        _meter_spend(_meter_len(value))
        return value
    rest = [value]
    while rest:
        one = rest.pop()
        if not _meter_isinstance(one, _meter_holders):
            _meter_spend(1)
            continue
        _meter_spend(1 + _meter_len(one))
        if _meter_isinstance(one, _meter_dict):
            one = [*one.keys(), *one.values()]
        for part in one:
            kind = _meter_type(part)
            if kind in _meter_texts:
                _meter_spend(_meter_len(part) // 8)
            elif kind not in _meter_plain:
                rest.append(part)
    return value

def _meter_sought(value):
    return value if _meter_isinstance(value, _meter_holders[3:]) else _meter_whole(value)

def _meter_whole(value):
    # What an iterator gives is not known before it has given it.
    return _meter_deep(_meter_list(value) if _meter_type(value) in _meter_iterators else value)

def _meter_matched(value, patterns):
    for i in _meter_range(patterns):
        _meter_deep(value)
    return value

def _meter_spread(value):
    if _meter_type(value) in _meter_texts or _meter_isinstance(value, _meter_holders):
        _meter_spend(_meter_len(value))
    return value

def _meter_format(template, *values, **named):
    if _meter_type(template) in _meter_texts[:1]:
        for i in _meter_range(template.count("{")):
            _meter_deep(values)
            _meter_deep(named)
    return template.format(*values, **named)

def _meter_pow(base, exponent):
    if _meter_type(exponent) is _meter_int and _meter_type(base) is _meter_int:
        if exponent > _meter_bits and not -2 < base < 2:
            raise _meter_error(_meter_large)
    return _meter_number(_meter_number(base) ** _meter_number(exponent))

def _meter_times(left, right):
    # What is empty takes no memory, however often it is repeated.
    if _meter_type(right) is _meter_int and _meter_type(left) not in _meter_plain:
        _meter_spend(right // 1_000 if right > 0 else 0)
    if _meter_type(left) is _meter_int and _meter_type(right) not in _meter_plain:
        _meter_spend(left // 1_000 if left > 0 else 0)
    return _meter_flat(_meter_flat(left) * _meter_flat(right))

def _meter_shift(value, places):
    if _meter_type(places) is _meter_int and places > _meter_bits:
        raise _meter_error(_meter_large)
    return _meter_number(_meter_number(value) << places)

def _meter_key(function):
    # Comparing values costs more than making them.
    return function and (lambda *given: _meter_deep(function(*given)))

def _meter_small(value):
    if _meter_type(value) is _meter_tuple:
        return _meter_tuple([_meter_small(one) for one in value])
    if _meter_type(value) is _meter_int and not -1_000 <= value <= 1_000:
        raise _meter_error("factorials and their like are of numbers up to 1,000")
    return value

def _meter_prod(values, start=1):
    for value in values:
        _meter_tick()
        start = _meter_times(start, value)
    return start

def _meter_lcm(*values):
    multiple = 1
    for value in values:
        _meter_tick()
        multiple = _meter_number(_meter_math.lcm(multiple, _meter_number(value)))
    return multiple

def range(*bounds):
    _meter_spend(5)
    numbers = _meter_range(*bounds)
    if _meter_len(numbers) > _meter_longest:
        raise _meter_error(f"a range has at most {_meter_longest:,} numbers")
    return numbers

def print(*values, sep=" ", end="\\n", file=None, flush=False):
    _meter_spend(_meter_len(values) * (1 + _meter_len(sep or " ") // 8))
    _meter_print(*values, sep=sep, end=end)

def sum(values, start=0):
    for value in values:
        _meter_tick()
        start = start + value
        _meter_flat(start)
    return start

def pow(base, exponent, mod=None):
    return _meter_pow(base, exponent) if mod is None else _meter_pow_of(base, exponent, mod)
"""
)
"""Python that defines what counts, and the functions of Python that must count inside."""

_TYPES = {"str": str, "list": list, "dict": dict, "set": set}
_METHODS = {name for kind in _TYPES.values() for name in vars(kind) if not name.startswith("_")} - {"title"}
"""Names of methods; ``document.title`` is a text."""
_OF_CLASSES = {"fromkeys", "maketrans"}
_CHEAP = {"len", "isinstance", "type", "range", "enumerate"}
"""Functions that do not look at what is in their first argument."""
_COMPARING = {"max", "min", "sorted", "set", "frozenset", "dict", "list", "tuple", "any", "all", "reduce", "deque"}
"""Functions that look at all that an iterator gives."""
_DEEP_METHODS = set(
    "sort index count remove format format_map join update union intersection difference symmetric_difference issubset "
    "issuperset isdisjoint copy extend".split()
)
"""Methods that look at all that is in the value they belong to."""
_OPERATORS: dict[type[ast.operator], str] = {ast.Pow: "pow", ast.LShift: "shift", ast.Mult: "times"}
_FACTORIALS = {"factorial", "comb", "perm"}
_OF_MATH = {"prod", "lcm"}
"""Functions that are counted inside, too."""


def parse_quietly(code: str) -> ast.Module:
    """The syntax tree of Python, without warnings of what is in it.

    Raises:
        SyntaxError: if it is not Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


def metered(code: str) -> tuple[ast.Module, str]:
    """A program whose steps are counted: its tree, with the lines of the program, and its text.

    >>> print(metered("areas = [size * 2 for size in sizes]")[1])
    areas = [_meter_times(size, 2) for size in sizes if _meter_tick()]
    """
    tree = _Rewriting().visit(parse_quietly(code))
    return tree, ast.unparse(tree)


def line_in(tree: ast.Module, text: str, line: int, column: int) -> int | None:
    """The line of a program, of which ``metered`` made a tree and a text, from a place in this text, from 1."""
    at = len("".join(text.split("\n")[line - 1][: column - 1]).encode())
    found = None
    for old, new in zip(_placed(tree), _placed(parse_quietly(text)), strict=False):
        if type(old) is not type(new):
            break
        if isinstance(new, ast.expr | ast.stmt) and hasattr(old, "lineno"):
            start, end = (new.lineno, new.col_offset), (new.end_lineno or line, new.end_col_offset or at)
            found = old.lineno if start <= (line, at) <= end else found
    return found


def _placed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree in the order of the text, without those in f-strings, which have no place of their own."""
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _placed(child)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"{PREFIX}_{name}", ast.Load()), list(arguments), [])


def _counted(name: str, node: ast.expr) -> ast.expr:
    """An expression whose value is counted."""
    if isinstance(node, ast.Starred):
        return ast.copy_location(ast.Starred(_counted(name, node.value), node.ctx), node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith(PREFIX):
        # One of both counts is enough.
        node = node.args[0] if node.func.id in (f"{PREFIX}_{name}", f"{PREFIX}_flat") else node
    return node if isinstance(node, ast.Constant) else ast.copy_location(_call(name, node), node)


def _copies(target: ast.AST) -> bool:
    """Whether assigning to a target copies what a value holds: ``first, *rest`` and ``values[1:]``."""
    return any(isinstance(part, ast.Starred | ast.Slice) for part in ast.walk(target))


class _Rewriting(ast.NodeTransformer):
    """Puts the counting functions around expressions and into blocks."""

    def _block(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(_call("tick")), node))  # type: ignore[attr-defined]
        return node

    visit_While = visit_AsyncFor = visit_FunctionDef = visit_AsyncFunctionDef = _block

    def visit_For(self, node: ast.For) -> ast.AST:
        self._block(node)
        node.iter = _counted("whole", node.iter) if _copies(node.target) else node.iter
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = ast.copy_location(ast.BoolOp(ast.And(), [_call("tick"), node.body]), node.body)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, _call("tick"))
        node.iter = _counted("whole", node.iter) if _copies(node.target) else node.iter
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        parts = [part for case in node.cases for part in ast.walk(case.pattern)]
        looks = sum(isinstance(part, ast.MatchStar | ast.MatchMapping | ast.MatchValue) for part in parts)
        self.generic_visit(node)
        node.subject = ast.copy_location(_call("matched", node.subject, ast.Constant(1 + looks)), node.subject)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        # A pattern is no expression.
        pattern, node.pattern = node.pattern, ast.MatchAs()
        self.generic_visit(node)
        node.pattern = pattern
        return node

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        how = "whole" if any(map(_copies, targets)) else "spread"
        if node.value and (how == "whole" or any(isinstance(one, ast.Tuple | ast.List) for one in targets)):
            node.value = _counted(how, node.value)
        return node

    visit_AnnAssign = visit_Assign

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        old: ast.expr = ast.parse(ast.unparse(node.target), mode="eval").body
        if (name := _OPERATORS.get(type(node.op))) is not None:
            return ast.copy_location(ast.Assign([node.target], _call(name, old, node.value)), node)
        node.value = _counted("deep" if isinstance(node.op, ast.Mod) else "flat", node.value)
        if any(isinstance(part, ast.Call) for part in ast.walk(old)):
            return node
        return [ast.copy_location(ast.Expr(_call("flat", old)), node), node]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.msg = node.msg and _counted("deep", node.msg)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        node.func = self._function(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        how = "small" if method in _FACTORIALS else "whole" if (method or name) in _COMPARING else "deep"
        is_cheap = (name in _CHEAP or method == "append") and not isinstance((node.args or [node])[0], ast.Starred)
        node.args = node.args[:is_cheap] + [_counted(how, one) for one in node.args[is_cheap:]]
        for keyword in node.keywords:
            keyword.value = _counted("key" if keyword.arg == "key" else how, keyword.value)
        if method in _OF_MATH:
            node.func = ast.Name(f"{PREFIX}_{method}", ast.Load())
        elif method == "format" and isinstance(node.func, ast.Attribute):
            node.args.insert(0, node.func.value)
            node.func = ast.Name(f"{PREFIX}_format", ast.Load())
        return node if method in ("append", "get") else _counted("flat", node)

    def _function(self, node: ast.expr) -> ast.expr:
        """What is called; a method is no value here."""
        if not isinstance(node, ast.Attribute):
            return self.visit(node)  # type: ignore[no-any-return]
        if (taken := self._of_type(node)) is not None:
            return taken
        node.value = self.visit(node.value)
        if node.attr not in ("append", "get"):
            node.value = _counted("deep" if node.attr in _DEEP_METHODS else "flat", node.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or node.attr not in _METHODS | _FACTORIALS | _OF_MATH:
            return self.generic_visit(node)
        if (taken := self._of_type(node)) is not None:
            return taken
        return self._lambda("lambda *a, **k: x(*a, **k)", node)

    def _of_type(self, node: ast.Attribute) -> ast.expr | None:
        """A method of a type, such as ``str.upper``, as a function."""
        if isinstance(node.value, ast.Name) and node.value.id in _TYPES and node.attr in _METHODS - _OF_CLASSES:
            itself = ast.copy_location(ast.Name("self", ast.Load()), node)
            method = ast.copy_location(ast.Attribute(itself, node.attr, ast.Load()), node)
            return self._lambda("lambda self, *a, **k: x(*a, **k)", method)
        return None

    def _lambda(self, template: str, function: ast.expr) -> ast.expr:
        made = ast.parse(template, mode="eval").body
        assert isinstance(made, ast.Lambda)
        assert isinstance(made.body, ast.Call)
        made.body.func = function
        for part in ast.walk(made):
            if "lineno" in part._attributes:
                ast.copy_location(part, function)
        return self.visit(made)  # type: ignore[no-any-return]

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name("iter", ast.Load()), [node], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if (name := _OPERATORS.get(type(node.op))) is not None:
            return ast.copy_location(_call(name, node.left, node.right), node)
        node.left = _counted("flat", node.left)
        node.right = _counted("deep" if isinstance(node.op, ast.Mod) else "flat", node.right)
        return _counted("flat", node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return node
        node.left = _counted("deep", node.left)
        node.comparators = [
            _counted("sought" if isinstance(op, ast.In | ast.NotIn) else "deep", one)
            for op, one in zip(node.ops, node.comparators, strict=True)
        ]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not any(isinstance(one, ast.Slice) for one in getattr(node.slice, "elts", [node.slice])):
            node.slice = _counted("deep", node.slice)
        elif isinstance(node.ctx, ast.Load):
            return _counted("flat", node)
        else:
            node.value = _counted("flat", node.value)
        return node

    def visit_List(self, node: ast.List | ast.Tuple) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.elts = [_counted("spread", one) if isinstance(one, ast.Starred) else one for one in node.elts]
        return node

    visit_Tuple = visit_List

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        node.elts = [_counted("deep", one) for one in node.elts]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.values = [
            _counted("flat", one) if key is None else one for key, one in zip(node.keys, node.values, strict=True)
        ]
        node.keys = [key and _counted("deep", key) for key in node.keys]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return _counted("flat", node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = _counted("deep", self.visit(node.value))
        if node.format_spec is not None:
            self.generic_visit(node.format_spec)
        return node
