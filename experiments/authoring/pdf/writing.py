"""Filled-in PDF files: values in form fields, with appearances, and text drawn where there are none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import cast
from unicodedata import bidirectional

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from pypdfium2 import PdfDocument

from ....envs.core.boxes import Box
from ....envs.core.text_sprites import SIGNED_FACE, TYPED_FACE
from ....envs.paper_forms.writing import in_cells
from .lettering import Sheets, draw_frame, draw_on_page, lacking, style_of, write_lines
from .reading import repaired
from .widgets import Widget, ancestry, annotations_of, resolved

_LEGIBLE = 6.0
"""Smaller text, in points, is warned of."""


@dataclass(frozen=True)
class Entry:
    """What is written in one place of a PDF.

    Attributes:
        text: what is written; for a button any text: it is ticked.
        page: from 1.
        box: of the field, in pixels of the page's picture; for drawn text of a size also a point, its centre.
        source_name: the full name of the form field; empty: text is drawn on the page.
        on_value: the state that ticks a check box or radio button.
        is_signed: whether it is drawn as by hand.
        comb: of drawn text, the number of cells of one character; 0: it is plain.
        size: of drawn text, in pixels; 0: as it fits into the box.
    """

    text: str
    page: int
    box: Box
    source_name: str = ""
    on_value: str | None = None
    is_signed: bool = False
    comb: int = 0
    size: float = 0.0


@dataclass(frozen=True)
class Filled:
    """A PDF that was filled in.

    Attributes:
        content: of the file; what was there is its beginning, byte for byte, unless it was locked or damaged.
        notes: what a person should know of entries, by their indices.
        remarks: what a person should know of the file.
    """

    content: bytes
    notes: Mapping[int, Sequence[str]]
    remarks: Sequence[str]


def fill_pdf(content: bytes, entries: Sequence[Entry]) -> Filled:
    """A PDF with entries written in it; everything else stays as it is.

    The changes are appended to the file (ISO 32000-2, 7.5.6), so that older signatures stay valid for what they signed.
    Every viewer shows the entries: fields get appearances with embedded typefaces.

    Raises:
        ValueError: if an entry is for a page that there is not.
    """
    return _Filling(content).done(entries)


class _Filling:
    """A PDF that is being filled in."""

    def __init__(self, content: bytes) -> None:
        self._remarks: list[str] = []
        if flaw := _flaw(content):
            self._remarks.append(f"The file was {flaw}, so that it was written anew.")
            with PdfDocument(content) as document:
                content = repaired(document)
        self._writer = PdfWriter(BytesIO(content), incremental=True)
        self._sheets = Sheets()
        self._uses: list[Callable[[IndirectObject], None]] = []
        """What each sheet is for."""

    def done(self, entries: Sequence[Entry]) -> Filled:
        """The file with entries in it."""
        notes = {number: found for number, entry in enumerate(entries) if (found := list(self._enter(entry)))}
        for number in sorted({entry.page for entry in entries}):
            self._draw([entry for entry in entries if entry.page == number and self._is_drawn(entry)], number)
        for form, use in zip(self._sheets.into(self._writer), self._uses, strict=True):
            use(form)
        self._finish_form({entry.source_name for entry in entries})
        output = BytesIO()
        self._writer.write(output)
        return Filled(output.getvalue(), notes, self._remarks)

    @cached_property
    def _widgets(self) -> dict[str, list[Widget]]:
        """The boxes of the fields by the fields' full names."""
        found: dict[str, list[Widget]] = {}
        for index, page in enumerate(self._writer.pages):
            for annotation in annotations_of(page):
                widget = Widget(ancestry(annotation), index, (0, 0, 0, 0))
                found.setdefault(widget.name, []).append(widget)
        return found

    def _is_drawn(self, entry: Entry) -> bool:
        """Whether an entry is drawn on its page: it is in no field, or in one for signatures."""
        widgets = self._widgets.get(entry.source_name)
        return not widgets or widgets[0].get("/FT") == "/Sig"

    # -- Fields --------------------------------------------------------------------------------------------------------

    def _enter(self, entry: Entry) -> Iterator[str]:
        """Set the field of an entry, if it has one; notes on it."""
        if not 1 <= entry.page <= len(self._writer.pages):
            raise ValueError(f"there is no page {entry.page}; the file has {len(self._writer.pages)}")
        if self._is_drawn(entry):
            yield from _letters(entry.text, SIGNED_FACE if entry.is_signed else TYPED_FACE)
            return
        widgets = self._widgets[entry.source_name]
        if widgets[0].obstacle:
            yield f"was not written: the field is {widgets[0].obstacle}"
        elif widgets[0].ticked:
            yield from _tick(widgets, entry.on_value)
        else:
            yield from self._write(widgets, entry.text)

    def _write(self, widgets: Sequence[Widget], text: str) -> Iterator[str]:
        """Set a text field, or choose of a list; notes on it."""
        widget, node = widgets[0], _node(widgets[0])
        value = text if widget.is_multiline else " ".join(text.split())
        if widget.max_length and len(value) > widget.max_length:
            longer, value = value, in_cells(value, widget.comb) if widget.comb else ""
            if not value:
                yield f"was not written: it has {len(longer)} characters, and the field takes {widget.max_length}"
                return
        stored = value
        if widget.get("/FT") == "/Ch":
            names = [shown.casefold() for _, shown in widget.listed]
            index = names.index(value.casefold()) if value.casefold() in names else None
            if index is None and not widget.is_editable:
                yield f"was not written: it is none of {', '.join(widget.choices)}"
                return
            node.pop("/I", None)
            if index is not None:
                stored, value = widget.listed[index]
                node[NameObject("/I")] = ArrayObject([NumberObject(index)])
        node[NameObject("/V")] = TextStringObject(stored)
        node.pop("/RV", None)
        yield from dict.fromkeys(note for one in widgets for note in self._show(one, value))

    def _show(self, widget: Widget, text: str) -> Iterator[str]:
        """Give a box an appearance with a text, and the background and border that it has; notes on it."""
        annotation = cast(DictionaryObject, widget.chain[0])
        x, y, right, top = (float(edge) for edge in resolved(annotation["/Rect"]))
        turn = int(resolved(annotation.get("/MK", {})).get("/R", 0)) % 360
        width, height = (abs(right - x), abs(top - y))[:: -1 if turn % 180 else 1]
        canvas = self._sheets.begin(width, height)
        inset = draw_frame(canvas, annotation, width, height)
        style = style_of(widget, self._form)
        layout = write_lines(canvas, text, (inset, inset, width - inset, height - inset), style)

        def use(form: IndirectObject) -> None:
            matrix = {90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}.get(turn, (1, 0, 0, 1))
            stream = cast(DictionaryObject, form.get_object())
            stream[NameObject("/Matrix")] = ArrayObject(NumberObject(n) for n in (*matrix, 0, 0))
            annotation[NameObject("/AP")] = DictionaryObject({NameObject("/N"): form})

        self._uses.append(use)
        if not layout.fits:
            yield "is too long for its box: its end does not show"
        elif layout.size < _LEGIBLE:
            yield f"is small: {layout.size:g} points"
        yield from _letters(text, style.face)

    # -- Text on pages -------------------------------------------------------------------------------------------------

    def _draw(self, entries: Sequence[Entry], number: int) -> None:
        """Draw texts on a page."""
        if not entries:
            return
        page = self._writer.pages[number - 1]
        (width, height), matrix = page_geometry(page)
        canvas = self._sheets.begin(width, height)
        for entry in entries:
            draw_on_page(canvas, entry.text, entry.box, height, entry.is_signed, entry.comb, entry.size)
        self._uses.append(lambda form: self._lay_over(page, form, matrix))

    def _lay_over(self, page: PageObject, form: IndirectObject, matrix: Sequence[float]) -> None:
        """Draw a form XObject over a page, whatever state its content leaves."""
        name = NameObject(f"/FormgymText{form.idnum}")
        resources = DictionaryObject(resolved(page.get("/Resources")) or {})
        objects = DictionaryObject(resolved(resources.get("/XObject")) or {})
        objects[name], resources[NameObject("/XObject")] = form, objects
        page[NameObject("/Resources")] = resources
        old = resolved(page.get("/Contents"))
        kept = old if isinstance(old, ArrayObject) else [page.raw_get("/Contents")] if old is not None else []
        after = f"\nQ q {' '.join(f'{n:g}' for n in matrix)} cm {name} Do Q\n"
        page[NameObject("/Contents")] = ArrayObject([self._stream("q\n"), *kept, self._stream(after)])

    def _stream(self, text: str) -> IndirectObject:
        stream = DecodedStreamObject()
        stream.set_data(text.encode())
        return self._writer._add_object(stream)

    # -- The form ------------------------------------------------------------------------------------------------------

    @property
    def _form(self) -> DictionaryObject:
        form = resolved(self._writer.root_object.get("/AcroForm"))
        return form if isinstance(form, DictionaryObject) else DictionaryObject()

    def _finish_form(self, entered: Collection[str]) -> None:
        """Make viewers show the appearances that were drawn; remark on what the file has besides."""
        form, widgets = self._form, [one for widgets in self._widgets.values() for one in widgets]
        if getattr(form.get("/NeedAppearances"), "value", False) and all(
            "/AP" in one.chain[0] or not one.get("/V") for one in widgets
        ):
            form[NameObject("/NeedAppearances")] = BooleanObject(False)
        if form.pop("/XFA", None) is not None:
            self._remarks.append("Its XFA description was removed: viewers show the fields of the PDF itself.")
        kept = [one.name for one in widgets if one.name not in entered and not one.obstacle and one.shows_value]
        if kept:
            self._remarks.append(f"Fields that keep the value that they had: {', '.join(dict.fromkeys(kept))}")
        if any(one.get("/FT") == "/Sig" and one.get("/V") for one in widgets):
            self._remarks.append("It is signed; viewers show that it was changed after it was signed.")


def _flaw(content: bytes) -> str:
    """Why changes cannot be appended to a file; empty if they can."""
    try:
        reader = PdfReader(BytesIO(content), strict=True)
        return "locked" if reader.is_encrypted else "" if len(reader.pages) else "damaged"
    except (PyPdfError, ValueError, LookupError, TypeError, AttributeError):
        return "damaged"


def page_geometry(page: PageObject) -> tuple[tuple[float, float], tuple[float, ...]]:
    """Width and height of a page as it is shown, in points, and the matrix from there to its own coordinates."""
    crop, media = page.cropbox, page.mediabox
    left, bottom = max(float(crop.left), float(media.left)), max(float(crop.bottom), float(media.bottom))
    right, top = min(float(crop.right), float(media.right)), min(float(crop.top), float(media.top))
    matrices = {
        0: (1, 0, 0, 1, left, bottom),
        90: (0, 1, -1, 0, right, bottom),
        180: (-1, 0, 0, -1, right, top),
        270: (0, -1, 1, 0, left, top),
    }
    turn = page.rotation % 360
    return (right - left, top - bottom)[:: -1 if turn % 180 else 1], matrices[turn]  # type: ignore[return-value]


def _node(widget: Widget) -> DictionaryObject:
    """The dictionary of a box's field."""
    return cast(DictionaryObject, widget.named)


def _tick(widgets: Sequence[Widget], on_value: str | None) -> Iterator[str]:
    """Tick the boxes of a field that have a state, and no others; notes on it."""
    states = [one.state for one in widgets]
    state = states[0] if on_value is None or len(set(states)) == 1 else on_value
    if state not in states:
        yield f"was not ticked: its states are {', '.join(states)}"
        return
    _node(widgets[0])[NameObject("/V")] = NameObject(f"/{state}")
    for one in widgets:
        annotation = cast(DictionaryObject, one.chain[0])
        annotation[NameObject("/AS")] = NameObject(f"/{state}" if one.state == state else "/Off")


def _letters(text: str, face: str) -> Iterator[str]:
    """What letters of a text are not drawn as they should be."""
    if unknown := lacking(text, face):
        yield f"holds {unknown}, which the typeface lacks: drawn as boxes"
    if any(bidirectional(c) in ("R", "AL") for c in text):
        yield "is written from right to left, and was drawn from left to right"
