"""A captured form of one's own, made from a shipped capture, so that no browser is needed."""

import json
import shutil
from pathlib import Path

from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.forms.form import web_form
from formgym.envs.web_forms.instances.instance_generator import frozen_instances


def write_fixture(folder: Path, form: str = "personal_loan") -> Path:
    """Write a capture with two tasks into ``folder``; where it is."""
    capture = folder / "own" / "capture"
    shutil.copytree(CAPTURES / "faces", folder / "faces")
    shutil.copytree(CAPTURES / form / "clinic", capture)
    fields = {f.name: {"label": f.label, "control": f.control, "matcher": f.matcher} for f in web_form(form).fields}
    tasks = [
        {"name": f"task {i.number}", "source": i.source, "values": i.values, "files": i.files}
        for i in frozen_instances(form)[:2]
    ]
    gold = {"title": web_form(form).title, "fields": fields, "tasks": tasks}
    (capture / "gold.json").write_text(json.dumps(gold), encoding="utf-8")
    return capture
