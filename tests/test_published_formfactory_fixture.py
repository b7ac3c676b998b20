"""The fixture of FormFactory's checkout keeps the published shapes, and its app serves and keeps forms."""

import json
import re
import subprocess
import sys
import urllib.request
from urllib.parse import urlencode

import pytest
from published_formfactory_fixture import RECIPES, TRUTH, write_checkout

SHAPES = {"A12": 6, "A13": 14, "A15": 8, "B12": 19, "C11": 9, "D11": 10, "D12": 12, "E12": 5, "F13": 8, "G11": 9}
NUMBERED = {"Bug_report": 56, "student_courses": 134, "Health_Insurance": 40}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formfactory")
    write_checkout(folder)
    return folder


@pytest.fixture(scope="module")
def url(checkout):
    command = [sys.executable, "-m", "flask", "run", "--port", "0"]
    with subprocess.Popen(command, cwd=checkout, stderr=subprocess.PIPE, text=True) as app:
        yield next(line for line in app.stderr if "Running on" in line).split()[-1]
        app.kill()


def _routes(checkout):
    return re.findall(r'route\("(/[^"]+)", methods=\["GET"', (checkout / "app.py").read_text(encoding="utf-8"))


def test_every_route_answers_and_keeps_what_is_posted(checkout, url):
    assert len(_routes(checkout)) == 11
    for route in _routes(checkout):
        with urllib.request.urlopen(url + route) as page:
            assert page.status == 200
            assert b"<form" in page.read()
        body = urlencode([("name", "Zoë"), ("many", "1"), ("many", "2")]).encode()
        with urllib.request.urlopen(url + route, data=body) as answer:
            assert json.load(answer)["status"] == "success"
    kept = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (checkout / "submission").iterdir()}
    assert {form_id: len(entries) for form_id, entries in kept.items()} == dict.fromkeys(SHAPES, 1) | {"A13": 2}
    entry = kept["A13"][1]
    assert entry == {"name": "Zoë", "many": ["1", "2"], "submission_time": entry["submission_time"]}


@pytest.mark.parametrize("form_id", SHAPES)
def test_gold_texts_and_truth_agree(checkout, form_id):
    truth, file = json.loads(TRUTH.read_text(encoding="utf-8"))[form_id], RECIPES[form_id]["file"]
    gold = json.loads((checkout / "data" / "data1" / f"{file}.json").read_text(encoding="utf-8"))
    text = (checkout / "data" / "data2" / f"{file}.txt").read_text(encoding="utf-8")
    assert len(gold) == (40 if form_id == "F13" else 50)
    assert all(record.keys() == truth["controls"].keys() for record in gold)
    assert len(truth["controls"]) == SHAPES[form_id]
    odd = [f"{index} {key}" for index, key in truth["unenterable"]]
    assert sorted(odd) == sorted(RECIPES[form_id]["odd"])
    assert len(re.findall(r"^\d+[.)] ", text, re.MULTILINE)) == NUMBERED.get(file, 50)
    assert all(str(next(iter(record.values()))) in text for record in gold)


def test_the_checkout_is_the_same_each_time_and_can_lack_its_stylesheet(checkout, tmp_path):
    write_checkout(tmp_path, stylesheet=False)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert all((checkout / path).read_bytes() == content for path, content in made.items())
    assert (checkout / "static").is_dir()
    assert not (tmp_path / "static").exists()
