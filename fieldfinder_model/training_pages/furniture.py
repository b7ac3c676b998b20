"""Blocks that ask nothing: letterheads, titles, heads, running text, logos, footers, stamps, numbers at the margin."""

from __future__ import annotations

from PIL import Image, ImageDraw

from . import vocabulary
from .canvas import Canvas
from .settings import Layout, settings
from .text import BOLD, Type, wrapped


def title(canvas: Canvas, left: float, top: float, right: float) -> float:
    """The title of the form, in the middle or at the left, now and then framed or underlined."""
    random, style = canvas.random, canvas.style
    type_ = style.title
    text = random.choice(vocabulary.titles(style.language))
    text = text.upper() if random.chance(0.6) else text
    centred = random.chance(0.75)
    x, y = ((left + right) / 2 if centred else left), top + type_.line
    lines = wrapped(text, type_, right - left, 3)
    if not lines:
        return top
    box = canvas.lines(x, y, lines, type_, align="centre" if centred else "left")
    if random.chance(0.15):
        canvas.rule(box[0], box[3] + 2, box[2], random.choice(["solid", "double"]))
    elif random.chance(0.08):
        canvas.frame((box[0] - 10, box[1] - 8, box[2] + 10, box[3] + 8))
    return box[3] + style.em * random.uniform(0.6, 2.2)


def letterhead(canvas: Canvas, left: float, top: float, right: float) -> float:
    """The name of a house with its logo, and its address in small print."""
    random, style = canvas.random, canvas.style
    type_ = Type(
        random.weighted(settings().families["print"]),
        round(random.uniform(11, 24) * style.scale),
        random.choice([400, BOLD]),
    )
    lines = wrapped(random.choice(vocabulary.phrases().letterheads), type_, 0.7 * (right - left), 2)
    if not lines:
        return top
    align = random.weighted({"left": 50, "centre": 35, "right": 15})
    x = {"left": left, "centre": (left + right) / 2, "right": right}[align]
    box = canvas.lines(x, top + type_.line, lines, type_, align=align)
    y = box[3]
    for _ in range(random.between(0, 2)):
        y += style.small.line
        small = wrapped(random.choice(vocabulary.phrases().footers), style.small, right - left, 1)
        if small:
            canvas.text(x, y, small[0], style.small, align=align)
    if random.chance(0.3):
        canvas.rule(left, y + 5, right, random.choice(["solid", "double"]))
    if align != "right" and random.chance(0.4):
        _logo(canvas, right, top)
    return y + style.em * random.uniform(0.8, 1.8)


def _logo(canvas: Canvas, right: float, top: float) -> None:
    """A few dark shapes in the upper right corner."""
    random = canvas.random
    size = round(random.uniform(28, 60) * canvas.style.scale)
    picture = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(picture)
    for _ in range(random.between(1, 4)):
        a, b = (
            sorted(random.between(0, size - 1) for _ in range(2)),
            sorted(random.between(0, size - 1) for _ in range(2)),
        )
        draw = random.choice([pen.ellipse, pen.rectangle])
        draw((a[0], b[0], a[1], b[1]), fill=random.choice([0, 0, 90, 255]), outline=0)
    _paste_if_free(canvas, picture, round(right) - size, round(top))


def head(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """The head of a section; what follows it is asked for with its name."""
    random, style = canvas.random, canvas.style
    type_ = style.head
    text = random.choice(vocabulary.heads(style.language))
    text = text.upper() if style.caps or random.chance(0.5) else text
    mark = random.choice(["", "", "{}. ", "SECTION {} - ", "{}) ", "PART {}: "]).format(
        random.choice(list("123456789ABCDEIVX"))
    )
    lines = wrapped(f"{mark}{text}", type_, right - left - style.em, 1)
    if not lines:
        return top
    look = random.weighted({"plain": 60, "underlined": 15, "bar": 7, "reversed": 4, "ruled": 14})
    band = (left, top + 2, right, top + 2 + 1.5 * type_.size)
    if look in ("bar", "reversed"):
        canvas.frame(band, shade=random.between(205, 240) if look == "bar" else 0)
    centred = random.chance(0.2)
    x = (left + right) / 2 if centred else left + (0.4 * style.em if look in ("bar", "reversed") else 0)
    y = top + 2 + 1.15 * type_.size
    ink = 255 if look == "reversed" else 0
    box = canvas.text(
        x, y, lines[0], type_, ink=ink, align="centre" if centred else "left", underlined=look == "underlined"
    )
    if look == "ruled":
        canvas.rule(left, band[1], right, "solid", style.thickness * random.between(1, 3))
    canvas.sections[:] = [*canvas.sections[: random.between(0, 1)], (lines[0], box)][-2:]
    return band[3] + 0.35 * style.em


def paragraph(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Running text."""
    random, style = canvas.random, canvas.style
    type_ = random.choice([style.body, style.small])
    text = " ".join(random.choice(vocabulary.sentences(style.language)) for _ in range(random.between(1, 4)))
    lines = wrapped(text, type_, right - left, 12)
    if not lines:
        return top
    y = top + type_.line
    canvas.lines(left, y, lines, type_)
    return y + (len(lines) - 1) * type_.line + 0.7 * style.em


def separator(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """A rule across the page."""
    y = top + canvas.style.em * canvas.random.uniform(0.4, 1.0)
    canvas.rule(left, y, right, canvas.random.choice(["solid", "double", "dashed"]), canvas.random.between(1, 3))
    return y + canvas.style.em * canvas.random.uniform(0.2, 0.8)


# -- About the page ------------------------------------------------------------------------------------------------


def footer(canvas: Canvas) -> None:
    """A line at the foot: whose form it is, its number, the page's."""
    random, style = canvas.random, canvas.style
    y = canvas.height * random.uniform(0.955, 0.985)
    type_ = style.small
    text = wrapped(random.choice(vocabulary.phrases().footers), type_, 0.6 * canvas.width, 1)
    if text:
        canvas.text(canvas.left, y, text[0], type_)
    if random.chance(0.4):
        page = random.choice(["Page {}", "{}", "- {} -", "Page {} of 4"]).format(random.between(1, 9))
        canvas.text(canvas.right, y, page, type_, align="right")


def fax_line(canvas: Canvas) -> None:
    """The line that a fax machine prints at the very top."""
    random = canvas.random
    type_ = Type("IBM Plex Mono", round(8.5 * canvas.style.scale))
    day = f"{random.between(1, 12):02d}/{random.between(1, 28):02d}/{random.between(80, 99)}"
    time = f"{random.between(0, 23):02d}:{random.between(0, 59):02d}"
    number = f"{random.between(200, 989)} {random.between(200, 999)} {random.between(0, 9999):04d}"
    sender = random.choice(vocabulary.phrases().letterheads)[:24]
    y = type_.line * random.uniform(1.0, 1.8)
    line = f"{day}  {time}   FAX {number}   {sender}   P.{random.between(1, 9):02d}"
    text = wrapped(line, type_, 0.9 * canvas.width, 1)
    if text:
        canvas.text(canvas.width * 0.06, y, text[0], type_)


def margin_number(canvas: Canvas) -> None:
    """The number of the page in a file, stamped at the right margin, upright or along it."""
    random = canvas.random
    families = settings().families["typewriter"] | settings().families["print"]
    type_ = Type(random.weighted(families), round(random.uniform(12, 17) * canvas.style.scale), BOLD)
    picture = type_.picture(f"{random.between(10**6, 10**9)}").rotate(random.choice([270, 270, 90, 0]), expand=True)
    x = round(canvas.width * random.uniform(0.93, 0.99)) - picture.width
    y = round(canvas.height * random.uniform(0.6, 0.98)) - picture.height
    _paste_if_free(canvas, picture, x, y)


def stamp(canvas: Canvas) -> None:
    """A rubber stamp, askew, where nothing else stands."""
    random = canvas.random
    type_ = Type("Roboto Condensed", round(random.uniform(14, 26) * canvas.style.scale), BOLD)
    ink, pad = random.between(0, 110), 8
    picture = type_.picture(random.choice(_STAMPS), ink, pad)
    size = (1, 1, picture.width - 2, picture.height - 2)
    ImageDraw.Draw(picture).rectangle(size, outline=ink, width=2)
    _drop(canvas, picture, random.uniform(-20, 20))


_STAMPS = ("RECEIVED", "COPY", "CONFIDENTIAL", "PAID", "DRAFT", "APPROVED", "FILE COPY", "URGENT")


def scribble(canvas: Canvas) -> None:
    """A note by hand, where nothing else stands."""
    random, style = canvas.random, canvas.style
    text = wrapped(random.choice(vocabulary.labels(style.language)).text, style.hand, 0.3 * canvas.width, 1)
    if text:
        _drop(canvas, style.hand.picture(text[0], random.between(0, 60), 6), random.uniform(-12, 12))


def _drop(canvas: Canvas, picture: Image.Image, angle: float) -> None:
    """Lays a turned picture on the page if one of a few places is free."""
    turned = picture.rotate(angle, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
    for _ in range(6):
        x = canvas.random.between(4, max(canvas.width - turned.width - 4, 5))
        y = canvas.random.between(4, max(canvas.height - turned.height - 4, 5))
        if _paste_if_free(canvas, turned, x, y):
            return


def _paste_if_free(canvas: Canvas, picture: Image.Image, x: int, y: int) -> bool:
    free = not canvas.blocked((x, y, x + picture.width, y + picture.height))
    if free:
        canvas.paste(picture, x, y)
    return free


def punched_holes(canvas: Canvas) -> None:
    """Two or three holes at the left, as the scanner sees them: discs or parts of rings."""
    random = canvas.random
    radius = random.uniform(6, 9) * canvas.style.scale
    x, full = canvas.width * random.uniform(0.015, 0.035), random.chance(0.4)
    size = round(2 * radius) + 2
    picture = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(picture)
    begin = random.between(0, 359)
    if full:
        pen.ellipse((1, 1, size - 2, size - 2), fill=random.between(0, 60))
    else:
        pen.arc((1, 1, size - 2, size - 2), begin, begin + random.between(90, 330), fill=0, width=random.between(1, 3))
    for share in (1 / 6, 1 / 2, 5 / 6)[:: random.between(1, 2)]:
        at = round(max(x - radius, 0)), round(share * canvas.height + float(canvas.random.rng.normal(0, 4)))
        _paste_if_free(canvas, picture, *at)


MARKS = {footer: 0.5, margin_number: 0.45, fax_line: 0.12, stamp: 0.1, scribble: 0.12, punched_holes: 0.15}
"""What stands about a page, and the share of pages that have it."""
