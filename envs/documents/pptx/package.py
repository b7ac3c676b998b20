"""Check the zip file of an office document, and replace some of its members."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from datetime import datetime

from ...core.texts import truncate

MAX_FILE = 128 << 20
_MAX_TOTAL = 256 << 20
_MAX_MEMBERS = 5_000
_MAX_MARKS = 1_000_000
"""The most tags and attributes of all XML: a parsed one takes a hundred times the memory of its letters."""
_MAX_LINKS = 50_000
"""The same of what lists parts, for which Python code runs line by line."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of compound files: old binary formats, and files locked with a password."""
_ENCRYPTED = 0x1
_XML = re.compile(rb"[\xef\xbb\xbf\xfe\xff\0\s]*<|Lo\xa7\x94")
"""The beginning of what a parser takes for XML, in any encoding; parts are parsed by their type, not their name."""


class Unreadable(ValueError):
    """What keeps a file from being read, in a sentence that names it."""


@contextmanager
def reading(origin: str, problem: str = "is no PowerPoint file that can be read") -> Iterator[None]:
    """Raise a ``ValueError`` that names the file and the problem for whatever goes wrong."""
    try:
        yield
    except Unreadable:
        raise
    except Exception as error:
        # What a broken file breaks in a library that trusts it cannot be listed.
        raise Unreadable(f"{origin} {problem}: {truncate(str(error), 200)}") from error


def check_package(content: bytes, origin: str) -> None:
    """Check that a file is a whole zip file of a size that can be opened here.

    Args:
        content: of the file.
        origin: what the file is called in messages.

    Raises:
        ValueError: if it is not such a file, is locked with a password, is damaged, or would take too much memory.
    """
    if content.startswith(_OLD_OFFICE):
        raise ValueError(f"{origin} is locked with a password, or is an old .ppt file: save it as an open .pptx file")
    if len(content) > MAX_FILE:
        raise ValueError(f"{origin} is too large: {len(content) >> 20} MiB; {MAX_FILE >> 20} are the most")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            members = package.infolist()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise ValueError(f"{origin} is no PowerPoint file: {error}") from None
    _check_sizes(members, origin)
    marks = 0
    for info in members:
        marks += _marks_in(_unpacked(content, info, origin), info.filename, origin)
        if marks > _MAX_MARKS:
            raise ValueError(f"{origin} holds more than {_MAX_MARKS:,} tags and attributes, which is too much")


def _check_sizes(members: list[zipfile.ZipInfo], origin: str) -> None:
    if len(members) > _MAX_MEMBERS:
        raise ValueError(f"{origin} holds {len(members)} parts; {_MAX_MEMBERS} are the most")
    if any(info.flag_bits & _ENCRYPTED for info in members):
        raise ValueError(f"{origin} is locked with a password: open it and save it without one")
    if (total := sum(info.file_size for info in members)) > _MAX_TOTAL:
        raise ValueError(f"{origin} would unpack to {total >> 20} MiB; {_MAX_TOTAL >> 20} are the most")


def _unpacked(content: bytes, info: zipfile.ZipInfo, origin: str) -> bytes:
    """What is in a member, which must be as long as the file's directory says.

    The library unpacks all that there is before it looks at the size that a member declares.
    """
    try:
        data = packed = _packed(content, info)
        is_whole = info.compress_type == zipfile.ZIP_STORED
        if info.compress_type == zipfile.ZIP_DEFLATED:
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
            data = unpacker.decompress(packed, info.file_size + 1)
            is_whole = unpacker.eof
    except (zlib.error, struct.error) as error:
        raise ValueError(f"{origin} is damaged: {_name(info.filename)} in it cannot be read: {error}") from None
    if not is_whole or len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise ValueError(f"{origin} is damaged: {_name(info.filename)} in it is not what the file's directory says")
    return data


def _marks_in(data: bytes, name: str, origin: str) -> int:
    """The number of tags and attributes in a part, if it is XML.

    Raises:
        ValueError: if it defines entities, or lists too many parts.
    """
    if not _XML.match(data):
        return 0
    if b"<!DOCTYPE" in data.replace(b"\0", b"") or data.startswith(b"Lo"):
        raise ValueError(f"{origin}: {_name(name)} has a document type, which no PowerPoint file has")
    marks = data.count(b"<") + data.count(b"=")
    if name.endswith((".rels", "[Content_Types].xml")) and marks > _MAX_LINKS:
        raise ValueError(f"{origin}: {_name(name)} lists too much: more than {_MAX_LINKS:,} tags and attributes")
    return marks


def _name(member: str) -> str:
    """The name of a member in a sentence."""
    return repr(truncate(member, 80))


def patched(content: bytes, members: Mapping[str, bytes], dropped: Set[str] = frozenset()) -> bytes:
    """A package with new content in some members, which may be new, and without others; the rest is copied."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        names = set()
        for info in old.infolist():
            names.add(info.filename)
            if info.filename in dropped:
                continue
            if (data := members.get(info.filename)) is None:
                _copy_member(content, info, new)
            else:
                new.writestr(_like(info), data, info.compress_type)
        for name, data in members.items():
            if name not in names | dropped:
                new.writestr(zipfile.ZipInfo(name, _FIRST_DATE), data, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _copy_member(content: bytes, info: zipfile.ZipInfo, new: zipfile.ZipFile) -> None:
    """Copy a member without unpacking it.

    The library can only unpack and pack again, which takes most of the time where there are pictures.
    """
    assert new.fp is not None
    like = _like(info)
    like.CRC, like.compress_type = info.CRC, info.compress_type
    like.compress_size, like.file_size = info.compress_size, info.file_size
    like.header_offset = new.start_dir
    new.fp.seek(new.start_dir)
    new.fp.write(like.FileHeader())
    new.fp.write(_packed(content, info))
    new.filelist.append(like)
    new.NameToInfo[like.filename] = like
    new.start_dir = new.fp.tell()


def _packed(content: bytes, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member as they are in the file."""
    n_name, n_extra = struct.unpack_from("<HH", content, info.header_offset + _LENGTHS_AT)
    start = info.header_offset + _HEADER + n_name + n_extra
    return content[start : start + info.compress_size]


_HEADER, _LENGTHS_AT = 30, 26
"""The size of a member's header, and the offset of the lengths of its name and its extra field."""
_FIRST_DATE = datetime(1980, 1, 1).timetuple()[:6]


def _like(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    like = zipfile.ZipInfo(info.filename, info.date_time)
    like.external_attr, like.create_system = info.external_attr, info.create_system
    return like
