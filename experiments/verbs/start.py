"""``formgym`` alone, and ``formgym --version``."""

from __future__ import annotations

import platform
from importlib.metadata import version

from ... import __version__
from ...assets import ROOT
from ..terminal import say

_START = """\
formgym {version}: paperwork as Gymnasium environments.
Agents fill in paper forms, fill in web forms and edit documents, from pixels.

Try next:
  formgym demo                             see the three suites in 20 seconds
  formgym list                             see what environments there are
  formgym play                             do a task yourself
  formgym evaluate agent=random episodes=9 measure an agent (or agent=oracle)
  formgym report                           see the run as a page with replays

An agent of your own, a class in my_module.py:
  formgym evaluate agent=my_module.MyAgent episodes=9

In Python:
  import formgym, gymnasium as gym
  env = gym.make("FormGym/AutoLoans-Text-v0")

All commands: formgym --help. Is something missing? formgym doctor
Documentation: {docs}"""


def print_start() -> None:
    """Print what to try first, and where to read more."""
    docs = ROOT.parent / "docs"
    where = f"{docs} (make docs builds a site)" if docs.is_dir() else "docs/ in formgym's source"
    say(_START.format(version=__version__, docs=where))


def print_version() -> None:
    """Print the versions of formgym, Python and Gymnasium."""
    say(f"formgym {__version__} (Python {platform.python_version()}, gymnasium {version('gymnasium')})")
