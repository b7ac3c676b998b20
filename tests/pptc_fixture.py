"""Sessions in PPTC's layout: its rows hold calls of its API, and its decks are what these calls make of real decks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foreign_deck import foreign_deck
from pptc_calls import PptcDeck

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
    """Write the sessions as a checkout of PPTC has them after ``main.py --prepare``."""
    for kind, (template, sessions) in _SETS.items():
        for folder in ("PPT_test_input", "PPT_Base_File", "PPT_Label_File"):
            (root / folder / kind).mkdir(parents=True)
        for number, turns in enumerate(sessions):
            rows = [_row(kind, number, i, turn) for i, turn in enumerate(turns)]
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (root / "PPT_test_input" / kind / f"session_{number}.json").write_text(lines)
            content = None if template is None else template()
            for i, row in enumerate(rows):
                # A turn is played on a deck of its own, from the first call of the session on.
                deck = PptcDeck(content)
                deck.run("".join(calls for _, calls in turns[:i]))
                deck.save(root / row["Base File"])
                deck.run(turns[i][1])
                deck.save(root / row["Label File"])
    return root


def _row(kind: str, session: int, number: int, turn: Turn) -> dict[str, str | int]:
    decks = {f"{which} File": f"PPT_{which}_File/{kind}/{session}_{number}.pptx" for which in ("Base", "Label")}
    lacking = {f"API Lack {name}": path.replace(kind, f"{kind}_API_lack") for name, path in decks.items()}
    return {"Turn": number, "User instruction": turn[0], "Feasible API sequence": turn[1], **decks, **lacking}
