"""Runs the blocks of a page as a reader would, in a folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

from markdown_pages import PAGES, ROOT
from provider_server import provider_server
from shell_commands import without_set_up

SECONDS = 1500
"""How long a block may take."""
_FORMGYM = """#!{python}
import os, shlex, sys
added = shlex.split(os.environ.get("ADDED_ARGUMENTS", ""))
if sys.argv[1:] and sys.argv[1] in ("sweep", "train"):
    names = tuple(word.lstrip("+").partition("=")[0] + "=" for word in added)
    sys.argv = [word for word in sys.argv if not word.lstrip("+").startswith(names)] + added
from formgym.experiments.cli import main
main()
"""
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class PageRunner:
    """A page's processes; a context manager, which ends them."""

    def __init__(self, page, folder, made_data):
        self._page, self._made_data = page, made_data
        self._folder, self._hidden = folder / "work", folder / "hidden"
        self._stack, self._worker, self._groups, self._provider = ExitStack(), None, [], None
        for made in (self._folder, self._hidden / "home", self._hidden / "bin", self._hidden / "path"):
            made.mkdir(parents=True)
        (self._hidden / "path/formgym").symlink_to(ROOT)
        command = self._hidden / "bin/formgym"
        command.write_text(_FORMGYM.format(python=sys.executable))
        command.chmod(0o755)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for group in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        self._stack.close()

    def run(self, block):
        """Run a block; what went wrong, or ``None``."""
        if "file" in block.directives:
            path = self._folder / block.directives["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code)
            return None
        if block.language not in ("python", "sh") or {"skip", "check"} & block.directives.keys():
            return None
        variables, is_made = self._variables(block)
        code = self._rewritten(block, variables)
        went_well, output = (self._python if block.language == "python" else self._shell)(block, code, variables)
        if went_well and (block.output is None or is_made or occurs(block.output, output)):
            return None
        expected = f"\n--- expected in the output\n{block.output}" if went_well else ""
        return f"{block.place}\n{block.code}--- printed\n{output[-6000:]}{expected}"

    def _variables(self, block):
        """The environment of a block, and whether data in it is made."""
        hidden = self._hidden
        path = os.pathsep.join([str(hidden / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        variables = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST", "COLUMNS"))}
        variables |= {"PATH": path, "PYTHONPATH": str(hidden / "path"), "HOME": str(hidden / "home")}
        variables |= {"OMP_NUM_THREADS": "1", "ADDED_ARGUMENTS": block.directives.get("add", "")}
        needed = block.directives.get("needs", "").split()
        is_made = not all(Path(os.environ.get("FORMGYM_DATA", "/nowhere"), name).exists() for name in needed)
        if is_made:
            variables["FORMGYM_DATA"] = str(self._made_data)
        if "provider" in block.directives:
            url = self._provider_url()
            variables |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "any"}
            variables |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "any"}
        return variables, is_made

    def _rewritten(self, block, variables):
        code = block.code.replace("/path/to/data", variables.get("FORMGYM_DATA", str(self._made_data)))
        if "provider" in block.directives:
            code = re.sub(r"https?://localhost:\d+", self._provider_url(), code)
        return without_set_up(code) if block.language == "sh" else code

    def _provider_url(self):
        if self._provider is None:
            self._provider = self._stack.enter_context(provider_server()).url
        return self._provider

    def _shell(self, block, code, variables):
        output = self._hidden / "output"
        with output.open("wb") as file:
            process = subprocess.Popen(
                ["bash", "-e", "-c", code],
                cwd=self._folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._groups.append(process.pid)
            try:
                went_well = process.wait(SECONDS) == 0
            except subprocess.TimeoutExpired:
                went_well = False
        return went_well, output.read_text(errors="replace")

    def _python(self, block, code, variables):
        if self._worker is None or self._worker.poll() is not None:
            self._worker = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("page_worker.py"))],
                cwd=self._folder,
                env=variables,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._groups.append(self._worker.pid)
            self._stack.callback(self._worker.communicate)
        output = self._hidden / "python_output"
        request = {"code": code, "path": str(PAGES.get(self._page, self._page)), "line": block.line}
        self._worker.stdin.write(
            json.dumps(request | {"output": str(output), "seconds": SECONDS, "variables": variables}) + "\n"
        )
        self._worker.stdin.flush()
        went_well = self._worker.stdout.readline() == "true\n"
        return went_well, output.read_text(errors="replace")


def occurs(expected, output):
    """Whether what is expected was printed, by words; ``...`` stands for anything."""
    at, text = 0, " ".join(_COLOURS.sub("", output).split())
    for part in expected.split("..."):
        words = " ".join(part.split())
        at = text.find(words, at)
        if at < 0:
            return False
        at += len(words)
    return True
