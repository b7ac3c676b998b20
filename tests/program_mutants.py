"""Run as a script: mutants of edit programs, by bytes and by tokens, each on the environment, until there are so many.

``python tests/program_mutants.py 1000000 --seed 1`` tells the costliest, and exits with 1 if one costs more than a
second of the processor or an exception comes out of ``step``; ``make fuzz-programs N=…`` runs it.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from random import Random
from typing import Annotated, Any

import typer
from paths import DATA
from program_costs import Cost, costs

from formgym.envs.documents.programs.program import parsed
from formgym.envs.documents.programs.sandbox import ProgramError

MAX_SECONDS = 1.0
"""The maximum processor time of a program."""
_ALPHABET = "()[]{}:=,.+-*/%<>!&|^~@'\"\\# \n\t_0123456789aefixrlb\0é\ud800\u2028ﬁ𝔘"
_BATCH = 1_000
_PARTS: tuple[type[ast.AST], ...] = (ast.expr, ast.stmt, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def corpus() -> list[str]:
    """The programs that are mutated: what models write, what is hostile and what is costly."""
    lines = [row["code"] for row in _read("model_programs")] + _read("costly_programs")[::4]
    largest = _read("largest_programs")
    lines += [[*largest["start"], one] for one in largest["works"][::6]]
    extra = ["def f(a, b=1, *c, d: int = 2, **e) -> int: return a", "x = 0x" + "f" * 60, "x = 1_000_000 ** 3",
             "x = [a for b in [[1]] for a in b if a]", "x = b'a\\x00' + rb'b'", "x = {**{}, 'a': 1}[('a')]",
             "with x as y, z: pass", "x = f'{1:>{9}}' rf'{2!r}' '''a'''", "x: list[int] = (y := [1])[::-1]",
             "class A:\\n    b = 1", "try: pass\\nexcept* ValueError: pass", "async def f(): await x",
             "match x:\\n    case [1, *y] if y: pass", "lambda a, /, b=lambda: 1, *, c: (yield)",
             "@str\\ndef f(): pass",
             "x = 'a' * 10**7", "import itertools, decimal, re, json, functools, collections, math",
             "x = 1e999 - 0b1 ** 0o7 // 2j", "x = not -+~1 << 2 >> 3", "del x, y[0], z.a",
             "nonlocal x", "global x"]  # fmt: skip
    bodies = ["".join(f"    {line}\n" for line in one) for one in lines]
    bodies += ["".join(f"    {line}\n" for line in one.replace("\\n", "\n").split("\n")) for one in extra]
    return [*(f"def main(document):\n{body}" for body in bodies), *_read("hostile_programs")]


def _read(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def mutants(seed: int, grafts: float = 0.1) -> Iterator[str]:
    """Programs like those of the corpus, without end; ``grafts`` of them by trees, the others by tokens and bytes."""
    rng, programs = Random(seed), corpus()
    pieces = [_pieces(code) for code in programs]
    words = sorted({word for one in pieces for word in one})
    whole = [code for code in programs if _can_be_parsed(code)]
    trees = [ast.parse(code) for code in whole]
    parts = {kind: [node for tree in trees for node in ast.walk(tree) if isinstance(node, kind)] for kind in _PARTS}
    while True:
        if rng.random() < grafts:
            yield _grafted(ast.parse(rng.choice(whole)), parts, rng)
            continue
        tokens, other = list(rng.choice(pieces)), rng.choice(pieces)
        for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
            _mutate(tokens, other, words, rng)
        code = "".join(tokens)
        for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 2])):
            at = rng.randrange(len(code) + 1)
            code = (
                code[:at]
                + rng.choice(["", rng.choice(_ALPHABET), code[at : at + 1] * 9])
                + code[at + rng.randrange(2) :]
            )
        yield code


def _can_be_parsed(code: str) -> bool:
    try:
        parsed(code)
    except ProgramError:
        return False
    return True


def _grafted(tree: ast.Module, parts: dict[type[ast.AST], list[Any]], rng: Random) -> str:
    """A program with expressions and statements of others in the places of some."""
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        places = [(node, name) for node in ast.walk(tree) for name, _ in ast.iter_fields(node)]
        node, name = rng.choice(places)
        value = getattr(node, name)
        if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
            setattr(node, name, deepcopy(rng.choice(parts[ast.expr])))
        elif isinstance(value, list) and value and isinstance(value[0], ast.expr | ast.stmt):
            kind: type[ast.AST] = ast.expr if isinstance(value[0], ast.expr) else ast.stmt
            at = rng.randrange(len(value) + 1)
            value[at : at + rng.randrange(2)] = [
                deepcopy(rng.choice(parts[kind])) for _ in range(rng.choice([1, 1, 2, 9]))
            ]
        elif isinstance(value, ast.operator | ast.unaryop | ast.cmpop | ast.boolop):
            kind = next(kind for kind in _PARTS if isinstance(value, kind))
            setattr(node, name, rng.choice(parts[kind]))
    try:
        return ast.unparse(tree)
    except (ValueError, RecursionError, TypeError, AttributeError):
        return ""


def _pieces(code: str) -> list[str]:
    """The tokens of a program and what is between them; words where it has none."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, UnicodeEncodeError):
        return [part for word in code.split(" ") for part in (word, " ")]
    lines, found, end = code.splitlines(keepends=True), [], (1, 0)
    for token in tokens:
        if token.start > end:
            between = lines[end[0] - 1 : token.start[0]]
            text = "".join(between)[end[1] :]
            found.append(
                text[: len(text) - len(between[-1]) + token.start[1]]
                if len(between) > 1
                else between[0][end[1] : token.start[1]]
            )
        found.append(token.string)
        end = token.end
    return [one for one in found if one]


def _mutate(tokens: list[str], other: list[str], words: list[str], rng: Random) -> None:
    """Change a token, or some."""
    at, kind = rng.randrange(len(tokens) + 1), rng.randrange(8)
    until = at + rng.choice([1, 1, 2, 5, 20])
    if kind == 0:
        del tokens[at:until]
    elif kind == 1:
        tokens[at:at] = tokens[at:until] * rng.choice([1, 1, 2, 8, 60])
    elif kind == 2:
        tokens[at : at + 1] = [rng.choice(words)]
    elif kind == 3:
        start = rng.randrange(len(other) + 1)
        tokens[at : at + rng.randrange(2)] = other[start : start + rng.choice([1, 3, 10, 99])]
    elif kind == 4:
        tokens.insert(
            at, rng.choice(["9" * 30, "10**9", "'a' * 10**6", "range(10**9)", "[[]] * 9**7", "(x, x)", "1e308"])
        )
    elif kind == 5:
        opening, closing = rng.choice(
            ["()", "[]", "{}", ("str(", ")"), ("(lambda: ", ")()"), ("[*", "]"), ("f'{", "}'")]
        )
        n = rng.choice([1, 1, 2, 9, 40])
        tokens[at:until] = [opening * n, *tokens[at:until], closing * n]
    elif kind == 6 and at < len(tokens):
        far = rng.randrange(len(tokens))
        tokens[at], tokens[far] = tokens[far], tokens[at]
    else:
        tokens.insert(
            at, rng.choice(["\n    ", "\n        ", "while True: ", "for x in x: ", "try: ", " if ", " for "])
        )


def _kind(cost: Cost) -> str:
    known = (
        "program ran",
        "syntax error",
        "changed nothing",
        "steps",
        "more memory",
        "nested",
        "not defined",
        "there is",
    )
    return next((one for one in known if one in cost.feedback), "another error")


def main(
    count: Annotated[int, typer.Argument(help="how many mutants")] = 10_000,
    seed: Annotated[int, typer.Option(help="other seeds make others")] = 0,
    grafts: Annotated[float, typer.Option(help="the share by trees, which cost more and are valid Python")] = 0.1,
) -> None:
    """Run mutants of programs."""
    source, kinds, worst, bad = mutants(seed, grafts), Counter[str](), Cost("", 0, 0, "", False), 0
    for first in range(0, count, _BATCH):
        # Cases that are bad are written at once, for what is later may end the process.
        for cost in costs(list(islice(source, min(_BATCH, count - first))), "concert_poster"):
            kinds[_kind(cost)] += 1
            worst = max(worst, cost, key=lambda one: one.seconds)
            if cost.broke or cost.seconds > MAX_SECONDS:
                bad += 1
                print(json.dumps([round(cost.seconds, 2), cost.feedback, cost.code]), flush=True)
        print(f"{min(first + _BATCH, count):,} of {count:,}, {bad} bad, worst {worst.seconds:.2f} s", file=sys.stderr)
    print(
        json.dumps({"mutants": count, "seed": seed, "bad": bad, "worst": [worst.seconds, worst.code], "kinds": kinds})
    )
    raise typer.Exit(bool(bad))


if __name__ == "__main__":
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(main)
    app()
