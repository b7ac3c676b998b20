"""formgym: paperwork as Gymnasium environments. Importing it registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .fieldfinder_model import locators as locators

__version__ = "0.16.0"


def __getattr__(name: str) -> Any:
    """``locators``, loaded when first used."""
    if name != "locators":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .fieldfinder_model import locators

    return locators


# pytest imports this file a second time under the name of the checkout's folder.
if __name__ == "formgym":
    from .envs.registration import register_all

    register_all()
