"""Edit programs that call each method, function and operator with the largest values, over and over."""

import ast

from formgym.envs.documents.programs.budget import EXCEPTIONS
from formgym.envs.documents.programs.python_functions import BINARY, BUILTINS, COMPARE, METHODS, UNARY
from formgym.envs.documents.programs.values import OrderedSet, Record

START = [
    "text = 'ab' * 2400",
    "items = list(range(4900))",
    "pair = tuple(items)",
    "table = dict.fromkeys(items, 1)",
    "group = set(items)",
    "numbers = range(4900)",
    "words = ['a b'] * 1200",
    "nested = [[0] * 60] * 80",
    "deep = ()",
    "for i in range(90): deep = (deep, i)",
    "error = ValueError(text)",
    "kinds = (str,) * 1200",
    "template = '{0!r:.0}' * 600",
    "first = lambda one: one",
]
"""Values that are nearly as large as they may be, two of them together as well."""
HOLDERS = {str: "text", list: "items", tuple: "pair", dict: "table", OrderedSet: "group", Record: "document"}
METHOD_ARGUMENTS = {
    "format": ["text", "words"], "join": ["words", "text"], "replace": ["'a', 'cc'", "text, text"],
    "center": ["4900"], "ljust": ["4900"], "rjust": ["4900"], "zfill": ["4900"], "fromkeys": ["items, nested"],
    "extend": ["items"], "update": ["table", "group"], "insert": ["0, nested"], "sort": ["", "key=first"],
    "setdefault": ["pair, nested"], "pop": ["", "0", "pair, nested"], "get": ["pair, nested"], "split": ["'a'", ""],
    "copy": [""], "clear": [""], "reverse": [""], "keys": [""], "values": [""], "items": [""],
}  # fmt: skip
"""What methods take that take something else than any large value."""
ANY_ARGUMENTS = {
    str: ["", "text"], list: ["nested"], tuple: ["pair"], dict: ["", "pair"], OrderedSet: ["pair", "group"],
}  # fmt: skip
FUNCTION_ARGUMENTS = {
    "divmod": ["999999999999, 7"], "filter": ["first, items", "str.lower, words"], "format": ["error, '>999'"],
    "getattr": ["document, text, nested"], "hasattr": ["document, text"], "isinstance": ["items, kinds"],
    "map": ["first, items", "str.split, words", "len, nested"], "max": ["nested", "items, key=first", "*items"],
    "min": ["nested", "items, key=first", "*items"], "next": ["iter(items), nested"], "print": ["*items, sep=text"],
    "range": ["0, 10 ** 12, 10 ** 9"], "round": ["999999999999.5, 12"], "sorted": ["nested", "words, key=first"],
    "sum": ["nested, []", "[[]] * 2400, items", "items"], "zip": ["items, pair", "*nested"], "int": ["'9' * 4200"],
    "enumerate": ["items"],
}  # fmt: skip
LARGE_ARGUMENTS = ["nested", "text"]
EXCEPTION_ARGUMENTS = ["nested"]
OPERANDS = ["text", "group", "nested"]
STARS = ["[*items]", "(*nested,)", "{*pair}", "{**table}", "callable(*items)", "len(**table)", "first(*nested)",
         "dict(**{'a': nested})", "print(*nested)", "f'{nested!r:.0}{text:>999}'", "f'{error}{deep}'"]  # fmt: skip
BLOCKS = [
    "one, *rest = text", "assert False, nested", "raise error", "x = table[pair]", "x = items[::-1]",
    "x = {pair: nested}", "x = {pair for i in words}", "x = {pair: i for i in words}", "for x, y in nested: pass",
    "items += items", "x = numbers[nested:]", "x = ', '.join(words)", "x = list(text[:3000])", "x = not nested",
    "x = nested and text or deep", "table[deep] = deep", "x = document.title", "x = repr(deep) + str(error)",
    "x = template.format(items)", "x = str.join(text, words)", "x = list.sort(items)", "x = dict.fromkeys(items)",
]  # fmt: skip
SIGNS = {"LtE": "<=", "GtE": ">=", "NotEq": "!=", "Eq": "==", "Lt": "<", "Gt": ">", "In": "in", "NotIn": "not in",
        "Is": "is", "IsNot": "is not", "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%",
        "Pow": "**", "USub": "-", "UAdd": "+", "Not": "not"}  # fmt: skip


def _works():
    for kind, table in METHODS.items():
        for name in table:
            for arguments in METHOD_ARGUMENTS.get(name, ANY_ARGUMENTS.get(kind, [])):
                yield f"x = {HOLDERS[kind]}.{name}({arguments})"
    for name in BUILTINS:
        for arguments in FUNCTION_ARGUMENTS.get(name, EXCEPTION_ARGUMENTS if name in EXCEPTIONS else LARGE_ARGUMENTS):
            yield f"x = {name}({arguments})"
    for op in (*BINARY, *COMPARE):
        yield from (f"x = {operand} {SIGNS[op.__name__]} {operand}" for operand in OPERANDS)
    for op in UNARY:
        yield f"x = {SIGNS[op.__name__]} nested"
    yield from (f"x = {star}" for star in STARS)
    yield from BLOCKS


def largest_programs():
    """The bodies of the programs, as lines."""
    for work in _works():
        ast.parse(work)
        yield [*START, "while True:", "    try:", f"        {work}", "    except Exception: pass"]
