"""What must hold of the fields of every form, of whatever kind."""

import numpy as np

from formgym.envs.core.pages import page_image
from formgym.envs.paper_forms.paper_form import form_folder, paper_form


def contains_box(outer, inner, slack=0.01):
    """Whether a box lies in another one, or reaches out by a hair."""
    return all(a <= b + slack for a, b in zip(outer[:2], inner[:2], strict=True)) and all(
        a >= b - slack for a, b in zip(outer[2:], inner[2:], strict=True)
    )


def assert_blank_and_apart(form, inset=2, contrast=0):
    """The fields of a form do not overlap, and nothing is printed in them, but for options and combs."""
    data = paper_form(form)
    page = page_image(form_folder(form) / "page.png", data.size)
    assert_apart(data.fields)
    for field in data.fields:
        left, top, right, bottom = map(int, field.box)
        if not field.option and not field.comb:
            edge = 4 if field.matcher == "checkbox" else inset
            inside = page[top + edge : bottom - edge, left + edge : right - edge].astype(int)
            assert np.ptp(inside, axis=(0, 1)).max() <= contrast, f"something is printed in {field.name}"


def assert_apart(fields):
    """No box reaches into another."""
    for i, field in enumerate(fields):
        left, top, right, bottom = field.box
        for other in fields[i + 1 :]:
            apart = other.box[0] >= right or other.box[2] <= left or other.box[1] >= bottom or other.box[3] <= top
            assert apart, f"{field.name} overlaps {other.name}"
