"""Elements by the names of their authors, for tests of programs that say what they look for in words."""

from formgym.envs.documents.grounding.placing import infer_place


def find_by_name(document, words):
    """The elements of a name, with or without article, or of an authored id; then those whose names begin so."""
    name = words.strip(" .").lower().removeprefix("the ")
    exact = [one for one in document.elements() if name in (one.name.lower(), one.id)]
    return exact or [one for one in document.elements() if name and one.name.lower().startswith(name)]


def infer_by_name(document, words):
    """The place that words describe by names of elements."""
    return infer_place(document, words, find_by_name)
