"""Forms without fields: boxes from files and their errors; a scan from its import to play and to filling in."""

import json
import re

import numpy as np
import pytest
from bad_pdfs import write_bad
from command_line import formgym_command
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from formgym.envs.core.text_sprites import TYPED_FACE, font
from formgym.envs.paper_forms.custom.env import CustomEnv
from formgym.envs.paper_forms.scans.degradation import Degradation
from formgym.experiments.authoring.boxes.box_files import drawn_fields
from formgym.experiments.authoring.boxes.flat_form import opened_folder
from formgym.experiments.authoring.boxes.flat_import import import_pictures
from formgym.experiments.authoring.pdf.fill_form import fill_form
from formgym.experiments.authoring.pdf.importing import import_pdf
from formgym.experiments.import_forms import import_form

PAGES = ((400, 300), (200, 300))
"""Height and width of two pages."""
OWN = {"fields": [
    {"name": "town", "box": [30, 40, 90, 80]},
    {"label": "Own home", "kind": "tick", "page": 2, "box": [30, 40, 50, 60]},
    {"label": "Code", "kind": "identifier", "page": 2, "box": [60, 40, 160, 60], "comb": 5},
]}  # fmt: skip
COCO = {
    "images": [{"id": 7, "file_name": "a.png", "width": 600, "height": 800},
               {"id": 9, "file_name": "b.png", "width": 300, "height": 200}],
    "categories": [{"id": 1, "name": "Field"}, {"id": 2, "name": "ChoiceButton"}, {"id": 3, "name": "Signature"}],
    "annotations": [
        {"image_id": 7, "category_id": 1, "bbox": [60, 80, 120, 80], "text": "Town"},
        {"image_id": 9, "category_id": 2, "bbox": [30, 40, 20, 20]},
        {"image_id": 9, "category_id": 3, "bbox": [60, 40, 100, 20]},
    ],
}  # fmt: skip


def entity(number, label, text, box, linking=()):
    words = [{"text": text, "box": box}]
    return {"id": number, "label": label, "text": text, "box": box, "words": words, "linking": list(linking)}


FUNSD = {"form": [
    entity(0, "question", "TOWN:", [0, 40, 28, 80], [[0, 1]]),
    entity(1, "answer", "Győr", [30, 40, 90, 80], [[0, 1]]),
    entity(2, "header", "FILING", [0, 0, 100, 20]),
]}  # fmt: skip


def read(folder, *files, originals=PAGES, pages=PAGES):
    paths = [folder / f"{number}.json" for number, _ in enumerate(files)]
    for path, file in zip(paths, files, strict=True):
        path.write_text(file if isinstance(file, str) else json.dumps(file))
    return [
        (field.name, field.label, field.matcher, field.page, field.box, field.comb)
        for field in drawn_fields(paths, originals, pages)
    ]


# -- Files of boxes ----------------------------------------------------------------------------------------------------


def test_our_own_format_gives_names_labels_kinds_and_combs(tmp_path):
    assert read(tmp_path, OWN) == [
        ("town", "town", "text", 1, (30, 40, 90, 80), 0),
        ("own_home", "Own home", "checkbox", 2, (30, 40, 50, 60), 0),
        ("code", "Code", "identifier", 2, (60, 40, 160, 60), 5),
    ]


def test_images_of_a_coco_file_are_pages_of_the_sizes_that_it_states(tmp_path):
    assert read(tmp_path, COCO) == [
        ("town", "Town", "text", 1, (30, 40, 90, 80), 0),
        ("choicebutton", "ChoiceButton", "checkbox", 2, (30, 40, 50, 60), 0),
        ("signature", "Signature", "signature", 2, (60, 40, 160, 60), 0),
    ]


def test_answers_of_funsd_files_have_their_questions_as_labels(tmp_path):
    assert read(tmp_path, FUNSD, FUNSD) == [
        ("town", "TOWN", "text", 1, (30, 40, 90, 80), 0),
        ("town_2", "TOWN", "text", 2, (30, 40, 90, 80), 0),
    ]


SIDES = st.integers(40, 3000)


@given(st.tuples(SIDES, SIDES), st.tuples(SIDES, SIDES), st.sampled_from(["own", "pixels", "coco", "funsd"]))
def test_boxes_are_where_they_were_on_a_page_of_any_size(tmp_path_factory, stated, page, kind):
    (height, width), box = stated, [stated[1] // 4, stated[0] // 4, stated[1] // 2, stated[0] // 2]
    wide, high = box[2] - box[0], box[3] - box[1]
    file = {
        "pixels": {"fields": [{"name": "a", "box": box}]},
        "own": {"fields": [{"name": "a", "box": box}], "pages": [{"width": width, "height": height}]},
        "coco": {"images": [{"id": 1, "file_name": "a", "width": width, "height": height}],
                 "annotations": [{"image_id": 1, "category_id": 1, "bbox": [*box[:2], wide, high]}]},
        "funsd": {"form": [entity(0, "answer", "a", box)]},
    }[kind]  # fmt: skip
    originals = [(1, 1)] if kind in ("own", "coco") else [stated]
    ((*_, found, _),) = read(tmp_path_factory.mktemp("boxes"), file, originals=originals, pages=[page])
    shares = np.divide(found, [page[1], page[0]] * 2), np.divide(box, [width, height] * 2)
    assert shares[0] == pytest.approx(shares[1], abs=0.01 / min(page))


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ({"fields": [{"name": "a", "box": [310, 10, 350, 20]}]}, "field a: box (310.0, 10.0, 350.0, 20.0) is not on"),
        ({"fields": [{"label": "A b", "box": [10, 10, 10, 20]}]}, "field A b: box"),
        ({"fields": [{"name": "a", "page": 3, "box": [1, 1, 9, 9]}]}, "field a: there is no page 3; the last is 2"),
        ({"fields": [{"name": "a", "kind": "blob", "box": [1, 1, 9, 9]}]}, "field a: unknown kind 'blob'"),
        ({"fields": [{"name": "a", "box": [1, 1, 9, 9]}] * 2}, "field a: there are two of this name"),
        ({"fields": [{"name": "a", "box": [1, 1, 9]}]}, "fields.a.box.3: Field required"),
        ({"fields": []}, "has no fields"),
        ({"boxes": []}, "has none of fields (ours), images with annotations (COCO), or form (FUNSD)"),
        (COCO | {"images": COCO["images"][:1]}, "annotation 1: there is no image 9"),
        ({"form": [{"id": 1}]}, "form.0"),
        ("[1, 2]", "has none of fields"),
        ('{"fields": ', "0.json"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_box_is_named_by_its_field(tmp_path, file, words):
    with pytest.raises(ValueError, match=re.escape(str(tmp_path / "0.json"))) as error:
        read(tmp_path, file)
    assert words in str(error.value)


def test_all_that_is_wrong_is_named_at_once(tmp_path):
    wrong = [{"name": name, "box": [900, 1, 950, 9]} for name in "abc"]
    with pytest.raises(ValueError, match=r"3 fields cannot be used") as error:
        read(tmp_path, {"fields": wrong})
    assert str(error.value).count("is not on page 1 of 300 x 400 px") == 3


# -- Import ------------------------------------------------------------------------------------------------------------


def test_pictures_become_the_pages_of_a_form(tmp_path):
    run = lambda *arguments: formgym_command("import", *arguments, cwd=tmp_path)  # noqa: E731
    for number, (height, width) in enumerate(PAGES, start=1):
        Image.new("RGB", (width, height), "white").save(tmp_path / f"sheet_{number}.png")
    (tmp_path / "boxes.json").write_text(json.dumps(OWN))
    result = run("sheet_1.png", "sheet_2.png", "--boxes", "boxes.json", "--out", "form")
    assert result.returncode == 0, result
    assert "form: 3 fields on 2 pages, 300 x 400" in result.stdout
    again = run("sheet_1.png", "--boxes", "boxes.json", "--out", "form")
    assert again.returncode == 2
    assert again.stderr.startswith("formgym: form is there already: choose another folder")
    assert [field.name for field in opened_folder(tmp_path / "form").fields] == ["town", "own_home", "code"]


def test_a_large_picture_is_scaled_with_its_boxes(tmp_path):
    Image.new("L", (3400, 1000), 255).save(tmp_path / "wide.png")
    (tmp_path / "boxes.json").write_text(json.dumps({"fields": [{"name": "a", "box": [340, 100, 1700, 200]}]}))
    import_pictures([tmp_path / "wide.png"], tmp_path / "form", [tmp_path / "boxes.json"], accept=False)
    flat = opened_folder(tmp_path / "form")
    assert flat.sizes == [(500, 1700)]
    assert flat.fields[0].box == (170, 50, 850, 100)


def test_pages_of_a_tiff_are_pages(tmp_path):
    first, second = (Image.new("L", (width, height), 200) for height, width in PAGES)
    first.save(tmp_path / "scan.tif", save_all=True, append_images=[second])
    (tmp_path / "boxes.json").write_text(json.dumps(OWN))
    import_pictures([tmp_path / "scan.tif"], tmp_path / "form", [tmp_path / "boxes.json"], accept=False)
    assert opened_folder(tmp_path / "form").sizes == list(PAGES)


def test_a_pdf_whose_fields_are_not_on_its_pages_takes_boxes(tmp_path):
    pytest.importorskip("pypdfium2")
    (tmp_path / "boxes.json").write_text(json.dumps(OWN))
    import_pdf(write_bad("no_boxes", tmp_path), tmp_path / "form", [tmp_path / "boxes.json"])
    assert [field.page for field in opened_folder(tmp_path / "form").fields] == [1, 2, 2]
    assert (tmp_path / "form" / "form.pdf").exists()


@pytest.mark.parametrize(
    ("pages", "options", "words"),
    [
        (["a.png", "b.pdf"], {}, "forms are imported one at a time"),
        (["a.pdf", "b.pdf"], {}, "forms are imported one at a time"),
        (["folder"], {"accept": True}, "--yes does not go with a folder; what does is --edit"),
        (["a.png"], {"edit": True}, "--edit does not go with pictures; what does is --out, --boxes, --yes"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(pages, options, words):
    options = {"accept": False, "edit": False, "page": None, "server": None} | options
    with pytest.raises(ValueError, match=words):
        import_form(pages, None, [], **options)


# -- A scan, from import to play ---------------------------------------------------------------------------------------

_DAMAGE = Degradation(0.5, (3, 2), "carbon copy", 5)


def write_scan(path):
    """A page with a ruled table, a line and tick boxes, as it comes from a scanner."""
    page = Image.new("L", (640, 330), 255)
    draw, face = ImageDraw.Draw(page), font(TYPED_FACE, 17)
    draw.rectangle((30, 60, 610, 160), outline=0, width=2)
    draw.line((30, 110, 610, 110), fill=0, width=2)
    draw.line((320, 60, 320, 160), fill=0, width=2)
    for (x, y), text in {
        (200, 20): "Parking permit", (36, 64): "Full name", (326, 64): "Registration", (36, 114): "Street",
        (326, 114): "Town", (60, 192): "Resident", (200, 192): "Visitor", (30, 262): "Signature",
    }.items():  # fmt: skip
        draw.text((x, y), text, fill=0, font=face)
    for x in (34, 174):
        draw.rectangle((x, 194, x + 16, 210), outline=0, width=2)
    draw.line((130, 284, 500, 284), fill=0, width=2)
    Image.fromarray(_DAMAGE.applied(np.asarray(page))).save(path)


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    """The folder of a scan, with the fields that FieldFinder proposes."""
    pytest.importorskip("rapidocr")
    folder = tmp_path_factory.mktemp("scan")
    write_scan(folder / "permit.png")
    import_pictures([folder / "permit.png"], folder / "permit", [], accept=True)
    return folder / "permit"


def test_blanks_of_a_scan_are_fields_with_printed_labels(scan):
    fields = {field.label: field.matcher for field in opened_folder(scan).fields}
    assert fields == {
        "Full name": "text", "Registration": "text", "Street": "text", "Town": "text", "Resident": "checkbox",
        "Visitor": "checkbox", "Signature": "signature",
    }  # fmt: skip


def test_a_scan_is_played_with_the_answers_of_its_gold(scan):
    answers = {"full_name": "Ann Lee", "town": "Leeds", "visitor": True, "signature": "Ann Lee"}
    task = {"source": "Ann Lee visits a friend in Leeds.", "answers": answers}
    (scan / "gold.json").write_text(json.dumps({"tasks": {"ann": task}}))
    env = CustomEnv(str(scan))
    env.reset()
    for call in env.solution():
        *_, info = env.step(env.action_space.from_call(call))
    assert info["score"]["strict_accuracy"] == 1


def test_a_scan_is_filled_in_by_the_names_of_facts(scan, tmp_path):
    out = tmp_path / "filled.pdf"
    assert fill_form(scan, "Full name: Ann Lee\nTown: Leeds\nSignature: Ann Lee", out=out)
    text = PdfReader(out).pages[0].extract_text()
    assert "Ann Lee" in text
    assert "Leeds" in text


def test_a_pdf_without_blanks_gets_one_sentence(scan, tmp_path):
    pytest.importorskip("pypdfium2")
    path = tmp_path / "letter.pdf"
    canvas = Canvas(str(path), pagesize=(160, 60))
    canvas.drawString(10, 30, "Nothing to fill in")
    canvas.save()
    with pytest.raises(ValueError, match="has no fields, and no blanks are found on it") as error:
        import_pdf(path, tmp_path / "new", accept=True)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "new").exists()
