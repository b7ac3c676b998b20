"""PowerPoint files as others make them: with layouts, notes, a chart, animations and XML that nobody knows."""

from __future__ import annotations

import io
import zipfile

from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

_TIMING = """<p:timing xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:tnLst><p:par>
<p:cTn id="1" dur="indefinite" nodeType="tmRoot"><p:childTnLst><p:seq><p:cTn id="2" dur="indefinite" nodeType="mainSeq">
<p:childTnLst>{effects}</p:childTnLst></p:cTn></p:seq></p:childTnLst></p:cTn></p:par></p:tnLst>
<p:bldLst>{builds}</p:bldLst></p:timing>"""
_EFFECT = """<p:par><p:cTn id="{id}" presetID="1" presetClass="entr"><p:childTnLst><p:set><p:cBhvr><p:cTn id="{id}0"/>
<p:tgtEl><p:spTgt spid="{shape}"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par>"""
_UNKNOWN = """<p:extLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">
<p:ext uri="{11111111-2222-3333-4444-555555555555}"><z:odd xmlns:z="urn:example:odd" kept="yes">words</z:odd></p:ext>
</p:extLst>"""


def foreign_deck() -> bytes:
    """A deck of three slides: a title, a list, and one with a bit of everything."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "Harbour plans", "What we build next year"
    first.notes_slide.notes_text_frame.text = "Speak slowly"
    _listed(deck.slides.add_slide(deck.slide_layouts[1]))
    _mixed(deck.slides.add_slide(deck.slide_layouts[5]))
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def members(content: bytes) -> dict[str, bytes]:
    """The parts of a package by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return {name: package.read(name) for name in package.namelist()}


def _listed(slide) -> None:
    slide.shapes.title.text = "Three steps"
    frame = slide.placeholders[1].text_frame
    frame.text = "Dig the basin"
    frame.add_paragraph().text = "Lay the quay"
    last = frame.add_paragraph()
    last.text = "Open the gate"
    run = last.add_run()
    run.text, run.font.bold, run.hyperlink.address = " in May", True, "https://example.org"


def _mixed(slide) -> None:
    shapes = slide.shapes
    shapes.title.text = "Figures"
    numbers = CategoryChartData()
    numbers.categories = ["east", "west"]
    numbers.add_series("boats", (12, 20))
    shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), numbers)
    table = shapes.add_table(3, 2, Inches(6), Inches(2), Inches(4), Inches(1.5)).table
    for i, row in enumerate((("Pier", "Boats"), ("east", "12"), ("west", "20"))):
        for k, text in enumerate(row):
            table.cell(i, k).text = text
    file = io.BytesIO()
    Image.new("RGB", (80, 60), (200, 60, 40)).save(file, "PNG")
    file.seek(0)
    shapes.add_picture(file, Inches(10.5), Inches(2), Inches(2), Inches(1.5))
    button = shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, Inches(1), Inches(5.5), Inches(2), Inches(1))
    button.text, button.name = "Go", "go button"
    line = shapes.add_connector(MSO_CONNECTOR.STRAIGHT, Inches(3), Inches(6), Inches(6), Inches(6.5))
    line.begin_connect(button, 3)
    group = shapes.add_group_shape()
    group.shapes.add_shape(MSO_SHAPE.OVAL, Inches(7), Inches(5.5), Inches(1), Inches(1))
    group.shapes.add_textbox(Inches(8.1), Inches(5.6), Inches(2), Inches(0.6)).text_frame.text = "grouped words"
    group.width, group.rotation = group.width * 2, 15
    remark = shapes.add_textbox(Inches(1), Inches(1.6), Inches(3), Inches(0.4)).text_frame
    remark.text = "A plain remark"
    remark.paragraphs[0].runs[0].font.size = Pt(14)
    moving = (button.shape_id, slide.shapes.title.shape_id)
    effects = "".join(_EFFECT.format(id=i + 3, shape=shape) for i, shape in enumerate(moving))
    builds = "".join(f'<p:bldP spid="{shape}" grpId="0"/>' for shape in moving)
    slide._element.append(parse_xml(_TIMING.format(effects=effects, builds=builds)))
    slide._element.append(parse_xml(_UNKNOWN))
