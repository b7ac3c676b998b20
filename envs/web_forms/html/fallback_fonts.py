"""The fonts for characters that a theme's typeface lacks, in the order in which they are asked."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

EAST_ASIAN = "Noto Sans CJK TC"


@lru_cache(maxsize=1)
def fallback_fonts() -> dict[str, Path]:
    """The families of the extra ``web`` and their files, as far as they are installed.

    Noto Sans is first, pictures and the large East Asian font are last.
    """
    noto = sorted(
        _folder("manimgx_fonts").glob("Noto*.ttf"),
        key=lambda file: ("Emoji" in file.name, "Symbols" in file.name, file),
    )
    found = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", " ", file.name.partition("[")[0]): file
        for file in noto
        if "Italic" not in file.name
    }
    first = {name: found[name] for name in ("Noto Sans",) if name in found}
    east_asian = _folder("cvttf_NotoSansCJK_Regular") / "NotoSansCJKtc-Regular.otf"
    return first | found | ({EAST_ASIAN: east_asian} if east_asian.is_file() else {})


def _folder(package: str) -> Path:
    """The folder of an installed package, which is not imported; one that is nowhere if it is lacking."""
    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
