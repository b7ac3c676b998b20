"""Read telephone numbers."""

from __future__ import annotations

import re
from functools import lru_cache

# Signs at the ends, a plus inside, empty brackets and an extension without a number do not occur in one.
_NO_PHONE = re.compile(r"[^\d\s().+/x#-]|^\s*[-/]|[-/(+]\s*$|[^\s(]\s*\+|\(\s*\)|[x#](?!\s*\d+\s*$)")


@lru_cache(maxsize=4096)
def read_phone(folded: str) -> tuple[str, str] | None:
    """The national number (by default of the US) and the extension, or None."""
    import phonenumbers

    plain = re.sub(r"^(?:tel|phone|ph)\b[.:]?", "", folded)
    plain = re.sub(r",?\s*\bext(?:ension)?\b[.:]?", " x", plain)
    if _NO_PHONE.search(plain):
        return None
    plain = re.sub(r"^\s*00(?=[1-9])", "+", plain)
    digits = re.sub(r"\D", "", re.split("[x#]", plain)[0])
    try:
        number = phonenumbers.parse(plain, "US")
    except phonenumbers.NumberParseException:
        return (digits, "") if digits else None
    national, code = str(number.national_number), str(number.country_code)
    # The parser drops leading zeros, which are digits that were entered.
    return (f"{code} {national}", number.extension or "") if digits in (national, code + national) else (digits, "")
