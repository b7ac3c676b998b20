"""What can go wrong with a browser."""

from __future__ import annotations


class BrowserError(RuntimeError):
    """Something is wrong with the browser or with what it was asked."""


class BrowserGone(BrowserError):
    """The browser is no more, and the episode in it is lost; a reset begins anew."""


class PageGone(BrowserGone):
    """The page crashed; the browser is well."""


class BrowserHung(BrowserError):
    """The browser did not answer in time and was ended; the episode in it is lost. A reset begins anew."""


class CommandFailed(BrowserError):
    """The browser is well and refuses what it was asked."""


class ScriptFailed(CommandFailed):
    """A script raised an exception in the page."""
