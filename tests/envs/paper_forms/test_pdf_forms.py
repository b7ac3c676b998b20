"""The PDFs that other tests import and fill in: real structures, gold that fits them, broken ones that are broken."""

from itertools import combinations

import pypdfium2
import pytest
from bad_pdfs import BAD, write_bad
from pdf_forms import FORMS, GOLD, write_pdf
from pypdf import PdfReader


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pdfs")
    return {name: PdfReader(write_pdf(name, folder)) for name in FORMS}


def _fields(reader):
    return {name: field for name, field in reader.get_fields().items() if "/FT" in field}


def _fits(field, answer):
    kind, flags = field["/FT"], field.get("/Ff", 0)
    if kind == "/Btn":
        states = {state for kid in field.get("/Kids", ()) for state in kid.get_object()["/AP"]["/N"]} - {"/Off"}
        return f"/{answer}" in states if len(states) > 1 else answer is True
    if kind == "/Ch" and not flags & 1 << 18:
        return answer in [option if isinstance(option, str) else option[1] for option in field["/Opt"]]
    return isinstance(answer, str) and 0 < len(answer) <= field.get("/MaxLen", 10_000) and not flags & 1


@pytest.mark.parametrize("name", FORMS)
def test_every_answer_fits_its_field(readers, name):
    fields = _fields(readers[name])
    assert 25 <= len(fields) <= 150
    for task in GOLD[name]["tasks"].values():
        assert len(task["answers"]) > 25
        assert [key for key, answer in task["answers"].items() if not _fits(fields[key], answer)] == []


@pytest.mark.parametrize("name", FORMS)
def test_widgets_lie_on_their_page_and_apart(readers, name):
    for page in readers[name].pages:
        left, bottom, right, top = map(float, page.cropbox)
        edges = [[float(edge) for edge in widget["/Rect"]] for widget in page["/Annots"]]
        boxes = [(x0, min(y0, y1), x1, max(y0, y1)) for x0, y0, x1, y1 in edges]
        assert all(left < x0 < x1 < right and bottom < y0 < y1 < top for x0, y0, x1, y1 in boxes)
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in combinations(boxes, 2))


def test_the_forms_have_what_real_ones_have(readers):
    fields = [field for reader in readers.values() for field in _fields(reader).values()]
    flags = [field.get("/Ff", 0) for field in fields]
    assert all(any(value & 1 << bit for value in flags) for bit in (0, 1, 12, 15, 16, 17, 18, 24))
    assert {field["/FT"] for field in fields} == {"/Tx", "/Btn", "/Ch", "/Sig"}
    assert all(any(key in field for field in fields) for key in ("/TU", "/AA", "/V"))
    assert len({len(reader.pages) for reader in readers.values()}) > 3
    assert any(page.get("/Rotate") for reader in readers.values() for page in reader.pages)


def test_the_same_form_is_the_same_bytes(tmp_path):
    first = write_pdf("customs_declaration", tmp_path).read_bytes()
    assert write_pdf("customs_declaration", tmp_path).read_bytes() == first


@pytest.mark.parametrize("kind", sorted(set(BAD) - {"pages_500"}))
def test_bad_pdfs_are_written_and_only_those_meant_to_do_not_open(tmp_path, kind):
    path = write_bad(kind, tmp_path)
    closed = {"empty", "not_pdf", "truncated", "user_password", "user_password_aes"}
    if kind in closed:
        with pytest.raises(pypdfium2.PdfiumError):
            pypdfium2.PdfDocument(path)
    else:
        document = pypdfium2.PdfDocument(path)
        assert len(document) in (1, 2)
        document.close()
