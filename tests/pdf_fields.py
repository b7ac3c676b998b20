"""The AcroForm of the forms of ``pdf_forms``: the tree of fields and their widgets, by pypdf."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import IO, Any

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    RectangleObject,
    TextStringObject,
)

KINDS = {
    "text": ("/Tx", 0),
    "check": ("/Btn", 0),
    "checks": ("/Btn", 0),
    "radio": ("/Btn", 1 << 15 | 1 << 14),
    "group": ("/Btn", 0),
    "choice": ("/Ch", 1 << 17),
    "list": ("/Ch", 0),
    "signature": ("/Sig", 0),
    "button": ("/Btn", 1 << 16),
}
"""Type and flags of each kind of field; a group is of check boxes of one name, one of which is ticked."""
FLAGS = {"readonly": 1, "required": 2, "multiline": 1 << 12, "edit": 1 << 18, "multiple": 1 << 21, "comb": 1 << 24}
SCRIPTS = {
    "date": 'AFDate_{on}Ex("{how}")',
    "number": 'AFNumber_{on}({how}, 0, 0, 0, "", true)',
    "comma": 'AFNumber_{on}({how}, 2, 0, 0, "", true)',
    "money": 'AFNumber_{on}({how}, 0, 0, 0, "$", true)',
    "special": "AFSpecial_{on}({how})",
}
"""Acrobat's format scripts; ``how`` is a pattern, the decimals, or 0 ZIP, 1 ZIP+4, 2 phone, 3 social security.

Numbers by comma are written 1.234,56.
"""


@dataclass(frozen=True)
class Widget:
    """One box of a field: ``rect`` in points of the media box, the cell it is from, its on state, its rotation."""

    page: int
    key: str
    rect: tuple[float, ...]
    cell: dict[str, Any]
    state: str
    rotation: int


def add_fields(file: IO[bytes], form: dict[str, Any], widgets: list[Widget], names: dict[str, str]) -> bytes:
    """The PDF of ``file`` with its widgets as an AcroForm; ``names`` are the full names of the fields by key."""
    writer = PdfWriter(clone_from=file)
    if bleed := form.get("bleed"):
        for page in writer.pages:
            page.cropbox = RectangleObject((bleed, bleed, page.mediabox.right - bleed, page.mediabox.top - bleed))
    tree = _Tree(writer, form)
    for key in dict.fromkeys(widget.key for widget in widgets):
        tree.add(names[key], [widget for widget in widgets if widget.key == key])
    writer.root_object[NameObject("/AcroForm")] = tree.acroform()
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()


def pdf_object(value: Any) -> PdfObject:
    """A Python value as an object of pypdf: a text of one word that begins with a slash is a name."""
    if isinstance(value, PdfObject):
        return value
    if isinstance(value, dict):
        return DictionaryObject({NameObject(key): pdf_object(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return ArrayObject(map(pdf_object, value))
    if isinstance(value, str):
        return NameObject(value) if re.fullmatch(r"/\S+", value) else TextStringObject(value)
    return FloatObject(value) if isinstance(value, float) else NumberObject(value)


class _Tree:
    """The tree of fields while it grows: its inner nodes by full name."""

    def __init__(self, writer: PdfWriter, form: dict[str, Any]) -> None:
        self.writer, self.form = writer, form
        self.nodes: dict[str, IndirectObject] = {}
        self.roots: list[IndirectObject] = []
        fonts = {"/Helv": "/Helvetica", "/ZaDb": "/ZapfDingbats"}
        self.fonts = {
            name: self._object({"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": font})
            for name, font in fonts.items()
        }

    def acroform(self) -> IndirectObject:
        """The finished form."""
        return self._object({"/Fields": self.roots, "/DR": {"/Font": self.fonts}, "/DA": "/Helv 0 Tf 0 g"})

    def add(self, name: str, widgets: list[Widget]) -> None:
        """Hang a field into the tree: one object with its widget, or above them where it has several."""
        content, cell = _field(widgets[0].cell, self.form), widgets[0].cell
        if len(widgets) == 1 and cell.get("k") not in ("radio", "group"):
            return self._show(widgets[0], self._hang(name, content))
        field = self._hang(name, {**content, "/Kids": []})
        for widget in widgets:
            kid = self._object({"/Parent": field})
            field.get_object()["/Kids"].append(kid)
            self._show(widget, kid)
        return None

    def _object(self, value: dict[str, Any]) -> IndirectObject:
        return self.writer._add_object(pdf_object(value))

    def _hang(self, name: str, content: dict[str, Any]) -> IndirectObject:
        above, _, last = name.rpartition(".")
        if above and above not in self.nodes:
            self.nodes[above] = self._hang(above, {"/Kids": []})
        parent = {"/Parent": self.nodes[above]} if above else {}
        node = self._object({"/T": last, **parent, **content})
        (self.nodes[above].get_object()["/Kids"] if above else self.roots).append(node)
        return node

    def _show(self, widget: Widget, node: IndirectObject) -> None:
        """Make ``node`` the annotation of a widget on its page."""
        cell, page = widget.cell, self.writer.pages[widget.page]
        look: dict[str, Any] = {
            "/Type": "/Annot",
            "/Subtype": "/Widget",
            "/Rect": [widget.rect[i] for i in ((0, 3, 2, 1) if self.form.get("flipped") else range(4))],
            "/F": 2 if cell.get("hidden") else 4,
            "/P": page.indirect_reference,
            "/MK": {"/R": widget.rotation} if widget.rotation else {},
        }
        if widget.state:
            look["/AP"] = {"/N": {f"/{widget.state}": self._mark(widget), "/Off": self._stream(widget, "")}}
            look["/AS"] = f"/{widget.state}" if str(cell.get("v")) == widget.state else "/Off"
        elif "v" in cell or cell.get("k") == "button":
            text = cell.get("v", cell.get("caption"))
            low = max(2, (self._size(widget)[1] - 6) / 2)
            look["/AP"] = {"/N": self._stream(widget, f"/Tx BMC q BT /Helv 8 Tf 0 g 2 {low} Td ({text}) Tj ET Q EMC")}
            look["/MK"] |= {"/CA": text, "/BG": [0.85]} if cell.get("k") == "button" else {}
        node.get_object().update(pdf_object(look))
        page.setdefault(NameObject("/Annots"), ArrayObject()).append(node)

    def _size(self, widget: Widget) -> tuple[float, float]:
        width, height = widget.rect[2] - widget.rect[0], widget.rect[3] - widget.rect[1]
        return (height, width) if widget.rotation else (width, height)

    def _mark(self, widget: Widget) -> IndirectObject:
        """A tick or cross in a check box, a bullet in a radio button."""
        side = min(self._size(widget))
        mark = "l" if widget.cell["k"] == "radio" else self.form.get("mark", "4")
        place = f"{side * 0.14} {side * 0.18} Td"
        return self._stream(widget, f"q BT /ZaDb {side * 0.9} Tf 0 g {place} ({mark}) Tj ET Q")

    def _stream(self, widget: Widget, drawing: str) -> IndirectObject:
        stream, (width, height) = DecodedStreamObject(), self._size(widget)
        stream.set_data(drawing.encode("latin-1"))
        head = {"/Type": "/XObject", "/Subtype": "/Form", "/BBox": [0, 0, width, height]}
        turn = {"/Matrix": [0, 1, -1, 0, height, 0]} if widget.rotation else {}
        stream.update(pdf_object({**head, **turn, "/Resources": {"/Font": self.fonts}}))
        return self.writer._add_object(stream)


def _field(cell: dict[str, Any], form: dict[str, Any]) -> dict[str, Any]:
    """What the dictionary of a field holds beside its name and its widgets."""
    kind = cell.get("k", "text")
    field_type, bits = KINDS[kind]
    flags = [*cell.get("flags", "").split(), *(["comb"] if "comb" in cell else [])]
    content: dict[str, Any] = {"/FT": field_type, "/Ff": bits | sum(FLAGS[flag] for flag in flags)}
    tip = cell.get("tip") or (form.get("tips") and cell.get("l"))
    if tip:
        content["/TU"] = tip
    if field_type in ("/Tx", "/Ch"):
        content["/DA"] = f"/Helv {cell.get('entry', form.get('entry', 0))} Tf 0 g"
    if limit := cell.get("comb", cell.get("max")):
        content["/MaxLen"] = limit
    if kind in ("choice", "list"):
        content["/Opt"] = [[str(k), v] for k, v in cell["of"].items()] if isinstance(cell["of"], dict) else cell["of"]
    if "v" in cell:
        content["/V"] = content["/DV"] = str(cell["v"]) if field_type != "/Btn" else f"/{cell['v']}"
    if "js" in cell:
        how, _, rest = cell["js"].partition(" ")
        content["/AA"] = {
            key: {"/S": "/JavaScript", "/JS": SCRIPTS[how].format(on=on, how=rest)}
            for key, on in (("/F", "Format"), ("/K", "Keystroke"))
        }
    return content
