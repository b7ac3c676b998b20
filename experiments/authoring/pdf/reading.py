"""Read a fillable PDF: pictures of its pages, and the fields of its AcroForm with their labels and boxes."""

from __future__ import annotations

import hashlib
import io
import logging
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import c_double
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdfium2 import PYPDFIUM_INFO, PdfDocument, PdfiumError, PdfPage, PdfTextPage
from pypdfium2.raw import (
    FPDF_ERR_PASSWORD,
    FPDF_REMOVE_SECURITY,
    FS_MATRIX,
    FPDFText_GetCharAngle,
    FPDFText_GetCharOrigin,
    FPDFText_GetFontSize,
    FPDFText_GetMatrix,
    FPDFText_HasUnicodeMapError,
)

from ....envs.core.boxes import Box, intersection, union
from ....envs.core.files import open_foreign
from ....envs.core.painting import Image
from ....envs.core.texts import one_line
from ....envs.paper_forms.paper_form import FormField, PaperForm
from ..field_names import set_apart, slug_of
from ..form_pages import MAX_BYTES, MAX_PAGES, PIXELS_PER_POINT, without_fields
from .labels import Printed, goes_on, lines_of
from .naming import Labels, is_group
from .widgets import Widget, ancestry, annotations_of, resolved

for _name in ("pypdf", "pypdfium2"):
    # What they remark on odd files is no news to those who fill in forms.
    logging.getLogger(_name).setLevel(logging.ERROR)

MAX_INCHES = 28
_MIN_SIDE = 4.0
"""Of a field in pixels."""
_MAX_PRINTED = 50_000
_GAP, _NUMBER_GAP = 0.75, 2.0
"""How far apart characters of a line are at most, and a line number and its words, in heights of the print."""
_LEADERS = "._…·"
_LED = rf"^[{_LEADERS}\s]+|\s[{_LEADERS}]+$|[{_LEADERS[1:]}]+$"
"""What leads the eye from a label to its field."""
FILLED_IN = "filled in already"
_FAULTS = (PyPdfError, PdfiumError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What is raised on files that are broken."""


@dataclass(frozen=True)
class PdfPages:
    """A PDF without its fields.

    Attributes:
        title: as it says, or by the name of the file.
        pictures: of its pages, uint8 (height, width, 3).
        printed: the text on each page, by lines.
        sha256: of the file.
    """

    title: str
    pictures: list[Image]
    printed: list[list[Printed]]
    sha256: str

    def without_fields(self, source: str) -> dict[str, Any]:
        """The arguments of a form on these pages but for its fields; ``source`` is the PDF's name in its folder."""
        return without_fields(self.title, self.pictures, self.sha256, f"pypdfium2 {PYPDFIUM_INFO}", source)

    def form(
        self, fields: Sequence[FormField], source: str, left_out: Mapping[str, Sequence[str]] | None = None
    ) -> PaperForm:
        """A form with some fields on these pages.

        Args:
            fields: at least one.
            source: the name of the PDF in the form's folder.
            left_out: the full names of fields that are left out, by the reason.

        Raises:
            ValueError: if there are none, or one is on none of the pages.
        """
        omitted = {reason: tuple(names) for reason, names in (left_out or {}).items()}
        return PaperForm(**self.without_fields(source), fields=tuple(fields), left_out=omitted)


def read_pdf(path: Path) -> tuple[PdfPages, list[FormField], dict[str, list[str]]]:
    """The pages of a PDF, its fields, and the names of the fields that nobody can or has to fill in, by the reason.

    Raises:
        ValueError: if it is no PDF, broken, locked, too large, or a dynamic XFA form; one sentence says so.
        OSError: if it cannot be read.
    """
    content = _content(path)
    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise ValueError(f"{path} can be opened with its password only: save it without one first") from None
        raise ValueError(f"{path} is broken: its pages cannot be read") from None
    try:
        return _read(path, content, document)
    except _FAULTS as error:
        if isinstance(error, _Refusal):
            raise
        raise ValueError(f"{path} is broken: {one_line(str(error)) or type(error).__name__}") from error
    finally:
        document.close()


class _Refusal(ValueError):
    """A PDF that is not to be read, with the reason."""


def _content(path: Path) -> bytes:
    with open_foreign(path) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES / 1e6:,.0f} MB, which no form is")
    if b"%PDF-" not in content[:1024]:
        raise ValueError(f"{path} is {'no PDF: it does not begin like one' if content else 'empty'}")
    return content


_Form = tuple[PdfPages, list[FormField], dict[str, list[str]]]


def _read(path: Path, content: bytes, document: PdfDocument) -> _Form:
    if len(document) > MAX_PAGES:
        raise _Refusal(f"{path} has {len(document)} pages; {MAX_PAGES} are the most: save those of the form alone")
    reader = PdfReader(io.BytesIO(repaired(document)))
    form = resolved(resolved(reader.trailer["/Root"]).get("/AcroForm")) or {}
    document.init_forms()
    views = [_View(page, f"{path}, page {number}") for number, page in enumerate(document, start=1)]
    widgets, left_out = _widgets(reader, views)
    if "/XFA" in form and not widgets and not left_out:
        raise _Refusal(f"{path} is a dynamic XFA form, which Adobe Reader alone shows: print it to a PDF first")
    title = one_line(document.get_metadata_value("Title"))
    shown = _unticked(reader, widgets) or document
    shown.init_forms()
    pages = PdfPages(
        title if re.search(r"\w{3}", title) and not re.match(r"(?i)untitled|microsoft", title) else _words(path.stem),
        [_picture(page, [w.box for w in widgets if w.page == i and w.shows_default]) for i, page in enumerate(shown)],
        [view.lines for view in views],
        hashlib.sha256(content).hexdigest(),
    )
    return pages, list(_described(widgets, pages.printed)), left_out


def repaired(document: PdfDocument) -> bytes:
    """A PDF as PDFium writes it, repaired and unlocked."""
    whole = io.BytesIO()
    document.save(whole, flags=FPDF_REMOVE_SECURITY)
    return whole.getvalue()


class _View:
    """A page as it is shown, upright and cropped."""

    def __init__(self, page: PdfPage, place: str) -> None:
        self._page, self._crop, self._rotation = page, page.get_bbox(), page.get_rotation()
        self.size = page.get_size()
        if not 0 < max(self.size) <= MAX_INCHES * 72:
            width, height = (side / 72 for side in self.size)
            raise _Refusal(f"{place} is {width:.0f} x {height:.0f} inches large; {MAX_INCHES} are the most")
        self.lines = lines_of(self._parts())

    def box(self, rect: Iterable[float], least: float = _MIN_SIDE) -> Box | None:
        """A rectangle of the PDF in pixels of the picture; ``None`` if it is not on the page, or a side too short."""
        x0, y0, x1, y1 = map(float, rect)
        west, south, east, north = self._crop
        near, far = (min(x0, x1) - west, north - max(y0, y1)), (max(x0, x1) - west, north - min(y0, y1))
        across, down = east - west, north - south
        turned = {
            0: (*near, *far),
            90: (down - far[1], near[0], down - near[1], far[0]),
            180: (across - far[0], down - far[1], across - near[0], down - near[1]),
            270: (near[1], across - far[0], far[1], across - near[0]),
        }[self._rotation]
        seen = intersection(turned, (0.0, 0.0, *self.size))
        if seen is None or min(seen[2] - seen[0], seen[3] - seen[1]) * PIXELS_PER_POINT < least:
            return None
        left, top, right, bottom = (round(edge * PIXELS_PER_POINT, 2) for edge in seen)
        return left, top, right, bottom

    def _parts(self) -> Iterator[Printed]:
        """Runs of characters in one line without a wide gap, without sideways print and fonts that have no mapping."""
        text, run, box = self._page.get_textpage(), "", (0.0, 0.0, 0.0, 0.0)
        count = min(text.count_chars(), _MAX_PRINTED)
        turns = [round(FPDFText_GetCharAngle(text, number) * 2 / math.pi) % 4 for number in range(count)]
        usual = max(set(turns), key=turns.count, default=0)
        for number in (number for number, turn in enumerate(turns) if turn == usual):
            letter = text.get_text_range(number, 1)
            if not letter.strip() or "\ue000" <= letter <= "\uf8ff" or FPDFText_HasUnicodeMapError(text, number) == 1:
                run += " "
                continue
            place = self.box(_em_box(text, number), 0.0)
            if place is None:
                continue
            reach = _NUMBER_GAP if re.fullmatch(r"\d+(\.\d+)*\.\s*|\d+(\.\d+)+\s*", run) else _GAP
            is_next = run and goes_on(box, place, reach) and not (letter in _LEADERS and run.rstrip()[-1:] in _LEADERS)
            if not is_next and re.search(r"\w", run):
                yield Printed(re.sub(_LED, "", one_line(run)), box)
            run, box = (run + letter, union([box, place])) if is_next else (letter, place)
        if re.search(r"\w", run):
            yield Printed(re.sub(_LED, "", one_line(run)), box)


def _em_box(text: PdfTextPage, number: int) -> tuple[float, float, float, float]:
    """The box of a character, as high as its font is large if it is upright."""
    left, low, right, high = text.get_charbox(number)
    matrix, x, y = FS_MATRIX(), c_double(), c_double()
    FPDFText_GetMatrix(text, number, matrix)
    FPDFText_GetCharOrigin(text, number, x, y)
    size = FPDFText_GetFontSize(text, number) * matrix.d
    is_upright = matrix.b == 0 and y.value - size / 2 < (low + high) / 2 < y.value + size
    return (left, y.value - 0.2 * size, right, y.value + 0.8 * size) if is_upright else (left, low, right, high)


def _unticked(reader: PdfReader, widgets: Iterable[Widget]) -> PdfDocument | None:
    """The PDF without the ticks that its boxes begin with; ``None`` if there are none."""
    if not [widget for widget in widgets if widget.untick()]:
        return None
    changed = io.BytesIO()
    PdfWriter(clone_from=reader).write(changed)
    return PdfDocument(changed)


def _picture(page: PdfPage, blank: Sequence[Box]) -> Image:
    """A page with the values that its fields have, but for those in some boxes."""
    shown, bare = (
        page.render(scale=PIXELS_PER_POINT, rev_byteorder=True, may_draw_forms=is_drawn).to_numpy()[..., :3]
        for is_drawn in ((True, False) if blank else (True, True))
    )
    picture: Image = shown.copy()
    for left, top, right, bottom in (map(round, box) for box in blank):
        picture[top:bottom, left:right] = bare[top:bottom, left:right]
    return picture


def _widgets(reader: PdfReader, views: Sequence[_View]) -> tuple[list[Widget], dict[str, list[str]]]:
    """The boxes to fill in, and the names of fields that are left out by the reason."""
    left_out: dict[str, list[str]] = {"": []}
    widgets: list[Widget] = []
    for index, (page, view) in enumerate(zip(reader.pages, views, strict=True)):
        for annotation in annotations_of(page):
            rect = [float(resolved(edge)) for edge in resolved(annotation.get("/Rect")) or ()]
            box = view.box(rect) if len(rect) == 4 else None
            widget = Widget(ancestry(annotation), index, box or (0, 0, 0, 0))
            reason = widget.obstacle or ("" if box else "not on a page") or ("" if widget.name else "without a name")
            widgets += [] if reason else [widget]
            left_out.setdefault(reason, []).append(widget.name)
    left_out[FILLED_IN] = [widget.name for widget in widgets if widget.is_filled_in]
    del left_out[""]
    names = {reason: list(dict.fromkeys(found)) for reason, found in left_out.items() if found}
    return [widget for widget in widgets if widget.name not in left_out[FILLED_IN]], names


def _described(widgets: Sequence[Widget], printed: Sequence[Sequence[Printed]]) -> Iterator[FormField]:
    """The fields of a form, each with a name of its own and a label."""
    by_name: dict[str, list[Widget]] = defaultdict(list)
    for widget in widgets:
        by_name[widget.name].append(widget)
    shared, taken = _shared_beginning(list(by_name)), set[str]()
    labels = Labels(by_name, printed, {name: _words(name[shared:]) for name in by_name})
    for widget in widgets:
        slug, is_grouped = slug_of(widget.name[shared:]), is_group(by_name[widget.name])
        label = labels.of(widget)
        yield FormField(
            name=set_apart(f"{slug}_{slug_of(widget.state)}" if is_grouped else slug, taken),
            label=label,
            matcher=widget.matcher(label),
            box=widget.box,
            comb=widget.comb,
            page=widget.page + 1,
            source_name=widget.name,
            max_length=widget.max_length,
            choices=widget.choices,
            group=slug if is_grouped else None,
            on_value=widget.state or None,
        )


def _shared_beginning(names: Sequence[str]) -> int:
    """The length of the parts, each with its full stop, with which all of several names begin."""
    parts = list(zip(*(name.split(".")[:-1] for name in names), strict=False)) if len(names) > 1 else []
    shared = list(takewhile(lambda part: len(set(part)) == 1, parts))
    return sum(len(part[0]) + 1 for part in shared)


def _words(name: str) -> str:
    """The words of a name."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("[0]", ""))
    return one_line(re.sub(r"[\W_]+", " ", apart)) or name or "field"
