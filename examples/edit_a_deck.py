"""Edit a slide deck: by a program and by operations.

You learn how a PowerPoint file becomes a document of elements, how an edit program changes it, and how the edits are
written into the file, which otherwise stays as it is. Takes a few seconds; needs ``pip install 'formgym[office]'``.
"""

from pathlib import Path

from pptx import Presentation

from formgym.envs.documents.formats.files import read_document, write_document
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.programs.program import run_program

OUT = Path("out/edit_a_deck")
PROGRAM = """
def main(document):
    title = next(one for one in document.elements if one.text == "Bicycles for Everyone")
    MODIFY(title, True, "bold")
    MODIFY(title, "dark green", "color")
"""


def make_deck(path: Path) -> None:
    """A deck of two slides, by python-pptx."""
    deck = Presentation()
    title = deck.slides.add_slide(deck.slide_layouts[0])
    title.shapes.title.text, title.placeholders[1].text = "Bicycles for Everyone", "A proposal"
    plan = deck.slides.add_slide(deck.slide_layouts[1])
    plan.shapes.title.text, plan.placeholders[1].text = "The plan", "Ten bicycles\nTwo stations\nOne year"
    deck.save(path)


def main() -> None:
    """Print the elements and what was done, and save the deck and pictures of its slides."""
    OUT.mkdir(parents=True, exist_ok=True)
    make_deck(OUT / "deck.pptx")
    opened = read_document(OUT / "deck.pptx")
    for element in opened.document.elements():
        print(f"{element.id}: {element.type} {element.text!r} at {element.bbox}")

    result = run_program(opened.document, PROGRAM)
    print("carried out:", ", ".join(operation.action for operation in result.operations))

    # Operations take ids of elements and return another document.
    edited = result.document
    title = next(element for element in edited.elements() if element.text == "A proposal")
    edited = OPERATIONS["MODIFY"](edited, title.id, "A proposal to the city", "text")
    edited = OPERATIONS["MOVE"](edited, title.id, position_diff=("DOWN", 40))

    for note in opened.save(edited, OUT / "edited.pptx"):
        print("not written:", note)
    write_document(opened.document, OUT / "before.png")
    write_document(edited, OUT / "after.png")
    print(f"written to {OUT}")


if __name__ == "__main__":
    main()
