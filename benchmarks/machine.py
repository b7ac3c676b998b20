"""The machine that a benchmark ran on."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import numpy as np

from formgym.envs.web_forms.chromium.settings import browser_path

Machine = dict[str, str | int | list[float]]


def machine() -> Machine:
    """Its processor, and the versions of what ran; ``load`` is of the last 1, 5 and 15 minutes."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "browser": _browser(),
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _browser() -> str:
    """The first line that the browser prints of its version."""
    if (path := browser_path()) is None:
        return "none"
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return printed.strip() or path
