"""What a text must be, up to spaces and the kind of quotation marks and dashes."""

from __future__ import annotations

import re
from functools import lru_cache

import pydantic

from ...core.files import Data

Texts = tuple[str, ...]
_FOLDED = str.maketrans("“”„«»‘’‚‹›′–—‒−‐‑", "\"\"\"\"\"''''''------") | {"…": "...", "\u00ad": ""}


class TextRule(Data):
    """What a text must be; of several conditions all count.

    Spaces, quotation marks and dashes are compared without regard to their kind.

    Attributes:
        any_of: the whole text is one of these.
        contains: it holds all of these.
        lacks: it holds none of these.
        pattern: a regular expression that occurs in it.
        shorter: it has fewer letters than before, but some.
        longer: it has more.
        ignore_case: upper and lower case are alike.
    """

    any_of: Texts = ()
    contains: Texts = ()
    lacks: Texts = ()
    pattern: str | None = None
    shorter: bool = False
    longer: bool = False
    ignore_case: bool = False

    @pydantic.field_validator("pattern")
    @classmethod
    def _is_expression(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return pattern

    def accepts(self, text: str | None, before: str | None = None) -> bool:
        """Whether a text is right; ``None``: there is none."""
        if text is None:
            return False
        own, was, *any_of = (folded(one, self.ignore_case) for one in (text, before or "", *self.any_of))

        def has(part: str) -> bool:
            return folded(part, self.ignore_case) in own

        return (
            (not any_of or own in any_of)
            and all(map(has, self.contains))
            and not any(map(has, self.lacks))
            and (self.pattern is None or re.search(self.pattern, own, re.I * self.ignore_case) is not None)
            and (not self.shorter or 0 < len(own) < len(was))
            and (not self.longer or len(own) > len(was))
        )


@lru_cache(maxsize=1024)
def folded(text: str, ignore_case: bool = False) -> str:
    """A text with plain quotation marks and dashes, and single spaces."""
    text = " ".join(text.translate(_FOLDED).split())
    return text.casefold() if ignore_case else text
