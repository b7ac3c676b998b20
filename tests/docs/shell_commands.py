"""Commands of shell blocks: how they are set up, and whether those of formgym are what it takes."""

import re
import shlex
import tomllib
from functools import cache

import typer
from hydra import compose, initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Sweep
from markdown_pages import ROOT

from formgym.experiments.cli import app
from formgym.experiments.running.command_line import register_choices, register_resolver, with_names_listed

CONFIGURED = {"evaluate": "sweep", "sweep": "sweep", "train": "train"}
"""Verbs that are configured by Hydra, each with its configuration."""
_SET_UP = re.compile(
    r"(sudo )?(pip |python3? -m (pip|venv) |uv |git clone |cd formgym$|\. |source |apt-get |make\b|pre-commit )"
)
_UsageError = typer.BadParameter.__base__
_ENDS = re.compile(r"[;&|()<>]+")


def lines_of(code):
    """Lines of a shell block, those that are continued as one."""
    return re.sub(r"\\\n\s*", " ", code).splitlines()


def without_set_up(code):
    """A shell block without its lines that install, clone or build."""
    return "\n".join(":" if _SET_UP.match(line.strip()) else line for line in lines_of(code))


def check_set_up(line):
    """Extras that are installed and targets that are made must be there."""
    words = shlex.split(line, comments=True)
    if _SET_UP.match(line.strip()) and "install" in words:
        for extras in re.findall(r"(?:\.|formgym)\[([\w,-]+)\]", line):
            assert set(extras.split(",")) <= _extras(), f"{line!r}: no such extra"
    if words and words[0] == "make":
        for target in (word for word in words[1:] if "=" not in word and not word.startswith("-")):
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), f"{line!r}: no such target"


@cache
def _extras():
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])


def formgym_commands(code):
    """The arguments of each command of formgym in a shell block."""
    for line in lines_of(code):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.wordchars += "[]{}=,:*@%+!$^"
        words = list(lexer)
        for at, word in enumerate(words):
            runs = at == 0 or _ENDS.fullmatch(words[at - 1]) or words[at - 1] in _BEFORE or "=" in words[at - 1]
            if word.rpartition("/")[2] == "formgym" and runs:
                end = next((i for i in range(at, len(words)) if _ENDS.fullmatch(words[i])), len(words))
                yield words[at + 1 : end]


_BEFORE = {"exec", "srun", "do", "time", "then", "run", "xargs"}


def parsed(arguments):
    """The verb of a command and what is left for Hydra; ``AssertionError`` if formgym does not take it."""
    command, words, verb = _commands(), list(arguments), ""
    try:
        while isinstance(command, typer.core.TyperGroup) and words and not words[0].startswith("-"):
            verb = f"{verb} {words[0]}".strip()
            assert words[0] in command.commands, f"formgym has no verb {verb!r}"
            command = command.commands[words.pop(0)]
        context = command.make_context(verb or "formgym", words)
    except typer.Exit:
        return verb, []
    except _UsageError as error:
        raise AssertionError(f"formgym {shlex.join(arguments)}: {error.format_message()}") from None
    return verb, list(context.params["overrides"] or []) if verb in CONFIGURED else []


@cache
def _commands():
    return typer.main.get_command(app)


def overrides_of(verb, arguments):
    """Parsed overrides of Hydra; ``-m`` and the like are left out."""
    named = with_names_listed([word for word in arguments if not word.startswith("-")])
    _register(named)
    return OverridesParser.create().parse_overrides([re.sub(r"\$\{?\w+\}?", "1", word) for word in named])


def _register(arguments):
    """Ids of environments, and agents of a page's own, whose files are written when it is run."""
    register_choices([argument for argument in arguments if argument.startswith("env=")])
    for argument in arguments:
        for name in argument.removeprefix("agent=").split(",") if argument.startswith("agent=") else []:
            if "." in name:
                ConfigStore.instance().store(group="agent", name=name, node={"_target_": name})


def composed(verb, overrides):
    """The configuration of a command; of what is swept, each choice once, with the first of all others."""
    register_resolver()
    choices = [_choices(override) for override in overrides]
    folder = "formgym.conf.train" if CONFIGURED[verb] == "train" else "formgym.conf"
    with initialize_config_module(folder, version_base="1.3"):
        for n in range(max(map(len, choices), default=1)):
            yield compose(CONFIGURED[verb], overrides=[some[min(n, len(some) - 1)] for some in choices])


def _choices(override):
    value = override.value()
    if not isinstance(value, Sweep):
        return [override.input_line]
    return [f"{override.get_key_element()}={item}" for item in override.sweep_string_iterator()]
