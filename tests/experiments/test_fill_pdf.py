"""Filled-in PDFs: values in fields and text on pages, opened again by pypdf, PDFium and poppler."""

import io
import shutil
import subprocess
from functools import cache

import numpy as np
import pypdfium2
import pytest
from pdf_fields import pdf_object
from pdf_forms import FORMS, GOLD, write_pdf
from pypdf import PdfReader, PdfWriter
from pypdf.generic import BooleanObject, NameObject, RectangleObject
from reportlab.pdfgen.canvas import Canvas
from sizes import sample

from formgym.experiments.authoring.pdf.lettering import Style, lay_out
from formgym.experiments.authoring.pdf.writing import Entry, fill_pdf

POPPLER = shutil.which("pdftotext")


def name_of(widget):
    above = name_of(widget["/Parent"]) if "/Parent" in widget else ""
    return ".".join(part for part in (above, str(widget.get("/T", ""))) if part)


def boxes_of(path):
    """The pages and boxes of all widgets by the names of their fields, in pixels at 144 dpi."""
    found = {}
    for number, page in enumerate(PdfReader(path).pages, start=1):
        crop, turned = page.cropbox, page.rotation % 360 == 90
        for widget in (one.get_object() for one in page.get("/Annots", ())):
            x0, y0, x1, y1 = (float(edge) for edge in widget["/Rect"])
            (x, right), (y, top) = sorted((x0, x1)), sorted((y0, y1))
            box = (x - crop.left, crop.top - top, right - crop.left, crop.top - y)
            if turned:
                box = (y - crop.bottom, x - crop.left, top - crop.bottom, right - crop.left)
            found.setdefault(name_of(widget), []).append((number, tuple(2 * edge for edge in box)))
    return found


def entries_of(name, path):
    """The answers of the first task of a form as entries."""
    boxes, answers = boxes_of(path), next(iter(GOLD[name]["tasks"].values()))["answers"]
    kinds = {field: str(one.get("/FT")) for field, one in PdfReader(path).get_fields().items()}
    for field, value in answers.items():
        text, state = ("X", None if value is True else str(value)) if kinds[field] == "/Btn" else (str(value), None)
        page, box = boxes[field][0]
        if value is not False:
            yield Entry(text, page, box, field, state, is_signed=kinds[field] == "/Sig")


def rendered(content):
    with pypdfium2.PdfDocument(content) as document:
        document.init_forms()
        return [page.render(scale=2, may_draw_forms=True).to_numpy().astype(int) for page in document]


def shown_text(content):
    return subprocess.run([POPPLER, "-raw", "-", "-"], input=content, capture_output=True, check=True).stdout.decode()


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The path of a form by its name, the entries of its first task, and what it is with them."""
    folder = tmp_path_factory.mktemp("forms")

    @cache
    def made(name):
        path = write_pdf(name, folder)
        entries = list(entries_of(name, path))
        return path, entries, fill_pdf(path.read_bytes(), entries)

    return made


def text_form(width=200, height=20, **settings):
    """A PDF with one text field called "a", and other keys of its dictionary."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(300, 200))
    canvas.acroForm.textfield(name="a", x=50, y=100, width=width, height=height, borderWidth=0, maxlen=None)
    canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=file)
    writer.pages[0]["/Annots"][0].get_object().update(pdf_object(settings))
    return written(writer)


def written(writer):
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()


@pytest.mark.parametrize("name", sample(FORMS, 5))
def test_every_answer_is_the_value_of_its_field_and_what_was_there_stays(name, opened):
    path, entries, filled = opened(name)
    assert filled.content.startswith(path.read_bytes())
    assert not filled.notes
    assert not filled.remarks
    old, new = PdfReader(path).get_fields(), PdfReader(io.BytesIO(filled.content)).get_fields()
    for entry in entries:
        if not entry.is_signed:
            options = {str(one[1]): str(one[0]) for one in old[entry.source_name].get("/Opt", ()) if len(one) == 2}
            expected = f"/{entry.on_value}" if entry.on_value else options.get(entry.text, entry.text)
            value = str(new[entry.source_name]["/V"])
            assert value == expected or (entry.text == "X" and entry.on_value is None and value != "/Off")
    untouched = set(old) - {entry.source_name for entry in entries}
    assert all(old[field].get("/V") == new[field].get("/V") for field in untouched)


@pytest.mark.parametrize("name", sample(FORMS, 2))
def test_ink_is_in_the_boxes_of_the_fields_and_nowhere_else(name, opened):
    path, entries, filled = opened(name)
    boxes, pages = boxes_of(path), zip(rendered(path.read_bytes()), rendered(filled.content), strict=True)
    changed = [(abs(new - old) > 60).any(axis=2) for old, new in pages]
    allowed = [np.zeros_like(page) for page in changed]
    for entry in entries:
        for page, box in boxes[entry.source_name]:
            left, top, right, bottom = (round(edge) for edge in box)
            allowed[page - 1][top - 3 : bottom + 3, left - 3 : right + 3] = True
        page, (left, top, right, bottom) = boxes[entry.source_name][0]
        if entry.on_value is None:
            assert changed[page - 1][round(top) : round(bottom), round(left) : round(right)].any(), entry
    assert not any((page & ~room).any() for page, room in zip(changed, allowed, strict=True))


@pytest.mark.skipif(not POPPLER, reason="poppler is not installed")
@pytest.mark.parametrize("name", sample(FORMS, 2))
def test_poppler_shows_every_text(name, opened):
    _, entries, filled = opened(name)
    shown = "".join(shown_text(filled.content).split())
    for entry in entries:
        if entry.text != "X":
            assert "".join(entry.text.split()) in shown, entry.text


@pytest.mark.skipif(not POPPLER, reason="poppler is not installed")
def test_letters_beyond_latin_1_show_and_those_without_a_typeface_are_named():
    filled = fill_pdf(text_form(**{"/DA": "/Helv 0 Tf 0 g"}), [Entry("Ágnes Őry Жук", 1, (), "a")])
    assert not filled.notes
    assert "Ágnes Őry Жук" in shown_text(filled.content)
    filled = fill_pdf(text_form(), [Entry("from 漢口", 1, (), "a")])
    assert "口漢" in filled.notes[0][0]
    assert PdfReader(io.BytesIO(filled.content)).get_fields()["a"]["/V"] == "from 漢口"
    assert "right to left" in fill_pdf(text_form(), [Entry("שלום", 1, (), "a")]).notes[0][0]


@pytest.mark.parametrize(
    ("settings", "text", "note", "value"),
    [
        ({"/MaxLen": 5}, "too long", "8 characters, and the field takes 5", None),
        ({"/MaxLen": 9, "/Ff": 1 << 24}, "123-45-6789", "", "123456789"),
        ({"/MaxLen": 3, "/Ff": 1 << 24}, "1234", "4 characters", None),
        ({"/Ff": 1}, "text", "read-only", None),
        ({"/FT": "/Ch", "/Opt": ["Red", "Green"]}, "blue", "none of Red, Green", None),
        ({"/FT": "/Ch", "/Opt": [["r", "Red"], ["g", "Green"]]}, "green", "", "g"),
        ({"/FT": "/Ch", "/Ff": 1 << 17 | 1 << 18, "/Opt": ["Red"]}, "blue", "", "blue"),
        ({"/FT": "/Btn", "/Ff": 1 << 16}, "X", "the field is buttons", None),
        ({}, "many words " * 30, "too long for its box", "many words " * 29 + "many words"),
        ({}, "some words that are rather many for it, though not too many", "small", None),
        ({"/Ff": 1 << 12}, "first\nsecond", "", "first\nsecond"),
    ],
)
def test_what_a_field_does_not_take_is_named(settings, text, note, value):
    filled = fill_pdf(text_form(height=30, width=150, **settings), [Entry(text, 1, (), "a")])
    assert bool(note) == bool(filled.notes)
    assert note in "; ".join(filled.notes.get(0, ()))
    entered = PdfReader(io.BytesIO(filled.content)).get_fields()["a"].get("/V")
    assert note == "small" or entered in ((value,) if value else (None, ""))


def test_text_is_as_large_as_fits():
    assert lay_out("short", 200, 20, Style()).size == 12
    assert lay_out("short", 200, 20, Style(size=9)).size == 9
    assert 4 < lay_out("a somewhat longer text in a box", 100, 20, Style()).size < 12
    assert not lay_out("far too much " * 20, 100, 20, Style()).fits
    lines = lay_out("far too much " * 20, 100, 200, Style(is_multiline=True))
    assert lines.fits
    assert len(lines.lines) > 5


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_text_is_drawn_at_pixels_of_the_page_however_it_is_turned_and_cropped(rotation):
    writer = PdfWriter(clone_from=io.BytesIO(text_form()))
    page = writer.pages[0]
    page.rotate(rotation)
    page.cropbox = RectangleObject((10, 20, 290, 170))
    before = written(writer)
    places = [Entry("Here", 1, (200, 100, 200, 100), size=20), Entry("Boxed", 1, (40, 40, 160, 80), is_signed=True)]
    filled = fill_pdf(before, places)
    (old,), (new,) = rendered(before), rendered(filled.content)
    rows, columns = np.nonzero((abs(new - old) > 60).any(axis=2))
    here = (rows > 85) & (rows < 115) & (columns > 170) & (columns < 230)
    boxed = (rows >= 40) & (rows < 80) & (columns >= 40) & (columns < 160)
    assert here.sum() > 50
    assert boxed.sum() > 50
    assert (here | boxed).all()


def test_the_form_shows_our_appearances_and_no_xfa_and_says_so():
    writer = PdfWriter(clone_from=io.BytesIO(text_form()))
    form = writer.root_object["/AcroForm"].get_object()
    form.update(pdf_object({"/NeedAppearances": BooleanObject(True), "/XFA": "<xdp/>"}))
    filled = fill_pdf(written(writer), [Entry("text", 1, (), "a")])
    form = PdfReader(io.BytesIO(filled.content)).root_object["/AcroForm"]
    assert not form["/NeedAppearances"].value
    assert "/XFA" not in form
    assert "XFA" in filled.remarks[0]
    form = writer.root_object["/AcroForm"].get_object()
    form["/Fields"][0].get_object().update(pdf_object({"/FT": "/Sig", "/V": {"/Type": "/Sig"}}))
    form.pop(NameObject("/XFA"))
    assert "signed" in fill_pdf(written(writer), [Entry("text", 1, (0, 0, 40, 40))]).remarks[0]


def test_a_file_that_opens_without_a_password_is_filled_in_and_a_missing_page_named():
    writer = PdfWriter(clone_from=io.BytesIO(text_form()))
    writer.encrypt("", "owner", algorithm="RC4-128")
    filled = fill_pdf(written(writer), [Entry("text", 1, (), "a")])
    assert PdfReader(io.BytesIO(filled.content)).get_fields()["a"]["/V"] == "text"
    assert "was locked" in filled.remarks[0]
    with pytest.raises(ValueError, match="there is no page 2"):
        fill_pdf(text_form(), [Entry("text", 2, (), "a")])
