"""What pages of decks hold beyond shapes and texts: crops, charts, backdrops, inherited shapes, outlines, notes."""

import io
from itertools import pairwise

import numpy as np
import pytest
from lxml import etree
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Pt

from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.charts import value_steps
from formgym.envs.documents.painting.geometry import outline_of, preset_outline, presets
from formgym.envs.documents.painting.pictures import embed, picture
from formgym.envs.documents.painting.texts import text_height, typeset
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.scene.charts import Chart, Series
from formgym.envs.documents.scene.document import Document, Page
from formgym.envs.documents.scene.elements import Element, Run, Style

QUARTERS = np.zeros((40, 40, 3), np.uint8)
QUARTERS[:20, :20], QUARTERS[:20, 20:], QUARTERS[20:, :20] = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def _png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def _document(**fields):
    return Document(name="a", title="A", kind="slides", pages=(Page(width=200, height=100, **fields),))


@pytest.mark.parametrize(
    ("crop", "corners"),
    [
        ((0, 0, 0, 0), [(255, 0, 0), (0, 255, 0), (0, 0, 255)]),
        ((0.5, 0, 0, 0.5), [(0, 255, 0), (0, 255, 0), (0, 255, 0)]),
        ((0, -0.5, 0, 0.5), [None, None, (255, 0, 0)]),
    ],
    ids=["whole", "cut", "with room"],
)
def test_a_crop_chooses_what_of_a_picture_fills_its_box(crop, corners):
    shown = np.asarray(picture(embed(_png(QUARTERS)), 60, 60, crop))
    for (y, x), colour in zip([(10, 15), (10, 45), (50, 15)], corners, strict=True):
        assert (shown[y, x, 3] == 0) if colour is None else tuple(shown[y, x, :3]) == colour


def test_a_page_is_painted_on_its_backdrop_and_what_it_inherits():
    box = Element(id="bar", type="shape", shape="rectangle", bbox=(0, 80, 200, 20), style={"fill": (1, 2, 3)})
    cover = box.model_copy(update={"id": "e1", "bbox": (100, 90, 100, 10)})
    document = _document(backdrop="gradient/0/000000/ffffff", inherited=(box,), elements=(cover,))
    page = painted(document, 0)
    assert page[10, 2].max() < 10 < 245 < page[10, -3].min()
    assert abs(int(page[10, 100, 0]) - 128) < 3
    assert tuple(page[85, 50]) == tuple(page[95, 150]) == (1, 2, 3)
    assert document.find("bar") is None
    assert Document.model_validate(document.dump()) == document


COLUMNS = Chart(
    kind="column",
    title="Visitors",
    categories=("May", "June"),
    series=(Series(name="2023", values=(4, -2)), Series(name="2024", values=(None, 12.5))),
    colours=((250, 0, 0), (0, 0, 250)),
    has_legend=True,
)


def _count(page, colour):
    return int((page == colour).all(axis=2).sum())


@pytest.mark.parametrize("kind", ["column", "bar"])
def test_bars_are_as_long_as_their_values(kind):
    chart = Element(id="c", type="chart", bbox=(0, 0, 400, 300), chart=COLUMNS.model_copy(update={"kind": kind}))
    document = Document(name="a", title="A", kind="slides", pages=(Page(width=400, height=300, elements=(chart,)),))
    page = painted(document, 0)
    red, blue = _count(page, (250, 0, 0)), _count(page, (0, 0, 250))
    key = (chart.style.size // 2) ** 2
    assert (blue - key) / (red - key) == pytest.approx(12.5 / 6, rel=0.1)


def test_slices_of_a_pie_have_the_areas_of_their_shares():
    pie = Chart(
        kind="pie",
        categories=("a", "b"),
        series=(Series(values=(1, 3)),),
        colours=((250, 0, 0), (0, 0, 250)),
    )
    chart = Element(id="c", type="chart", bbox=(0, 0, 200, 100), chart=pie)
    page = painted(_document(elements=(chart,)), 0)
    assert _count(page, (0, 0, 250)) / _count(page, (250, 0, 0)) == pytest.approx(3, rel=0.05)


def test_the_value_axis_has_few_round_steps_around_all_values():
    for low, high in ((0, 1), (-3, 12.5), (0, 0), (1000, 52_000), (0.001, 0.002), (-8, -2)):
        chart = Chart(kind="line", categories=("a", "b"), series=(Series(values=(low, high)),))
        steps = value_steps(chart)
        assert steps[0] <= min(low, 0) <= max(high, 0) <= steps[-1]
        assert len({round(b - a, 9) for a, b in pairwise(steps)}) == 1
        assert len(steps) <= 12


def test_a_chart_needs_a_value_for_each_category():
    with pytest.raises(ValueError, match="series 1 has 1 values for 2 categories"):
        Chart(kind="pie", categories=("a", "b"), series=(Series(values=(1,)),))


@pytest.mark.parametrize("name", sorted(presets()))
def test_presets_fill_their_boxes(name):
    points = [point for part, _ in preset_outline(name, 300.0, 200.0) for point in part]
    # The tips of callouts, and what mathematical signs leave free, are beyond or within the box.
    slack = 80 if "allout" in name or "math" in name else 8
    for k, size in enumerate((300, 200)):
        values = [point[k] for point in points]
        assert -slack <= min(values) < size / 2 + 1
        assert size / 2 - 1 < max(values) <= size + slack


def _deck(change):
    """The document of a deck of one slide of 720 x 540 points, which ``change`` fills."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    change(slide)
    file = io.BytesIO()
    deck.save(file)
    return open_deck(file.getvalue(), "deck.pptx")


def _box(slide, kind, *place):
    return slide.shapes.add_shape(kind, *(Pt(edge) for edge in place))


def test_presets_of_decks_have_their_outlines():
    def fill(slide):
        arrow = _box(slide, MSO_SHAPE.LEFT_ARROW, 72, 72, 144, 72)
        arrow.adjustments[0] = 0.25
        _box(slide, MSO_SHAPE.OVAL, 72, 200, 144, 72)
        _box(slide, MSO_SHAPE.DONUT, 300, 200, 90, 90)

    document = _deck(fill)
    arrow, oval, ring = document.elements_of_page(0)
    assert (arrow.shape, arrow.angle, oval.shape, oval.path) == ("arrow", 0, "ellipse", "")
    ((points, is_closed),) = outline_of(arrow.path)
    assert is_closed
    assert min(points) == (0, 0.5)
    assert sorted({y for _, y in points}) == [0, 0.375, 0.5, 0.625, 1]
    page = painted(document, 0)
    left, top, width, height = ring.bbox
    assert tuple(page[top + height // 2, left + width // 2]) == (255, 255, 255)
    assert tuple(page[top + height // 2, left + width // 8]) == ring.style.fill


def test_freeforms_have_their_own_outlines():
    def fill(slide):
        builder = slide.shapes.build_freeform(Pt(100), Pt(100))
        builder.add_line_segments([(Pt(200), Pt(100)), (Pt(200), Pt(300))])
        builder.convert_to_shape()

    document = _deck(fill)
    (element,) = document.elements_of_page(0)
    assert element.path == "M0 0 1000 0 1000 1000Z"
    left, top, width, height = element.bbox
    page = painted(document, 0)
    assert tuple(page[top + height // 4, left + 3 * width // 4]) == element.style.fill
    assert tuple(page[top + 3 * height // 4, left + width // 4]) == (255, 255, 255)


_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"


def _fill_of_picture(slide):
    """A fill with a picture of four quarters."""
    _, link = slide.part.get_or_add_image_part(io.BytesIO(_png(QUARTERS)))
    r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    stretched = '<a:srcRect l="50000"/><a:stretch><a:fillRect/></a:stretch>'
    return etree.fromstring(
        f'<a:blipFill xmlns:a="{_A}" xmlns:r="{r}"><a:blip r:embed="{link}"/>{stretched}</a:blipFill>'
    )


def test_a_shape_that_is_filled_with_a_picture_is_a_picture_in_its_outline():
    def fill(slide):
        properties = _box(slide, MSO_SHAPE.OVAL, 0, 0, 200, 100)._element.spPr
        properties.insert(2, _fill_of_picture(slide))

    document = _deck(fill)
    (element,) = document.elements_of_page(0)
    assert (element.type, element.crop) == ("image", (0.5, 0, 0, 0))
    page = painted(document, 0)
    _, _, width, height = element.bbox
    assert tuple(page[1, 1]) == (255, 255, 255)
    assert page[height // 4, width // 2][1] > 200 > 100 > page[height // 4, width // 2][0]


def test_pages_have_the_backgrounds_shapes_and_notes_of_their_slides():
    def fill(slide):
        slide.notes_slide.notes_text_frame.text = "Wait here.\nThen go on."
        master = slide.slide_layout.slide_master
        bar = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, 0, Pt(500), Pt(720), Pt(40))._element
        master.shapes._spTree.append(bar)
        ground = etree.SubElement(etree.Element(f"{{{_P}}}bg"), f"{{{_P}}}bgPr")
        ground.append(_fill_of_picture(slide))
        slide._element.cSld.insert(0, ground.getparent())

    document = _deck(fill)
    (page,) = document.pages
    assert page.notes == "Wait here.\nThen go on."
    assert not page.elements
    (bar,) = page.inherited
    assert tuple(painted(document, 0)[710, 400]) == bar.style.fill
    assert page.backdrop.startswith("embedded/")


def test_lines_have_bends_and_heads():
    def fill(slide):
        straight = slide.shapes.add_connector(1, Pt(100), Pt(100), Pt(300), Pt(100))
        straight.line._get_or_add_ln().append(etree.Element(f"{{{_A}}}tailEnd", type="triangle"))
        slide.shapes.add_connector(2, Pt(100), Pt(200), Pt(300), Pt(300))
        slide.shapes.add_connector(1, Pt(100), Pt(350), Pt(300), Pt(400))

    headed, bent, plain = _deck(fill).elements_of_page(0)
    assert [is_closed for _, is_closed in outline_of(headed.path)] == [False, True]
    assert bent.path == "M0 0 500 0 500 1000 1000 1000"
    assert plain.path == ""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("COLUMN_CLUSTERED", ("column", False)),
        ("BAR_STACKED", ("bar", True)),
        ("LINE", ("line", False)),
        ("PIE", ("pie", False)),
        ("RADAR", ("other", False)),
    ],
)
def test_charts_are_read_with_their_data(kind, expected):
    def fill(slide):
        data = CategoryChartData()
        data.categories = ["May", "June"]
        data.add_series("Visitors", (4, 12.5))
        if kind != "PIE":
            data.add_series("Guides", (None, 3))
        frame = slide.shapes.add_chart(XL_CHART_TYPE[kind], 0, 0, Pt(400), Pt(300), data)
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = "By month"
        frame.chart.has_legend = True

    (element,) = _deck(fill).elements_of_page(0)
    chart = element.chart
    assert (chart.kind, chart.stacked) == expected
    assert (element.text, chart.categories, chart.has_legend) == ("By month", ("May", "June"), True)
    assert chart.series[0] == Series(name="Visitors", values=(4, 12.5))
    assert [row.values for row in chart.series[1:]] == ([] if kind == "PIE" else [(None, 3)])


def test_stacked_bars_stand_on_each_other():
    chart = COLUMNS.model_copy(update={"stacked": True, "series": COLUMNS.series[1:] * 2, "has_legend": False})
    assert value_steps(chart)[-1] >= 25
    element = Element(id="c", type="chart", bbox=(0, 0, 400, 300), chart=chart)
    document = Document(name="a", title="A", kind="slides", pages=(Page(width=400, height=300, elements=(element,)),))
    page = painted(document, 0)
    red, blue = (np.argwhere((page == colour).all(axis=2)) for colour in chart.colours)
    assert set(red[:, 1]) == set(blue[:, 1])
    assert len(red) == pytest.approx(len(blue), rel=0.03)


def test_other_typefaces_are_as_wide_as_they_are_measured():
    text = (Run(text="The board met again in October and costs fell by 12 percent"),)
    wide = {face: typeset(text, Style(face=face, size=14), 2000)[0].width for face in ("Arial", "Calibri", "Verdana")}
    # Advance widths of the three, by their font files.
    assert wide["Calibri"] / wide["Arial"] == pytest.approx(0.912, abs=0.01)
    assert wide["Verdana"] / wide["Arial"] == pytest.approx(1.131, abs=0.01)
    large = typeset(text, Style(face="Arial", size=280), 9999)[0].width
    assert wide["Arial"] == pytest.approx(large / 20, abs=0.1)


def test_paragraphs_have_their_spacing():
    def fill(slide):
        frame = slide.shapes.add_textbox(0, 0, Pt(400), Pt(200)).text_frame
        frame.text = "One\nTwo\nThree"
        for paragraph in frame.paragraphs:
            paragraph.space_before, paragraph.space_after = Pt(6), Pt(3)

    (element,) = _deck(fill).elements_of_page(0)
    # A pixel is three quarters of a point on this slide.
    assert element.style.spacing == 12
    plain = element.model_copy(update={"style": element.style.model_copy(update={"spacing": 0})})
    assert text_height(element) - text_height(plain) == pytest.approx(24, abs=1)


def test_the_largest_text_at_the_top_is_the_title_where_nothing_is_marked_as_one():
    def fill(slide):
        for text, top, size in (("Small print", 10, 10), ("Harbour days", 60, 40), ("Body text", 300, 18)):
            frame = slide.shapes.add_textbox(0, Pt(top), Pt(400), Pt(50)).text_frame
            frame.text = text
            frame.paragraphs[0].runs[0].font.size = Pt(size)

    document = _deck(fill)
    assert [element.name for element in document.elements_of_page(0)] == ["text box 1", "title", "text box 2"]
    assert document.pages[0].headline == "Harbour days"


def test_tables_have_the_heights_and_colours_of_their_rows():
    def fill(slide):
        table = slide.shapes.add_table(4, 2, 0, 0, Pt(300), Pt(240)).table
        table.rows[0].height = Pt(90)
        for row in table.rows:
            row.cells[0].text = row.cells[1].text = "x"
        table.cell(2, 0).fill.solid()
        table.cell(2, 0).fill.fore_color.rgb = RGBColor(0, 128, 0)

    document = _deck(fill)
    (table,) = document.elements_of_page(0)
    assert table.rows == (120, 80, 80, 80)
    # The style of tables that python-pptx makes: white on the first accent, below it two tints.
    accent, white = (79, 129, 189), (255, 255, 255)
    bands = ((185, 205, 229), (220, 230, 242))
    assert (table.style.fill, table.style.head, table.style.bands) == (accent, white, bands)
    assert [[one.fill for one in row] for row in table.formats][2] == [(0, 128, 0), None]
    page, middle = painted(document, 0), table.bbox[2] // 4 + 20
    scale = table.bbox[3] / 360
    seen = [tuple(page[int(y * scale), middle]) for y in (10, 130, 210, 290)]
    assert seen == [accent, (185, 205, 229), (0, 128, 0), (185, 205, 229)]


def test_a_gradient_is_drawn_until_another_fill_is_set():
    def fill(slide):
        shape = _box(slide, MSO_SHAPE.RECTANGLE, 0, 0, 200, 100)
        shape.line.fill.background()
        shape.fill.gradient()
        shape.fill.gradient_angle = 0
        for stop, colour in zip(shape.fill.gradient_stops, ("FF0000", "0000FF"), strict=True):
            stop.color.rgb = RGBColor.from_string(colour)

    document = _deck(fill)
    (box,) = document.elements_of_page(0)
    assert box.style.fill == (128, 0, 128)
    page, (_, _, width, height) = painted(document, 0), box.bbox
    assert page[height // 2, 3][0] > 240 > 20 > page[height // 2, 3][2]
    assert page[height // 2, width - 4][2] > 240
    plain = OPERATIONS["MODIFY"](document, box.id, "#00ff00", "fill")
    assert tuple(painted(plain, 0)[height // 2, 3]) == (0, 255, 0)
