"""General words: those that tell of what kind something is, how it looks or where it is, not what it is called."""

from __future__ import annotations

import re

from .expressions import ORDINALS
from .lexicon import AFTER_NOUNS, ANYTHING, COLOUR_WORDS, HEADS, LINKS, PLACES, RELATIONS, STYLES

_SPOKEN = "comes?|coming|counts?|counted|counting|hit|reading|reads|says?|lot|absolute|when|opens|starts|begins|slides?"
"""Words that people put around what they mean."""
_LOOKS = ("dark|light|colou?r", *HEADS, ANYTHING, *COLOUR_WORDS, *STYLES.values())
GENERAL = re.compile(
    "|".join((*_LOOKS, *PLACES.values(), *RELATIONS.values(), *ORDINALS, *LINKS, *AFTER_NOUNS, _SPOKEN))
)
"""Words that need not be in a name or a text."""
HEADINGS = frozenset(("title", "headline", "heading", "header"))
ROLES = HEADINGS | {"subtitle", "subheading", "caption", "label", "footer"}
"""Words for texts that say what a text is for: one without that role is not meant."""
