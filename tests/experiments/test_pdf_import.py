"""PDFs that people bring: read with their fields, labels and boxes, played, or refused in one sentence."""

import ctypes
import json
from functools import partial

import pytest
from bad_pdfs import BAD, write_bad
from command_line import formgym_command
from custom_form_fixture import write_form
from pdf_forms import FORMS, GOLD, write_pdf
from sizes import some

pdfium = pytest.importorskip("pypdfium2.raw", reason="needs pypdfium2: pip install 'formgym[pdf]'")

from formgym.envs.paper_forms.custom.env import CustomEnv  # noqa: E402
from formgym.experiments.authoring.form_folder import write_folder  # noqa: E402
from formgym.experiments.authoring.pdf.importing import import_pdf  # noqa: E402
from formgym.experiments.authoring.pdf.labels import Printed, label_of, lines_of, paragraphs_of  # noqa: E402
from formgym.experiments.authoring.pdf.reading import read_pdf  # noqa: E402
from formgym.experiments.publishing.submission import submission_of  # noqa: E402
from formgym.experiments.publishing.verify import verified  # noqa: E402
from formgym.experiments.reporting.replay_frames import Pages, replay_frames  # noqa: E402
from formgym.experiments.running.recorded import recorded_env  # noqa: E402
from formgym.experiments.running.run_folder import RunFolder  # noqa: E402
from formgym.experiments.running.run_spec import RunSpec  # noqa: E402
from formgym.experiments.running.runner import Runner  # noqa: E402


def imported(name, folder):
    """A form of ``pdf_forms`` with its gold, as a folder."""
    path = write_pdf(name, folder)
    pages, fields, left_out = read_pdf(path)
    (folder / name).mkdir()
    (folder / name / "gold.json").write_text(json.dumps(GOLD[name]))
    write_folder(folder / name, pages.form(fields, "form.pdf", left_out), pages.pictures, path)
    return folder / name, fields, left_out


@pytest.mark.parametrize("name", some(FORMS[::2], FORMS))
def test_a_pdf_is_played_with_the_answers_of_its_gold(name, tmp_path):
    folder, fields, _ = imported(name, tmp_path)
    env = CustomEnv(str(folder))
    for task in env.task_ids:
        env.reset(options={"task": task})
        assert env.state.metrics()["strict_accuracy"] == 0
        for call in env.solution():
            *_, info = env.step(env.action_space.from_call(call))
            assert info["valid"]
        assert info["score"]["strict_accuracy"] == 1
        assert info["score"]["legible"] > 0.95
    assert len({field.name for field in fields}) == len(fields)
    assert all(field.label and field.source_name for field in fields)


@pytest.mark.parametrize("name", some(("bank_account", "job_application"), FORMS))
def test_boxes_are_where_pdfium_has_the_widgets(name, tmp_path):
    path = write_pdf(name, tmp_path)
    _, fields, _ = read_pdf(path)
    placed = set(_widget_boxes(path))
    assert {(field.page, *map(round, field.box)) for field in fields} <= placed


def _widget_boxes(path):
    """Page and box in pixels of every annotation, as PDFium converts them."""
    from pypdfium2 import PdfDocument

    with PdfDocument(path) as document:
        for number, page in enumerate(document, start=1):
            width, height = (round(side * 200) for side in page.get_size())
            for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
                rect, corners = pdfium.FS_RECTF(), []
                annotation = pdfium.FPDFPage_GetAnnot(page, index)
                pdfium.FPDFAnnot_GetRect(annotation, rect)
                for x, y in ((rect.left, rect.top), (rect.right, rect.bottom)):
                    across, down = ctypes.c_int(), ctypes.c_int()
                    pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, across, down)
                    corners.append((across.value / 100, down.value / 100))
                (x0, y0), (x1, y1) = corners
                yield number, *map(round, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


def test_types_and_tooltips_of_a_tax_return(tmp_path):
    _, fields, left_out = imported("income_tax", tmp_path)
    by_label = {field.label: field for field in fields}
    number = by_label["Dependent 1: social security number"]
    assert (number.comb, number.matcher, number.max_length, number.page) == (9, "identifier", 9, 1)
    status = [field for field in fields if field.label.startswith("Filing status")]
    assert len({field.group for field in status}) == len({field.source_name for field in status}) == 1
    assert len({field.on_value for field in status}) == len(status) == 5
    assert {field.matcher for field in status} == {"checkbox"}
    assert left_out.keys() == {"read-only", "buttons"}


def test_labels_are_read_from_the_print_where_there_are_no_tooltips(tmp_path):
    _, fields, _ = imported("health_claim", tmp_path)
    labels = {field.source_name: field.label for field in fields}
    assert labels["b2_patient_name"] == "2. PATIENT'S NAME (Last, First, Middle initial)"
    assert labels["b3_mm"] == "3. BIRTH DATE MM"
    plans = [field.label for field in fields if field.source_name == "b1_plan"]
    assert plans[:2] == ["1. PLAN: MEDICARE", "1. PLAN: MEDICAID"]
    # The heading of a column, over several rows.
    assert sum("J. PROVIDER'S NPI" in label for label in labels.values()) == 4
    assert {field.matcher for field in fields if "SIGNATURE" in field.label} == {"signature"}


@pytest.mark.parametrize("name", some(["job_application"], FORMS))
def test_labels_tell_the_fields_of_a_form_apart(name, tmp_path):
    _, fields, _ = imported(name, tmp_path)
    labels = {field.source_name: field.label for field in fields if field.group is None}
    assert len(set(labels.values())) == len(labels)
    if name == "job_application":
        assert [labels[f"Text{number}"] for number in (26, 31, 36)] == [
            "High school: From (year)", "College: From (year)", "Trade or other: From (year)",
        ]  # fmt: skip


def test_what_a_list_begins_with_is_no_answer_and_is_not_drawn(tmp_path):
    folder, fields, left_out = imported("school_enrolment", tmp_path)
    level = next(field for field in fields if field.source_name == "year_level")
    assert level.choices[:2] == ("(choose)", "Foundation")
    env = CustomEnv(str(folder))
    page = env.reset()[0]["page"]
    left, top, right, bottom = (round(edge) for edge in level.box)
    assert page[top + 2 : bottom - 2, left + 2 : right - 2].min() == 255
    assert "filled in already" not in left_out


REFUSED = {
    "empty": "is empty",
    "not_pdf": "is no PDF",
    "truncated": "is broken",
    "user_password": "opened with its password only",
    "user_password_aes": "opened with its password only",
    "dynamic_xfa": "is a dynamic XFA form",
    "pages_500": "has 500 pages; 60 are the most",
    "huge_page": "page 1 is 200 x 200 inches large",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_pdf_that_cannot_be_read_gets_one_sentence(kind, tmp_path):
    path, folder = write_bad(kind, tmp_path), tmp_path / "new"
    with pytest.raises(ValueError, match=REFUSED[kind]) as error:
        import_pdf(path, folder)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert not folder.exists()


@pytest.mark.parametrize(
    "kind",
    some(["crop_box", "cycle", "owner_password_aes"], sorted(BAD.keys() - REFUSED.keys() - {"no_boxes", "no_fields"})),
)
def test_an_odd_pdf_is_read(kind, tmp_path):
    _, fields, left_out = read_pdf(write_bad(kind, tmp_path))
    assert len(fields) + len(left_out.get("not on a page", ())) == 72


def test_a_pdf_is_imported_once_and_its_tasks_are_checked(tmp_path):
    run = partial(formgym_command, "import", cwd=tmp_path)
    write_pdf("customs_declaration", tmp_path)
    result = run("customs_declaration.pdf")
    assert result.returncode == 0, result
    assert "72 fields on 2 pages" in result.stdout
    assert "into customs_declaration/gold.json" in result.stdout
    again = run("customs_declaration.pdf")
    assert again.returncode == 2
    assert again.stderr.startswith("formgym: customs_declaration is there already: choose another folder")
    folder = tmp_path / "customs_declaration"
    gold = json.loads((folder / "gold.json").read_text())
    assert set(gold["tasks"]["first"]["answers"].values()) == {None}
    (folder / "gold.json").write_text(json.dumps(GOLD["customs_declaration"]))
    assert "tasks parcel" in run("customs_declaration").stdout
    gold["tasks"]["first"]["answers"]["nobody"] = "x"
    (folder / "gold.json").write_text(json.dumps(gold))
    assert "task first: field nobody: no such field" in run("customs_declaration").stderr


def test_a_label_is_the_nearest_print_that_belongs_to_no_other_field():
    left, heading = Printed("Name", (10, 10, 60, 22)), Printed("Section", (10, -20, 300, -8))
    field, second = (70.0, 8.0, 200.0, 26.0), (280.0, 8.0, 400.0, 26.0)
    between = Printed("Born", (220, 10, 260, 22))
    printed = [left, heading, between]
    assert label_of(field, printed, [field, second]) == "Name"
    assert label_of(second, printed, [field, second]) == "Born"
    assert label_of(second, [left], [field, second]) == ""
    tick = (210.0, 10.0, 218.0, 20.0)
    assert label_of(tick, printed, [tick], "right") == "Born"
    assert label_of(tick, printed, [tick], "left") == "Name"


def test_lines_are_one_label_if_none_of_them_has_a_field_of_its_own():
    parts = [
        Printed("Date of", (10, 10, 60, 20)),
        Printed("birth", (10, 22, 40, 32)),
        Printed("(day)", (44, 22, 70, 32)),
    ]
    lines = lines_of(parts)
    assert [one.text for one in paragraphs_of(lines, [])] == ["Date of birth (day)"]
    assert [one.text for one in paragraphs_of(lines, [(75.0, 22.0, 90.0, 36.0)])] == ["Date of", "birth (day)"]


def test_runs_hold_the_digest_of_their_files_and_are_replayed_with_no_others(tmp_path, monkeypatch):
    form = write_form(tmp_path / "form")
    monkeypatch.setenv("FORMGYM_OPTIONS", f"form={form}")
    env = {"id": "FormGym/Custom-v0", "form": str(form)}
    spec = RunSpec(env=env, agent="formgym.agents.Oracle", run_dir=tmp_path / "run")
    run = Runner(spec).run()
    assert run.headline[1]["mean"] == 1
    recorded = RunFolder(tmp_path / "run").described().spec
    assert recorded.env["sha256"] == CustomEnv(str(form)).data_sha256
    assert "sha256" not in recorded.settings
    submission = submission_of([RunFolder(tmp_path / "run").read()])
    assert verified(submission, submission.sha256).is_confirmed
    frames = replay_frames(recorded_env(recorded.env), run.episodes[0], Pages())
    assert frames.faithful
    assert {step["shown"] for step in frames.reel["steps"]} == set(frames.reel["pages"]) == {0, 1}
    (form / "bob.txt").write_text("Bob Ray takes all plans.")
    (difference,) = verified(submission, submission.sha256).differences
    assert f"{form}: the files have changed" in difference
    with pytest.raises((ValueError, RuntimeError), match="the files have changed"):
        Runner(spec.model_copy(update={"resume": True})).run()
