"""Hostile JSON: whatever a user's file holds, the error is a ``ValueError`` that names the file and is short."""

import json

import pytest

from formgym.envs.core.files import load, parse_json
from formgym.envs.documents.external.pptc import read_pptc
from formgym.envs.documents.formats.files import read_document
from formgym.envs.documents.scene.document import Document
from formgym.envs.paper_forms.datasets.funsd import FunsdAnnotation
from formgym.envs.paper_forms.paper_form import PaperForm
from formgym.envs.paper_forms.profile import Profile
from formgym.envs.web_forms.forms.form import WebForm
from formgym.envs.web_forms.replay.capture import load_capture
from formgym.experiments.cli import main

_DEEP = 100_000
CONTENTS = {
    "open lists": b"[" * _DEEP,
    "open objects": b'{"a":' * _DEEP,
    "nested lists": b"[" * _DEEP + b"]" * _DEEP,
    "nested objects": b'{"elements":' * _DEEP + b"1" + b"}" * _DEEP,
    "lists below the limit of the parser": b'{"pages": ' + b"[" * 900 + b"]" * 900 + b"}",
    "a long integer": b'{"name": ' + b"9" * 10_000 + b"}",
    "a number beyond floats": b'{"name": 1e999}',
    "no number": b'{"name": NaN}',
    "minus infinity": b'{"name": -Infinity}',
    "half a character": rb'{"name": "\ud800"}',
    "nothing": b"",
    "null": b"null",
    "an empty list": b"[[]]",
    "no text": b"\xff\xfe\xfa",
    "bytes that are no UTF-8": b'{"name": "\xff"}',
    "a torn file": b'{"name": "a", "pages": [{"wi',
    "many wrong items": json.dumps({"pages": [7] * 50_000}).encode(),
}
PAGE = {"width": 400, "height": 300}
DOCUMENT = {"name": "a", "title": "A", "kind": "poster"}


def _read_pptc(file):
    sessions = file.parent / "PPT_test_input" / "Create_new_slides"
    sessions.mkdir(parents=True)
    file.rename(sessions / "session_0.json")
    return read_pptc(file.parent)


DOORS = {
    "document": read_document,
    "profile": lambda file: load(Profile, file),
    "paper form": lambda file: load(PaperForm, file),
    "web form": lambda file: load(WebForm, file),
    "capture": lambda file: load_capture(file.rename(file.with_name("capture.json")).parent),
    "FUNSD": lambda file: load(FunsdAnnotation, file),
    "PPTC": _read_pptc,
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_the_error_names_the_file_and_is_short(tmp_path, door, content):
    file = tmp_path / "hostile.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=str(tmp_path)) as raised:
        door(file)
    assert len(str(raised.value)) < 3000


def _group(name, parent):
    return {"id": name, "type": "group", "bbox": [0, 0, 9, 9], "parent": parent}


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ([_group("a", "a")], "'a' is inside itself"),
        ([_group("a", "b"), _group("b", "c"), _group("c", "a")], "'a' is inside itself"),
        ([_group("a", None)] * 2, "the id 'a' is used twice"),
        ([_group(f"g{i}", f"g{(i + 1) % 300}") for i in range(300)], "'g0' is inside itself"),
        ([_group(f"g{i % 20_000}", None) for i in range(20_001)], "the id 'g0' is used twice"),
        ([_group("a", None) | {"bbox": [0, 0, 10**400, 9]}], "a.bbox|0.bbox"),
        ([_group("a", None) | {"opacity": -1}], "opacity"),
    ],
)
def test_a_document_that_contradicts_itself_is_named_with_the_place(tmp_path, elements, message):
    file = tmp_path / "document.json"
    file.write_text(json.dumps(DOCUMENT | {"pages": [PAGE | {"elements": elements}]}))
    with pytest.raises(ValueError, match=rf"document.json is not valid:\n.*({message})"):
        read_document(file)


def test_the_command_says_it_in_a_line(tmp_path, capsys, monkeypatch):
    file = tmp_path / "deep.json"
    file.write_bytes(CONTENTS["nested lists"])
    (tmp_path / "edit.py").write_text("def main(document): pass")
    monkeypatch.setattr("sys.argv", ["formgym", "edit", str(file), "--program", str(tmp_path / "edit.py")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code != 0
    out, err = capsys.readouterr()
    assert "deep.json is nested too deep" in (out + err).replace("\n", "")
    assert "Traceback" not in out + err


def test_what_is_json_is_read_as_it_was():
    values = {"a": [1, 2.5, -3e10, 10**40, None, True, "é\U0001f600"], "b": {}}
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert parse_json(json.dumps(values).encode(encoding), "here") == values
    document = Document.model_validate(DOCUMENT | {"pages": [PAGE]})
    assert Document.model_validate(parse_json(document.model_dump_json().encode(), "here")) == document
