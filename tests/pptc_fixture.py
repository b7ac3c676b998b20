"""A checkout of PPTC: sessions whose rows hold calls of its API, a long deck, and a folder of pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foreign_deck import foreign_deck
from PIL import Image

Turn = tuple[str, str]
"""An instruction and the calls of a right answer."""
NEW_SLIDES: tuple[tuple[Turn, ...], ...] = (
    (
        ('Title the slide "Harbour plans".', 'choose_title();insert_text("Harbour plans");'),
        ("Underline the title and make it dark blue.", 'set_font_underline();set_font_color("dark blue");'),
        ('Fill the content with "What we build".', 'choose_content();insert_text("What we build");'),
        ("Set the background to light blue.", 'set_background_color("light blue");'),
        ('Create a slide titled "Costs".', 'create_slide();choose_title();insert_text("Costs");'),
        ("Change the size of the title to 30.", "choose_title();set_font_size(30);"),
        ("Remind me in the notes to speak slowly.", 'insert_note("Speak slowly");'),
        ("Create two red slides.", 2 * 'create_slide();set_background_color("red");'),
    ),
    (
        ('Call it "Tides" and bold that.', 'choose_title();insert_text("Tides");set_font_bold();'),
        ("Insert a red square. ## 0, rectangle, slide, middle", 'insert_rectangle();set_fill_color("red");'),
        ("Turn it by 30 degrees.", "rotate_element(30);"),
        ("Move it to the left. ## 0, rectangle, slide, left", "align_slide_left();"),
        ("Insert a picture of a boat on the right.", "insert_picture('boat');align_slide_right();"),
        ("Move the picture to the bottom. ## 0, picture, slide, bottom", "choose_picture();align_slide_bottom();"),
        ("Draw a bar chart of 3, 5 and 8.", "insert_bar_chart([3, 5, 8], ['low', 'mean', 'high']);"),
        ("Insert a table with two rows and two columns.", "insert_table(2, 2);"),
        ('Fill it with "port", "tide" and "Ost", "low".', 'insert_table_row(["port", "tide"]);'
         'insert_table_row(["Ost", "low"]);'),
        ("Add a text box that says hello.", 'insert_textbox();insert_text("hello");'),
    ),
)  # fmt: skip
"""Sessions that begin with a new deck."""
TEMPLATES: tuple[tuple[Turn, ...], ...] = (
    (
        ("Reword the first title.", "move_to_slide(0);choose_title();delete_text();insert_text('Plans for 2030');"),
        ("Make the subtitle italic.", "move_to_slide(0);choose_content();set_font_italic();"),
        ("Add a fourth step.", 'move_to_slide(1);choose_content();insert_bullet_point("Open the bridge");'),
        ("Enlarge the remark and make it red.", "move_to_slide(2);choose_textbox(0);set_font_size(20);"
         'set_font_color("red");'),
        ("Make the picture 4 cm wide and high.", "move_to_slide(2);choose_picture(0);set_width(4);set_height(4);"),
        ("Add a slide about the weather.", 'create_slide();choose_title();insert_text("Weather");'),
        ("Write 14 boats for the east.", 'move_to_slide(2);choose_table();choose_table_cell(1, 1);delete_text();'
         'insert_text("14");'),
        ("Do what no call can.", "move_to_slide(99);fold_slide();"),
    ),
)  # fmt: skip
"""Sessions that begin with a deck from elsewhere."""
_SETS = {"Create_new_slides": (None, NEW_SLIDES), "Edit_PPT_template": (foreign_deck, TEMPLATES)}


def write_fixture(root: Path) -> Path:
    """Write everything that can be played into ``pptc/``."""
    write_pptc(root / "pptc")
    return root


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write an object a line, with a blank line at the end."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join([*lines, "", ""]), encoding="utf-8")


def write_pptc(root: Path) -> Path:
    """Write the sessions as they are published."""
    for kind, (template, sessions) in _SETS.items():
        for number, turns in enumerate(sessions):
            write_session(root, kind, number, turns)
            if template is not None:
                write_deck(root, number, template())
    pictures = root / "test" / "pics"
    pictures.mkdir(parents=True)
    for name, colour in (("none", "grey"), ("boat", "navy")):
        Image.new("RGB", (60, 60), colour).save(pictures / f"{name}.png")
    return root


def write_deck(root: Path, session: int, content: bytes) -> None:
    """Write the deck that a long session begins with."""
    (root / "long_slides").mkdir(parents=True, exist_ok=True)
    (root / "long_slides" / f"{session}.pptx").write_bytes(content)


def write_session(root: Path, kind: str, number: int, turns: Sequence[Turn]) -> Path:
    """Write a session, and return its file."""
    path = root / "PPT_test_input" / kind / f"session_{number}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_rows(path, [_row(kind, number, i, turn) for i, turn in enumerate(turns)])
    return path


def _row(kind: str, session: int, number: int, turn: Turn) -> dict[str, str | int]:
    decks = {f"{which} File": f"PPT_{which}_File/{kind}/{session}_{number}.pptx" for which in ("Base", "Label")}
    lacking = {f"API Lack {name}": path.replace(kind, f"{kind}_API_lack") for name, path in decks.items()}
    return {"Turn": number, "User instruction": turn[0], "Feasible API sequence": turn[1], **decks, **lacking}
