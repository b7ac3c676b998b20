"""Validity: the browser's problems with entered values, in Chromium's words."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import lru_cache

from pydantic_core import Url

from ...core.texts import utf16_length
from .capture import Control
from .numbers import number_problem

_LOCAL = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]"
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"{_LOCAL}+@{_LABEL}(?:\.{_LABEL})*")
_NO_LOCAL, _NO_DOMAIN = re.compile(rf"(?!{_LOCAL}).", re.S), re.compile("[^a-zA-Z0-9.-]")
_SPECIAL = ("http", "https", "ws", "wss", "ftp", "file")
_LOOSE = re.compile(r" |xn--(?=[!-~]*?[./\\:?#]|[!-~]*\Z)", re.IGNORECASE)
_PORT = re.compile(r":\d*\Z", re.A)
_IGNORED = re.compile("[\u00ad\u034f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]")


def email_text(text: str) -> str:
    """An address with its domain in ASCII, if that makes it valid."""
    local, _, domain = text.partition("@")
    found = None if domain.isascii() else _host_in_ascii(domain)
    address = f"{local}@{found}"
    labels = domain.split(".")
    hyphens = any(label[:1] == "-" or label[-1:] == "-" or label[2:4] == "--" for label in labels)
    return address if found and not hyphens and len(found) <= 255 and _EMAIL.fullmatch(address) else text


def _host_in_ascii(host: str) -> str | None:
    """A domain with non-ASCII labels in Punycode; ``None`` if it is invalid."""
    host = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _IGNORED.sub("", host)).casefold())
    labels = host.replace("。", ".").split(".")
    for label in labels:
        kinds = [unicodedata.category(c) for c in label if not c.isascii()]
        if any(kind[0] == "C" or kind in ("Zl", "Zp") for kind in kinds):
            return None
        if kinds and (unicodedata.category(label[0])[0] == "M" or label.startswith("xn--")):
            return None
    return ".".join(label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in labels)


def email_problem(value: str) -> str:
    """The problem of an e-mail address; "" if there is none."""
    if _EMAIL.fullmatch(value):
        return ""
    local, at, domain = value.partition("@")
    if not at:
        return f"Please include an '@' in the email address. '{value}' is missing an '@'."
    if not local:
        return f"Please enter a part followed by '@'. '{value}' is incomplete."
    if not domain:
        return f"Please enter a part following '@'. '{value}' is incomplete."
    if wrong := _NO_LOCAL.search(local):
        return f"A part followed by '@' should not contain the symbol '{wrong[0]}'."
    if wrong := _NO_DOMAIN.search(domain):
        return f"A part following '@' should not contain the symbol '{wrong[0]}'."
    if domain.startswith(".") or domain.endswith(".") or ".." in domain:
        return f"'.' is used at a wrong position in '{domain}'."
    return "Please enter an email address."


def is_url(value: str) -> bool:
    """Whether a text is an absolute URL by the URL standard, and by Chromium where that departs from it."""
    text = re.sub("[\t\n\r]", "", value.strip("".join(map(chr, range(33)))))
    scheme, colon, rest = text.partition(":")
    is_wrong: object = None
    is_file, has_host = scheme.lower() == "file", re.match(r"[/\\]{2}", rest)
    host = re.split(r"[/\\]" if is_file else "[/?#]", rest[2:])[0] if has_host else ""
    if scheme.lower() in _SPECIAL:
        # Spaces in a host, and labels that only begin like Punycode, are valid.
        rest = _LOOSE.sub("x", rest)
        is_wrong = is_file and re.search("[?#]", host)
    elif rest.startswith("//"):
        # Of a host only the lower byte of each UTF-16 unit counts.
        low = host.encode("utf-16-le")[::2].decode("latin-1")
        rest = f"//{low}{rest[2 + len(host) :]}"
        is_wrong = host and (re.search("[\0\t\n\r]", low) or not _PORT.sub("", host.rpartition("@")[2]))
    try:
        return not is_wrong and bool(Url(f"{scheme}{colon}{rest}"))
    except ValueError:
        return False


def text_problem(control: Control, value: str, typed: str) -> str:
    """The problem of a text; ``typed`` is the raw text from which ``value`` was made."""
    mismatch = pattern_mismatch(control, value)
    message = (
        _date_problem(control, value)
        or _type_problem(control, value, typed)
        or ("Please match the requested format." if mismatch else "")
        or _length_problem(control, value, typed)
        or number_problem(control, value)
    )
    # The page adds the hint of the pattern, whatever else is wrong.
    return f"{message}\n{control.title}" if mismatch and control.title else message


def pattern_mismatch(control: Control, value: str) -> bool:
    """Whether a text does not match its control's pattern; an invalid pattern matches all."""
    if not value or control.pattern is None or control.type in ("number", "textarea"):
        return False
    pattern = _pattern(control.pattern)
    return pattern is not None and not pattern.fullmatch(value)


@lru_cache(maxsize=512)
def _pattern(source: str) -> re.Pattern[str] | None:
    try:
        return re.compile(source, re.A)
    except (re.error, OverflowError, RecursionError):
        return None


def _type_problem(control: Control, value: str, typed: str) -> str:
    if not value:
        bad = control.type == "number" and typed
        return "Please enter a number." if bad else "Please fill out this field." if control.required else ""
    if control.type == "email":
        return email_problem(value)
    return "Please enter a URL." if control.type == "url" and not is_url(value) else ""


_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.A)


def date_of(text: str) -> date | None:
    """A real date from YYYY-MM-DD; ``None`` for anything else."""
    try:
        return date.fromisoformat(text) if _ISO.fullmatch(text) else None
    except ValueError:
        return None


def _date_problem(control: Control, value: str) -> str:
    if control.type != "date" or not value:
        return ""
    if date_of(value) is None:
        return "Please enter a valid date as YYYY-MM-DD."
    if control.least and value < control.least:
        return f"Date must be {control.least} or later."
    if control.most and value > control.most:
        return f"Date must be {control.most} or earlier."
    return ""


def _length_problem(control: Control, value: str, typed: str) -> str:
    # Only what a person has typed is measured.
    if control.type == "number" or not value or typed == control.value:
        return ""
    length = utf16_length(value)
    using = f"(you are currently using {length} character{'s' * (length != 1)})."
    if 0 <= control.max_length < length:
        return f"Please shorten this text to {control.max_length} characters or less {using}"
    if length < control.min_length:
        return f"Please lengthen this text to {control.min_length} characters or more {using}"
    return ""
