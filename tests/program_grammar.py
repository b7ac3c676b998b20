"""Edit programs at random, from the whole grammar that they may use, with arbitrary names, keywords and nesting."""

import builtins
import keyword
import textwrap

from hypothesis import strategies as st

from formgym.envs.documents.operations.modifying import TYPES
from formgym.envs.documents.programs.program import CONSTANTS, NAMES

BUILTINS = [name for name in vars(builtins) if not name.startswith("_") and callable(getattr(builtins, name))]
OURS = "self node function code arguments named weighed value template args kwargs name call holder record key".split()
FIELDS = "id type text bbox elements pages style size shape asset page fields name kind get width".split()
VARIABLES = st.sampled_from(["a", "b", "e", "x", "items", "text", *OURS])
READ = st.one_of(VARIABLES, st.sampled_from(["document", *CONSTANTS, *BUILTINS]))
KEYWORDS = st.one_of(
    st.sampled_from([*OURS, "key", "reverse", "default", "sep", "start", "object_id", "new_position", "document"]),
    st.text("abcdefxyz_é", min_size=1, max_size=6).filter(lambda s: s.isidentifier() and not keyword.iskeyword(s)),
)
WORDS = ["headline", "foot", "nobody", "the headline", "red", "color", "text", "shape", "a\nb", "", "{}", "{0.x}", "%s"]
FLOATS = st.floats(width=16, allow_nan=False, allow_infinity=False)
CONSTANT = st.one_of(
    st.sampled_from(WORDS).map(repr), st.text(max_size=8).map(repr), st.sampled_from(TYPES).map(repr),
    st.integers(-(10**12), 10**12).map(str), st.integers(-3, 12).map(str), FLOATS.map(repr),
    st.sampled_from(["None", "True", "False", "[]", "{}", "()", "...", "1_000_000", "0x" + "f" * 32, "0o7_7", "1e999"]),
    st.sampled_from([r"b'a\x00'", r"rb'\d'", "1j", "'a' * 10**6", "9" * 38, r"'\N{BULLET}'", "u'é' 'b'"]),
)  # fmt: skip
METHOD_NAMES = sorted({name for kind in (str, list, dict, set) for name in vars(kind) if not name.startswith("_")})
OPERATORS = "+ - * / // % ** == != < <= > >= in is and or << >> & | ^ @".split()
SPECS = st.sampled_from(["", "=", ":>99999", ":>8", ":.2f", "!r", ":999999999", ":{a}", "!s:^5"])


def _joined(parts, left="", right=""):
    return parts.map(lambda found: left + ", ".join(found) + right)


def _call(expression):
    names = st.one_of(
        st.sampled_from(NAMES), st.sampled_from(BUILTINS), VARIABLES,
        st.builds("({}).{}".format, expression, st.sampled_from(METHOD_NAMES)),
        expression.map("({})".format),
    )  # fmt: skip
    argument = st.one_of(
        expression, expression, expression.map("*{}".format), expression.map("**{}".format),
        st.builds("{}={}".format, KEYWORDS, expression),
    )  # fmt: skip
    # Python wants plain arguments first.
    arguments = st.lists(argument, max_size=4).map(
        lambda found: sorted(found, key=lambda one: "=" in one or "**" in one)
    )
    return st.builds("{}({})".format, names, _joined(arguments))


def _larger(expression):
    loop = st.builds(" for {} in {}".format, VARIABLES, expression)
    some = st.lists(expression, max_size=3)
    return st.one_of(
        _call(expression), _call(expression),
        _joined(some, "[", "]"), expression.map("({},)".format), _joined(st.lists(expression, min_size=1), "{*", "}"),
        st.builds("{{{}: {}}}".format, expression, expression),
        st.builds("({} {} {})".format, expression, st.sampled_from(
            [*OPERATORS, "not in", "is not"]), expression),
        st.builds("({} {})".format, st.sampled_from(["not", "-", "+", "~"]), expression),
        st.builds("({} := {})".format, VARIABLES, expression),
        st.builds("({} < {} == {})".format, expression, expression, expression),
        st.builds("({})[{}:{}:{}]".format, expression, expression, expression, expression),
        st.builds("[*{}, {}, *{}]".format, expression, expression, expression),
        st.builds("{{**{}, {}: {}}}".format, expression, expression, expression),
        st.builds("({} if {} else {})".format, expression, expression, expression),
        st.builds("({})[{}]".format, expression, expression),
        st.builds("({})[{}:{}]".format, expression, expression, expression),
        st.builds("({}).{}".format, expression, st.sampled_from(FIELDS)),
        st.builds("(lambda {}: {})".format, _joined(st.lists(KEYWORDS, max_size=2, unique=True)), expression),
        st.builds("[{}{}]".format, expression, loop), st.builds("({}{} if {})".format, expression, loop, expression),
        st.builds("{{{}{}}}".format, expression, loop), st.builds("{{{}: {}{}}}".format, VARIABLES, expression, loop),
        st.builds("f'{{{}{}}} {{{}}}'".format, READ, SPECS, VARIABLES),
    )  # fmt: skip


EXPRESSION = st.recursive(st.one_of(CONSTANT, READ), _larger, max_leaves=8)
TARGET = st.one_of(
    VARIABLES, VARIABLES, st.builds("{}[{}]".format, VARIABLES, EXPRESSION),
    st.builds("{}, *{}".format, VARIABLES, VARIABLES), st.builds("({}, {})".format, VARIABLES, VARIABLES),
)  # fmt: skip
SIMPLE = st.one_of(
    EXPRESSION, _call(EXPRESSION), st.builds("{} = {}".format, TARGET, EXPRESSION),
    st.builds("{} {}= {}".format, TARGET, st.sampled_from("+ - * / // % ** << | &".split()), EXPRESSION),
    st.builds("{}: {} = {}".format, VARIABLES, READ, EXPRESSION),
    st.builds("assert {}, {}".format, EXPRESSION, EXPRESSION), st.builds("raise {}".format, EXPRESSION),
    st.builds("return {}".format, EXPRESSION), st.sampled_from(["pass", "break", "continue", "raise"]),
    st.sampled_from(["del x", "global x", "import math, re as r"]),
    st.builds("DELETE({})".format, st.sampled_from(["'foot'", "'band'", "document.elements[0]", "x"])),
)  # fmt: skip


def _block(statements):
    return textwrap.indent("\n".join(statements), "    ")


def _compound(statement):
    block = st.lists(statement, min_size=1, max_size=3).map(_block)
    kinds = st.sampled_from(["Exception", "ValueError", "(KeyError, TypeError)", "x", "NameError"])
    return st.one_of(
        st.builds("if {}:\n{}\nelse:\n{}".format, EXPRESSION, block, block),
        st.builds("for {} in {}:\n{}".format, TARGET, EXPRESSION, block),
        st.builds("while {}:\n{}".format, EXPRESSION, block),
        st.builds("try:\n{}\nexcept {} as {}:\n{}\nfinally:\n{}".format, block, kinds, VARIABLES, block, block),
        st.builds("@{}\ndef ﬁx(a, x={}, *y, z: {} = 1, **k) -> {}:\n{}\nﬁx(1)".format, READ, EXPRESSION, READ, READ,
                  block),
        st.builds("def f(x, /, y={}, *, z=2):\n{}\nx = f({})".format, EXPRESSION, block, EXPRESSION),
        st.builds("class A:\n{}\nx = A()".format, block),
        st.builds("with {} as x:\n{}".format, EXPRESSION, block),
        st.builds("match {}:\n    case [1, *y] if y:\n{}".format, EXPRESSION, block.map(
            lambda inner: textwrap.indent(inner, "    "))),
        st.builds("try:\n{}\nexcept:\n{}\nelse:\n{}".format, block, block, block),
    )  # fmt: skip


def programs():
    """Programs, most of which can be parsed."""
    statement = st.recursive(SIMPLE, _compound, max_leaves=6)
    start = (
        "a = [3, 1, 2]\nb = {'a': 1}\ne = document.elements[0]\nx = 'foot'\nitems = []\ntext = 'a b'\n"
        + " = ".join([*OURS, "7"])
    )
    return st.lists(statement, min_size=1, max_size=6).map(
        lambda found: "def main(document):\n" + textwrap.indent("\n".join([start, *found]), "    ") + "\n"
    )
