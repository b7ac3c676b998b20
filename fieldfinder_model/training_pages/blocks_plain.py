"""Blocks that ask nothing: letterheads, titles, heads, running text, logos, footers, stamps, numbers at the margin."""

from __future__ import annotations

from PIL import Image, ImageDraw

from . import faces, vocabulary
from .canvas import Block, Sheet
from .faces import Type
from .writing import wrapped


def title(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The title of the form, in the middle or at the left, now and then framed or underlined."""
    dice, style = sheet.dice, sheet.style
    type_ = style.title
    text = dice.pick(vocabulary.titles(style.language))
    text = text.upper() if dice.chance(0.6) else text
    centred = dice.chance(0.75)
    x, y = ((left + right) / 2 if centred else left), top + type_.line
    lines = wrapped(text, type_, right - left, 3)
    if not lines:
        return top
    box = sheet.lines(x, y, lines, type_, align="centre" if centred else "left")
    if dice.chance(0.15):
        sheet.rule(box[0], box[3] + 2, box[2], dice.pick(["solid", "double"]))
    elif dice.chance(0.08):
        sheet.frame((box[0] - 10, box[1] - 8, box[2] + 10, box[3] + 8))
    return box[3] + style.em * dice.between(0.6, 2.2)


def letterhead(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The name of a house with its logo, and its address in small print."""
    dice, style = sheet.dice, sheet.style
    type_ = Type(dice.weighted(faces.PRINT), round(dice.between(11, 24) * style.scale), dice.pick([400, faces.BOLD]))
    lines = wrapped(dice.pick(vocabulary.letterheads()), type_, 0.7 * (right - left), 2)
    if not lines:
        return top
    align = dice.weighted({"left": 50, "centre": 35, "right": 15})
    x = {"left": left, "centre": (left + right) / 2, "right": right}[align]
    box = sheet.lines(x, top + type_.line, lines, type_, align=align)
    y = box[3]
    for _ in range(dice.count(0, 2)):
        y += style.small.line
        small = wrapped(dice.pick(vocabulary.footers()), style.small, right - left, 1)
        if small:
            sheet.text(x, y, small[0], style.small, align=align)
    if dice.chance(0.3):
        sheet.rule(left, y + 5, right, dice.pick(["solid", "double"]))
    if align != "right" and dice.chance(0.4):
        _logo(sheet, right, top)
    return y + style.em * dice.between(0.8, 1.8)


def _logo(sheet: Sheet, right: float, top: float) -> None:
    """A few dark shapes in the upper right corner."""
    dice = sheet.dice
    size = round(dice.between(28, 60) * sheet.style.scale)
    picture = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(picture)
    for _ in range(dice.count(1, 4)):
        a, b = sorted(dice.count(0, size - 1) for _ in range(2)), sorted(dice.count(0, size - 1) for _ in range(2))
        draw = dice.pick([pen.ellipse, pen.rectangle])
        draw((a[0], b[0], a[1], b[1]), fill=dice.pick([0, 0, 90, 255]), outline=0)
    box = (right - size, top, right, top + size)
    if not sheet.blocked(box):
        sheet.paste(picture, round(box[0]), round(box[1]))


def head(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The head of a section; what follows it is asked for with its name."""
    dice, style = sheet.dice, sheet.style
    type_ = style.head
    text = dice.pick(vocabulary.heads(style.language))
    text = text.upper() if style.caps or dice.chance(0.5) else text
    mark = dice.pick(["", "", "{}. ", "SECTION {} - ", "{}) ", "PART {}: "]).format(
        dice.pick(list("123456789ABCDEIVX"))
    )
    lines = wrapped(f"{mark}{text}", type_, right - left - style.em, 1)
    if not lines:
        return top
    look = dice.weighted({"plain": 60, "underlined": 15, "bar": 7, "reversed": 4, "ruled": 14})
    band = (left, top + 2, right, top + 2 + 1.5 * type_.size)
    if look in ("bar", "reversed"):
        sheet.frame(band, shade=dice.count(205, 240) if look == "bar" else 0)
    centred = dice.chance(0.2)
    x = (left + right) / 2 if centred else left + (0.4 * style.em if look in ("bar", "reversed") else 0)
    y = top + 2 + 1.15 * type_.size
    ink = 255 if look == "reversed" else 0
    box = sheet.text(
        x, y, lines[0], type_, ink=ink, align="centre" if centred else "left", underlined=look == "underlined"
    )
    if look == "ruled":
        sheet.rule(left, band[1], right, "solid", style.thickness * dice.count(1, 3))
    sheet.sections[:] = [*sheet.sections[: dice.count(0, 1)], (lines[0], box)][-2:]
    return band[3] + 0.35 * style.em


def paragraph(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Running text."""
    dice, style = sheet.dice, sheet.style
    type_ = dice.pick([style.body, style.small])
    text = " ".join(dice.pick(vocabulary.sentences(style.language)) for _ in range(dice.count(1, 4)))
    lines = wrapped(text, type_, right - left, 12)
    if not lines:
        return top
    y = top + type_.line
    sheet.lines(left, y, lines, type_)
    return y + (len(lines) - 1) * type_.line + 0.7 * style.em


def separator(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A rule across the page."""
    y = top + sheet.style.em * sheet.dice.between(0.4, 1.0)
    sheet.rule(left, y, right, sheet.dice.pick(["solid", "double", "dashed"]), sheet.dice.count(1, 3))
    return y + sheet.style.em * sheet.dice.between(0.2, 0.8)


BLOCKS: dict[Block, float] = {head: 20, paragraph: 14, separator: 5}
"""These blocks, and how often each is met; titles and letterheads stand at the top of pages alone."""


# -- About the page ------------------------------------------------------------------------------------------------


def footer(sheet: Sheet) -> None:
    """A line at the foot: whose form it is, its number, the page's."""
    dice, style = sheet.dice, sheet.style
    y = sheet.height * dice.between(0.955, 0.985)
    type_ = style.small
    text = wrapped(dice.pick(vocabulary.footers()), type_, 0.6 * sheet.width, 1)
    if text:
        sheet.text(sheet.left, y, text[0], type_)
    if dice.chance(0.4):
        page = dice.pick(["Page {}", "{}", "- {} -", "Page {} of 4"]).format(dice.count(1, 9))
        sheet.text(sheet.right, y, page, type_, align="right")


def fax_line(sheet: Sheet) -> None:
    """The line that a fax machine prints at the very top."""
    dice = sheet.dice
    type_ = Type("IBM Plex Mono", round(8.5 * sheet.style.scale))
    day = f"{dice.count(1, 12):02d}/{dice.count(1, 28):02d}/{dice.count(80, 99)}"
    time = f"{dice.count(0, 23):02d}:{dice.count(0, 59):02d}"
    number = f"{dice.count(200, 989)} {dice.count(200, 999)} {dice.count(0, 9999):04d}"
    y = type_.line * dice.between(1.0, 1.8)
    line = f"{day}  {time}   FAX {number}   {dice.pick(vocabulary.letterheads())[:24]}   P.{dice.count(1, 9):02d}"
    text = wrapped(line, type_, 0.9 * sheet.width, 1)
    if text:
        sheet.text(sheet.width * 0.06, y, text[0], type_)


def margin_number(sheet: Sheet) -> None:
    """The number of the page in a file, stamped at the right margin, upright or along it."""
    dice = sheet.dice
    type_ = Type(
        dice.weighted(faces.TYPEWRITER | faces.PRINT), round(dice.between(12, 17) * sheet.style.scale), faces.BOLD
    )
    text = f"{dice.count(10**6, 10**9)}"
    wide, high = round(type_.width(text)) + 4, type_.line + 4
    picture = Image.new("L", (wide, high), 255)
    ImageDraw.Draw(picture).text((2, type_.size + 1), text, fill=0, font=type_.font, anchor="ls")
    picture = picture.rotate(dice.pick([270, 270, 90, 0]), expand=True)
    x = round(sheet.width * dice.between(0.93, 0.99)) - picture.width
    y = round(sheet.height * dice.between(0.6, 0.98)) - picture.height
    if not sheet.blocked((x, y, x + picture.width, y + picture.height)):
        sheet.paste(picture, x, y)


def stamp(sheet: Sheet) -> None:
    """A rubber stamp, askew, where nothing else stands."""
    dice = sheet.dice
    type_ = Type("Roboto Condensed", round(dice.between(14, 26) * sheet.style.scale), faces.BOLD)
    text = dice.pick(["RECEIVED", "COPY", "CONFIDENTIAL", "PAID", "DRAFT", "APPROVED", "FILE COPY", "URGENT"])
    wide, high = round(type_.width(text)) + 16, type_.line + 12
    picture = Image.new("L", (wide, high), 255)
    pen = ImageDraw.Draw(picture)
    ink = dice.count(0, 110)
    pen.text((8, high - 10), text, fill=ink, font=type_.font, anchor="ls")
    pen.rectangle((1, 1, wide - 2, high - 2), outline=ink, width=2)
    _drop(sheet, picture.rotate(dice.between(-20, 20), Image.Resampling.BILINEAR, expand=True, fillcolor=255))


def scribble(sheet: Sheet) -> None:
    """A note by hand, where nothing else stands."""
    dice, style = sheet.dice, sheet.style
    text = wrapped(dice.pick(vocabulary.labels(style.language)).text, style.hand, 0.3 * sheet.width, 1)
    if not text:
        return
    type_ = style.hand
    picture = Image.new("L", (round(type_.width(text[0])) + 12, 2 * type_.size), 255)
    ImageDraw.Draw(picture).text((6, 1.4 * type_.size), text[0], fill=dice.count(0, 60), font=type_.font, anchor="ls")
    _drop(sheet, picture.rotate(dice.between(-12, 12), Image.Resampling.BILINEAR, expand=True, fillcolor=255))


def _drop(sheet: Sheet, picture: Image.Image) -> None:
    """Lays a picture on the page if one of a few places is free."""
    for _ in range(6):
        x = sheet.dice.count(4, max(sheet.width - picture.width - 4, 5))
        y = sheet.dice.count(4, max(sheet.height - picture.height - 4, 5))
        if not sheet.blocked((x, y, x + picture.width, y + picture.height)):
            sheet.paste(picture, x, y)
            return


def punched_holes(sheet: Sheet) -> None:
    """Two or three holes at the left, as the scanner sees them: discs or parts of rings."""
    dice = sheet.dice
    radius = dice.between(6, 9) * sheet.style.scale
    x, full = sheet.width * dice.between(0.015, 0.035), dice.chance(0.4)
    size = round(2 * radius) + 2
    picture = Image.new("L", (size, size), 255)
    pen = ImageDraw.Draw(picture)
    begin = dice.count(0, 359)
    if full:
        pen.ellipse((1, 1, size - 2, size - 2), fill=dice.count(0, 60))
    else:
        pen.arc((1, 1, size - 2, size - 2), begin, begin + dice.count(90, 330), fill=0, width=dice.count(1, 3))
    for share in (1 / 6, 1 / 2, 5 / 6)[:: dice.count(1, 2)]:
        at = round(max(x - radius, 0)), round(share * sheet.height + float(sheet.rng.normal(0, 4)))
        if not sheet.blocked((at[0], at[1], at[0] + size, at[1] + size)):
            sheet.paste(picture, *at)


MARKS = {footer: 0.5, margin_number: 0.45, fax_line: 0.12, stamp: 0.1, scribble: 0.12, punched_holes: 0.15}
"""What stands about a page, and the share of pages that have it."""
