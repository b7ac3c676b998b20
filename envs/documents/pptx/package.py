"""Check the zip file of an office document, and replace some of its members."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from datetime import datetime

_MAX_FILE = 256 << 20
_MAX_MEMBER = 256 << 20
_MAX_TOTAL = 768 << 20
_MAX_MEMBERS = 20_000
_MAX_XML = 48 << 20
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of compound files: old binary formats, and files locked with a password."""
_ENCRYPTED = 0x1


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
    if len(content) > _MAX_FILE:
        raise ValueError(f"{origin} is too large: {len(content) >> 20} MiB; {_MAX_FILE >> 20} are the most")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            _check_sizes(package.infolist(), origin)
            # What members declare as their size is all that is ever read of them, so sizes are checked first.
            damaged = package.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(f"{origin} is no PowerPoint file: {error}") from None
    if damaged is not None:
        raise ValueError(f"{origin} is damaged: {damaged} in it cannot be read")


def patched(content: bytes, members: Mapping[str, bytes]) -> bytes:
    """A package with new content in some members, which may be new; others are copied."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        names = set()
        for info in old.infolist():
            names.add(info.filename)
            if (data := members.get(info.filename)) is None:
                _copy_member(content, info, new)
            else:
                new.writestr(_like(info), data, info.compress_type)
        for name, data in members.items():
            if name not in names:
                new.writestr(zipfile.ZipInfo(name, _FIRST_DATE), data, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _copy_member(content: bytes, info: zipfile.ZipInfo, new: zipfile.ZipFile) -> None:
    """Copy a member without unpacking it.

    The library can only unpack and pack again, which takes most of the time where there are pictures.
    """
    assert new.fp is not None
    n_name, n_extra = struct.unpack_from("<HH", content, info.header_offset + _LENGTHS_AT)
    start = info.header_offset + _HEADER + n_name + n_extra
    like = _like(info)
    like.CRC, like.compress_type = info.CRC, info.compress_type
    like.compress_size, like.file_size = info.compress_size, info.file_size
    like.header_offset = new.start_dir
    new.fp.seek(new.start_dir)
    new.fp.write(like.FileHeader())
    new.fp.write(content[start : start + info.compress_size])
    new.filelist.append(like)
    new.NameToInfo[like.filename] = like
    new.start_dir = new.fp.tell()


_HEADER, _LENGTHS_AT = 30, 26
"""The size of a member's header, and the offset of the lengths of its name and its extra field."""
_FIRST_DATE = datetime(1980, 1, 1).timetuple()[:6]


def _like(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    like = zipfile.ZipInfo(info.filename, info.date_time)
    like.external_attr, like.create_system = info.external_attr, info.create_system
    return like


def _check_sizes(members: list[zipfile.ZipInfo], origin: str) -> None:
    if len(members) > _MAX_MEMBERS:
        raise ValueError(f"{origin} holds {len(members)} parts; {_MAX_MEMBERS} are the most")
    for info in members:
        if info.flag_bits & _ENCRYPTED:
            raise ValueError(f"{origin} is locked with a password: open it and save it without one")
        largest = _MAX_XML if info.filename.endswith((".xml", ".rels")) else _MAX_MEMBER
        if info.file_size > largest:
            raise ValueError(f"{origin}: {info.filename} would unpack to {info.file_size >> 20} MiB, which is too much")
    if (total := sum(info.file_size for info in members)) > _MAX_TOTAL:
        raise ValueError(f"{origin} would unpack to {total >> 20} MiB; {_MAX_TOTAL >> 20} are the most")
