"""Draw what has no targets: letterheads, titles, headings, text, stamps, footers."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw

from . import vocabulary
from .page_canvas import ALIGNMENT, Area, Canvas
from .page_settings import BlockLayout, settings
from .style import BOLD, Type, wrap


def title(canvas: Canvas, area: Area) -> float:
    """Draw the title of the form, centred or at the left; some have a frame or a rule."""
    random, type_ = canvas.random, canvas.style.title
    text = random.choice(vocabulary.words(canvas.style.language).titles)
    lines = wrap(text.upper() if random.chance(0.6) else text, type_, area.width, 3)
    if not lines:
        return area.top
    align = "centre" if random.chance(0.75) else "left"
    x = area.left + area.width * ALIGNMENT[align]
    box = canvas.lines(x, area.top + type_.line, lines, type_, align=align)
    if random.chance(0.15):
        canvas.rule(box[0], box[3] + 2, box[2], random.choice(["solid", "double"]))
    elif random.chance(0.08):
        canvas.frame((box[0] - 10, box[1] - 8, box[2] + 10, box[3] + 8))
    return box[3] + canvas.style.em * random.uniform(0.6, 2.2)


def letterhead(canvas: Canvas, area: Area) -> float:
    """Draw the name of a company, perhaps with small print below it and a logo."""
    random, style = canvas.random, canvas.style
    size = round(random.uniform(11, 24) * style.scale)
    type_ = Type(random.weighted(settings().families["print"]), size, random.choice([400, BOLD]))
    lines = wrap(random.choice(vocabulary.english().letterheads), type_, 0.7 * area.width, 2)
    if not lines:
        return area.top
    align = random.weighted({"left": 50, "centre": 35, "right": 15})
    x = area.left + area.width * ALIGNMENT[align]
    y = canvas.lines(x, area.top + type_.line, lines, type_, align=align)[3]
    for _ in range(random.between(0, 2)):
        y += style.small.line
        small = wrap(random.choice(vocabulary.english().footers), style.small, area.width, 1)
        canvas.text(x, y, "".join(small), style.small, align=align)
    if random.chance(0.3):
        canvas.rule(area.left, y + 5, area.right, random.choice(["solid", "double"]))
    if align != "right" and random.chance(0.4):
        _logo(canvas, area)
    return y + style.em * random.uniform(0.8, 1.8)


def _logo(canvas: Canvas, area: Area) -> None:
    """Draw a few dark shapes in the upper right corner."""
    random = canvas.random
    size = round(random.uniform(28, 60) * canvas.style.scale)
    picture = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(picture)
    for _ in range(random.between(1, 4)):
        left, right = sorted(random.between(0, size - 1) for _ in range(2))
        top, bottom = sorted(random.between(0, size - 1) for _ in range(2))
        draw = random.choice([pen.ellipse, pen.rectangle])
        draw((left, top, right, bottom), fill=random.choice([0, 0, 90, 255]), outline=0)
    _paste_if_free(canvas, picture, round(area.right) - size, round(area.top))


def section_head(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw the heading of a section, which becomes a part of the targets below it."""
    random, style, type_ = canvas.random, canvas.style, canvas.style.head
    text = random.choice(vocabulary.words(style.language).heads)
    text = text.upper() if style.caps or random.chance(0.5) else text
    number = random.choice("123456789ABCDEIVX")
    mark = random.choice(["", "", "{}. ", "SECTION {} - ", "{}) ", "PART {}: "]).format(number)
    lines = wrap(f"{mark}{text}", type_, area.width - style.em, 1)
    if not lines:
        return area.top
    look = random.weighted({"plain": 60, "underlined": 15, "bar": 7, "reversed": 4, "ruled": 14})
    band = (area.left, area.top + 2, area.right, area.top + 2 + 1.5 * type_.size)
    shaded = look in ("bar", "reversed")
    if shaded:
        canvas.frame(band, shade=random.between(205, 240) if look == "bar" else 0)
    align = "centre" if random.chance(0.2) else "left"
    x = area.left + area.width * ALIGNMENT[align] + 0.4 * style.em * (shaded and align == "left")
    ink = 255 if look == "reversed" else 0
    y = area.top + 2 + 1.15 * type_.size
    box = canvas.text(x, y, lines[0], type_, ink=ink, align=align, underlined=look == "underlined")
    if look == "ruled":
        canvas.rule(area.left, band[1], area.right, "solid", style.thickness * random.between(1, 3))
    canvas.sections = [*canvas.sections[: random.between(0, 1)], (lines[0], box)][-2:]
    return band[3] + 0.35 * style.em


def paragraph(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw running text."""
    random, style = canvas.random, canvas.style
    type_ = style.small.scaled(0.85) if layout.size == "dense" else random.choice([style.body, style.small])
    sentences = vocabulary.words(style.language).sentences
    lines = wrap(" ".join(random.sample(sentences, random.between(1, 5))), type_, area.width, 12)
    if not lines:
        return area.top
    canvas.lines(area.left, area.top + type_.line, lines, type_)
    return area.top + len(lines) * type_.line + 0.7 * style.em


def separator(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw a rule across the page."""
    random, em = canvas.random, canvas.style.em
    y = area.top + em * random.uniform(0.4, 1.0)
    canvas.rule(area.left, y, area.right, random.choice(["solid", "double", "dashed"]), random.between(1, 3))
    return y + em * random.uniform(0.2, 0.8)


# -- About the page ------------------------------------------------------------------------------------------------


def _footer(canvas: Canvas) -> None:
    """Draw a line at the foot: the owner and number of the form, the page number."""
    random, type_ = canvas.random, canvas.style.small
    y = canvas.height * random.uniform(0.955, 0.985)
    text = wrap(random.choice(vocabulary.english().footers), type_, 0.6 * canvas.width, 1)
    canvas.text(canvas.left, y, "".join(text), type_)
    if random.chance(0.4):
        number = random.choice(["Page {}", "{}", "- {} -", "Page {} of 4"]).format(random.between(1, 9))
        canvas.text(canvas.right, y, number, type_, align="right")


def _fax_line(canvas: Canvas) -> None:
    """Draw the line that a fax machine prints at the very top."""
    random = canvas.random
    type_ = Type("IBM Plex Mono", round(8.5 * canvas.style.scale))
    day = f"{random.between(1, 12):02d}/{random.between(1, 28):02d}/{random.between(80, 99)}"
    time = f"{random.between(0, 23):02d}:{random.between(0, 59):02d}"
    sender = random.choice(vocabulary.english().letterheads)[:24]
    line = f"{day} {time} FAX {random.code('%## ### ####')} {sender} P.{random.between(1, 9):02d}"
    text = wrap(line, type_, 0.9 * canvas.width, 1)
    canvas.text(canvas.width * 0.06, type_.line * random.uniform(1.0, 1.8), "".join(text), type_)


def _margin_number(canvas: Canvas) -> None:
    """Stamp a long number at the right margin, horizontal or vertical."""
    random = canvas.random
    families = settings().families["typewriter"] | settings().families["print"]
    type_ = Type(random.weighted(families), round(random.uniform(12, 17) * canvas.style.scale), BOLD)
    picture = type_.picture(f"{random.between(10**6, 10**9)}").rotate(random.choice([270, 270, 90, 0]), expand=True)
    x = round(canvas.width * random.uniform(0.93, 0.99)) - picture.width
    y = round(canvas.height * random.uniform(0.6, 0.98)) - picture.height
    _paste_if_free(canvas, picture, x, y)


def _stamp(canvas: Canvas) -> None:
    """Draw a tilted rubber stamp on a free place."""
    random = canvas.random
    type_ = Type("Roboto Condensed", round(random.uniform(14, 26) * canvas.style.scale), BOLD)
    ink = random.between(0, 110)
    picture = type_.picture(random.choice(settings().stamps), ink, 8)
    ImageDraw.Draw(picture).rectangle((1, 1, picture.width - 2, picture.height - 2), outline=ink, width=2)
    _paste_rotated(canvas, picture, random.uniform(-20, 20))


def _scribble(canvas: Canvas) -> None:
    """Draw a handwritten note on a free place."""
    random, style = canvas.random, canvas.style
    note = random.choice(vocabulary.words(style.language).labels["name"])
    text = wrap(note, style.hand, 0.3 * canvas.width, 1)
    if text:
        _paste_rotated(canvas, style.hand.picture(text[0], random.between(0, 60), 6), random.uniform(-12, 12))


def _paste_rotated(canvas: Canvas, picture: Image.Image, angle: float) -> None:
    """Paste a rotated picture on the page if one of a few random places is free."""
    turned = picture.rotate(angle, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
    for _ in range(6):
        x = canvas.random.between(4, max(canvas.width - turned.width - 4, 5))
        y = canvas.random.between(4, max(canvas.height - turned.height - 4, 5))
        if _paste_if_free(canvas, turned, x, y):
            return


def _paste_if_free(canvas: Canvas, picture: Image.Image, x: int, y: int) -> bool:
    free = canvas.is_free((x, y, x + picture.width, y + picture.height))
    if free:
        canvas.paste(picture, x, y)
    return free


def _punched_holes(canvas: Canvas) -> None:
    """Draw two or three punched holes at the left: dark discs or parts of rings."""
    random = canvas.random
    radius = random.uniform(6, 9) * canvas.style.scale
    size, begin = round(2 * radius) + 2, random.between(0, 359)
    picture = Image.new("L", (size, size), 255)
    pen, disc = ImageDraw.Draw(picture), (1, 1, size - 2, size - 2)
    if random.chance(0.4):
        pen.ellipse(disc, fill=random.between(0, 60))
    else:
        pen.arc(disc, begin, begin + random.between(90, 330), fill=0, width=random.between(1, 3))
    x = round(max(canvas.width * random.uniform(0.015, 0.035) - radius, 0))
    for share in (1 / 6, 1 / 2, 5 / 6)[:: random.between(1, 2)]:
        _paste_if_free(canvas, picture, x, round(share * canvas.height + float(random.rng.normal(0, 4))))


MARKS: dict[str, Callable[[Canvas], None]] = {
    "footer": _footer,
    "margin_number": _margin_number,
    "fax_line": _fax_line,
    "stamp": _stamp,
    "scribble": _scribble,
    "punched_holes": _punched_holes,
}
"""Marks around the content of a page; ``pages.json`` has their frequencies."""
