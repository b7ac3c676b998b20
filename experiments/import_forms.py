"""``formgym import``: which of the ways a form is brought in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp")


def import_form(
    pages: Sequence[str],
    out: Path | None,
    boxes: Sequence[Path],
    *,
    accept: bool,
    edit: bool,
    page: str | None,
    server: str | None,
) -> None:
    """Bring in a form of one's own.

    Args:
        pages: a PDF, pictures, a web page, or folders.
        out: the folder to write.
        boxes: files with the fields of a form that has none in it.
        accept: whether fields that FieldFinder proposes are taken without the browser, and the server that a web page
            names is started without asking.
        edit: whether the fields of a folder are changed in the browser.
        page: the file to open of a folder that holds a web page, or the path of its server.
        server: the command of a web page's own server.

    Raises:
        ValueError: if the options do not go with what is brought in, or that is broken.
    """
    kinds = {_kind(page) for page in pages}
    kind = kinds.pop() if len(kinds) == 1 else "several"
    if kind == "several" or (len(pages) > 1 and kind in ("pdf", "web")):
        raise ValueError(
            "forms are imported one at a time: one PDF, the pictures of one form, one web page, or folders"
        )
    given = {"out": out, "boxes": boxes, "yes": accept, "edit": edit, "page": page, "server": server}
    _check_options(kind, **{name: value not in (None, False, []) for name, value in given.items()})
    if kind == "pdf":
        from .authoring.pdf.importing import import_pdf

        import_pdf(Path(pages[0]), out, boxes, accept)
    elif kind == "pictures":
        from .authoring.boxes.flat_import import import_pictures

        import_pictures([Path(page) for page in pages], out, boxes, accept)
    elif kind == "web":
        from .authoring.web.import_page import import_page

        import_page(pages[0], out, page, server, accept)
    elif edit:
        from .authoring.boxes.flat_form import opened_folder
        from .authoring.boxes.flat_import import edit as edit_boxes

        for page in pages:
            edit_boxes(opened_folder(Path(page)))
    else:
        from .authoring.form_folder import import_folders

        import_folders([Path(page) for page in pages])


_IN_WORDS = {"pdf": "PDF", "web": "web page"}
_OPTIONS = {
    "pdf": ("out", "boxes", "yes"),
    "pictures": ("out", "boxes", "yes"),
    "web": ("out", "page", "server", "yes"),
    "folder": ("edit",),
}


def _check_options(kind: str, **given: bool) -> None:
    if wrong := [name for name, is_given in given.items() if is_given and name not in _OPTIONS[kind]]:
        what = kind if kind == "pictures" else f"a {_IN_WORDS.get(kind, kind)}"
        raise ValueError(f"--{wrong[0]} does not go with {what}; what does is --{', --'.join(_OPTIONS[kind])}")


def _kind(page: str) -> str:
    name = page.lower()
    if name.startswith(("http://", "https://")) or name.endswith((".html", ".htm", ".zip")):
        return "web"
    if Path(page).is_dir() and _holds_page(Path(page)):
        return "web"
    return "pdf" if name.endswith(".pdf") else "pictures" if name.endswith(_PICTURES) else "folder"


def _holds_page(folder: Path) -> bool:
    """Whether a folder holds a web page rather than a paper form."""
    is_paper = any((folder / name).exists() for name in ("form.html", "form.json"))
    return not is_paper and any(path.suffix.lower() in (".html", ".htm", ".py") for path in folder.iterdir())
