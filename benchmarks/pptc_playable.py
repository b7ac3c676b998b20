"""Measure which turns of a checkout of PPTC can be played, and how long they take to open.

Run ``python benchmarks/pptc_playable.py ROOT`` on the folder that holds ``pptc/``; with ``--write SEED`` it first
writes sessions there of the kinds of requests that PPTC's paper describes, 229 of new decks and, if ``--decks`` names a
folder of decks, 50 that edit these. Times are of the processor.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from formgym.envs.documents.external.env import ExternalEnv
from formgym.envs.documents.external.executor import COLOURS, SHAPES

Ask = tuple[str, str]
"""A request, and the calls of a right answer."""
_WORDS = (
    "river market budget safety design growth people energy history music garden science travel health water".split()
)
_FONTS = ("Arial", "Times New Roman", "Calibri", "Comic Sans MS", "Verdana")
_CORNERS = ("top_left", "top_right", "bottom_left", "bottom_right")


class Session:
    """The turns of a session, in which requests are about what is there.

    Args:
        rng: draws them.
        lettered: which slides of the deck have text boxes with text; ``None``: it begins as a new one.
    """

    def __init__(self, rng: random.Random, lettered: list[int] | None = None) -> None:
        self._rng, self._is_new, self._lettered = rng, lettered is None, lettered or [0]
        self._slides, self._slide = 1, self._lettered[-1]
        self._texts: list[str] = []
        self._made: list[str] = []
        self._rows = 0

    def turn(self) -> Ask:
        """The next turn: one to three requests, some with a restriction."""
        asks = [self._ask() for _ in range(self._rng.choice((1, 1, 2, 2, 3)))]
        words, restrictions = zip(*(ask[0].partition("##")[::2] for ask in asks), strict=True)
        tail = "".join(f" ##{one}" for one in restrictions if one)
        return f"{' '.join(one.strip() for one in words)}{tail}", "".join(calls for _, calls in asks)

    def _ask(self) -> Ask:
        kinds: dict[Callable[[], Ask], int] = {
            self._write: 24, self._format: 22, self._bullet: 6, self._note: 3, self._background: 4, self._picture: 7,
            self._shape: 7, self._table: 4, self._chart: 4, self._place: 8, self._resize: 6,
        }  # fmt: skip
        if self._is_new:
            kinds[self._add_slide] = 6
        if self._is_new and not self._texts:
            return self._write()
        return self._rng.choices(list(kinds), list(kinds.values()))[0]()

    def _go(self) -> str:
        """The call that turns to a slide, in a deck that was there."""
        if self._is_new:
            return ""
        self._slide = self._rng.choice(self._lettered)
        return f"move_to_slide({self._slide});"

    def _phrase(self) -> str:
        return " ".join(self._rng.choice(_WORDS) for _ in range(self._rng.randint(1, 6))).capitalize()

    def _text(self, is_written: bool = True) -> tuple[str, str]:
        """A text to edit: its name, and the call that chooses it."""
        if not self._is_new:
            return "first text box", "choose_textbox(0);"
        name = self._rng.choice(self._texts if is_written else ["title", "content"])
        return name, f"choose_{name}();"

    def _write(self) -> Ask:
        go, (name, choose), words = self._go(), self._text(is_written=False), self._phrase()
        fresh = "" if self._is_new and name not in self._texts else "delete_text();"
        self._texts.append(name)
        return f'Set the {name} to "{words}".', f'{go}{choose}{fresh}insert_text("{words}");'

    def _format(self) -> Ask:
        go, (name, choose) = self._go(), self._text()
        colour, font, size = (
            self._rng.choice(list(COLOURS)),
            self._rng.choice(_FONTS),
            self._rng.choice((16, 20, 24, 32)),
        )
        kinds = [
            (f"Make the {name} {colour}.", f'set_font_color("{colour}");'),
            (f"Change the font size of the {name} to {size}.", f"set_font_size({size});"),
            (f"Use {font} in the {name}.", f'set_font_style("{font}");'),
            (f"Bold the {name}.", "set_font_bold();"),
            (f"Put the {name} in italics.", "set_font_italic();"),
            (f"Underline the {name}.", "set_font_underline();"),
            (f"Align the {name} to the right.", "text_align_right();"),
            (f"Center the {name}.", "text_align_center();"),
            (f"Double the line spacing of the {name}.", "set_line_space(2);"),
        ]
        words, calls = self._rng.choice(kinds)
        return words, go + choose + calls

    def _bullet(self) -> Ask:
        go, (name, choose), n = self._go(), self._text(), self._rng.randint(1, 3)
        points = [self._phrase() for _ in range(n)]
        calls = "".join(f'insert_bullet_point("{one}");' for one in points)
        return f"Add the bullet points {', '.join(points)} to the {name}.", go + choose + calls

    def _note(self) -> Ask:
        go, words = self._go(), self._phrase()
        return f'Add a note "{words}".', f'{go}insert_note("{words}");'

    def _background(self) -> Ask:
        go, colour = self._go(), self._rng.choice(list(COLOURS))
        return f"Set the background to {colour}.", f'{go}set_background_color("{colour}");'

    def _add_slide(self) -> Ask:
        self._slide, self._slides, words = self._slides, self._slides + 1, self._phrase()
        self._texts = ["title"]
        return f'Create a new slide titled "{words}".', f'create_slide();choose_title();insert_text("{words}");'

    def _picture(self) -> Ask:
        go, name = self._go(), self._rng.choice(("boat", "tree", "coffee", "city"))
        side = self._rng.choice(("left", "right", "top", "bottom"))
        self._made.append("choose_picture(0);")
        restriction = f" ## {self._slide}, picture, slide, {side}"
        return f"Insert a picture of a {name} at the {side}.{restriction if side == 'right' else ''}", (
            f"{go}insert_picture('{name}');align_slide_{side}();"
        )

    def _shape(self) -> Ask:
        go, name, colour = self._go(), self._rng.choice(list(SHAPES)), self._rng.choice(list(COLOURS))
        self._made.append(f'choose_shape("{name}");')
        return f"Insert a {colour} {name.replace('_', ' ')}.", f'{go}insert_{name}();set_fill_color("{colour}");'

    def _table(self) -> Ask:
        if self._rows and self._rng.random() < 0.5:
            row = [self._phrase() for _ in range(2)]
            return f"Fill the next row with {' and '.join(row)}.", f"choose_table();insert_table_row({row});"
        go, self._rows = self._go(), self._rng.randint(2, 4)
        return f"Insert a table of {self._rows} rows and 2 columns.", f"{go}insert_table({self._rows}, 2);"

    def _chart(self) -> Ask:
        go, kind, n = self._go(), self._rng.choice(("line", "bar", "pie")), self._rng.randint(2, 4)
        data, words = [self._rng.randint(1, 90) for _ in range(n)], self._phrase()
        names = self._rng.sample(_WORDS, n)
        title = f'set_chart_title("{words}");' if self._rng.random() < 0.5 else ""
        return f"Draw a {kind} chart of {data} for {names}{f', titled {words}' if title else ''}.", (
            f"{go}insert_{kind}_chart({data}, {names});{title}"
        )

    def _place(self) -> Ask:
        choose = self._rng.choice(self._made or ["choose_title();"])
        where = self._rng.choice(_CORNERS)
        return f"Move it to the {where.replace('_', ' ')} corner.", f"{choose}align_{where}_corner();"

    def _resize(self) -> Ask:
        choose, length = self._rng.choice(self._made or ["choose_title();"]), self._rng.choice((3, 4, 5, 8))
        what = self._rng.choice(("width", "height"))
        if self._rng.random() < 0.3:
            return "Rotate it by 45 degrees.", f"{choose}rotate_element(45);"
        return f"Change its {what} to {length}.", f"{choose}set_{what}({length});"


def write_checkout(root: Path, seed: int, decks: Path | None, new: int = 229, edited: int = 50) -> None:
    """Write sessions into ``root/pptc``, six or seven turns each."""
    rng, found = random.Random(seed), sorted(decks.glob("*.pptx")) if decks else []
    found = [deck for deck in found if lettered_slides(deck)]
    for kind, count in (("Create_new_slides", new), ("Edit_PPT_template", edited if found else 0)):
        folder = root / "pptc" / "PPT_test_input" / kind
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            lettered = None
            if kind == "Edit_PPT_template":
                deck = root / "pptc" / "long_slides" / f"{number}.pptx"
                deck.parent.mkdir(exist_ok=True)
                shutil.copy(found[number % len(found)], deck)
                lettered = lettered_slides(deck)
            session = Session(rng, lettered)
            turns = (session.turn() for _ in range(rng.choice((6, 6, 7, 7))))
            rows = [
                {"Turn": i, "User instruction": words, "Feasible API sequence": calls}
                for i, (words, calls) in enumerate(turns)
            ]
            (folder / f"session_{number}.json").write_text("\n".join(map(json.dumps, rows)))


def lettered_slides(deck: Path) -> list[int]:
    """The indices of the slides of a deck whose first text box holds text."""
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    try:
        slides = Presentation(str(deck)).slides
    except (KeyError, ValueError, PythonPptxError):
        return []
    first = (next((shape for shape in slide.shapes if "TEXT_BOX" in kind_of(shape)), None) for slide in slides)
    return [i for i, box in enumerate(first) if box is not None and box.text_frame.text.strip()]


def kind_of(shape: Any) -> str:
    """The type of a shape, as python-pptx names it."""
    try:
        return str(shape.shape_type)
    except NotImplementedError:
        return ""


def main() -> None:
    """Print how many turns can be played, why others cannot, and the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--write", type=int, metavar="SEED", help="write a checkout there first")
    parser.add_argument("--decks", type=Path, help="a folder of decks for it")
    parser.add_argument("--every", type=int, default=1, help="examine one session in so many")
    parser.add_argument("--verbose", action="store_true", help="print what cannot be played")
    options = parser.parse_args()
    if options.write is not None:
        write_checkout(options.root, options.write, options.decks)
    begin = time.process_time()
    env = ExternalEnv(root=str(options.root))
    turns = env.turns
    print(f"{len(turns)} turns indexed in {time.process_time() - begin:.2f} s")
    for kind in ("Create_new_slides", "Edit_PPT_template"):
        reasons: Counter[str] = Counter()
        times = defaultdict(list)
        sessions = [one for name, one in turns.items() if kind in name]
        for session, number in (one for one in sessions if int(one[0].id.rpartition("/")[2]) % options.every == 0):
            task, begin = f"pptc/{session.id}/{number}", time.process_time()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    env.open_task(task)
                reason = "playable"
            except ValueError as error:
                reason = str(error).partition(": ")[2]
                if options.verbose:
                    print(task, reason, session.turns[number].instruction, session.turns[number].calls, sep="\n    ")
            times["first"].append(time.process_time() - begin)
            begin = time.process_time()
            if reason == "playable":
                env.open_task(task)
                times["again"].append(time.process_time() - begin)
            reasons[reason] += 1
        for reason, count in reasons.most_common():
            print(f"{kind}: {reason}: {count} ({100 * count / reasons.total():.1f} %)")
        for name, seconds in times.items():
            print(f"{kind}: opened {name}: mean {sum(seconds) / len(seconds):.2f} s, most {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
