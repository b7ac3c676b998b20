"""Builds what the rows of ``data/hostile_corpus.json`` describe: folders and files that a stranger might send.

A row has a ``name``, the ``kind`` of what it is (``verbs`` has the commands that open such), and ``files`` by path,
laid over those of a sound one of its kind; ``null`` removes one. The content of a file is its text, or an object:

- ``set``: values by dotted path in the JSON of the sound file; of JSON lines, those of its first line
- ``repeat``: a text and how often it comes, between ``before`` and ``after``; ``closing`` comes as often at the end,
  and ``into`` is a text of the sound file before which all this is put
- ``replace``: a text of the sound file and what is there instead
- ``png``: width and height of a black picture
- ``gzip``: a content, compressed; ``zip``: contents by member, laid over the members of the sound file
  there also ``long``: a letter, and how many MiB of it there are
- ``link``: a target; ``fifo``: true; ``sparse``: how many bytes long a file of holes is
- ``times``: how many copies of the ``folder`` of this name there are; ``base64``: bytes

A row with ``each`` stands for several: ``@EACH@`` is one of its values, ``@EACH.0@`` the first part of one. In texts
``@OUTSIDE@`` is a folder that nobody may read, ``@CANARY@`` an expression that some libraries replace by a secret of
the environment, ``@DIGITS9@`` a number of nine digits and ``@NESTED9@`` nine lists in each other.
"""

import base64
import gzip
import io
import json
import os
import re
import shutil
import struct
import zipfile
import zlib
from pathlib import Path

CORPUS = Path(__file__).with_name("data") / "hostile_corpus.json"
SECRET = "canary-5b1f0c77d2"
"""The value of the environment variable ``FORMGYM_PRIVATE_NOTE``, which no output may hold."""
_CHUNK = 1 << 20


def rows():
    """All rows of the corpus."""
    return [one for row in json.loads(CORPUS.read_text())["rows"] for one in _expanded(row)]


def _expanded(row):
    """The rows that one with ``each`` stands for."""
    for number, value in enumerate(row.get("each", [None])):
        parts = value if isinstance(value, list) else []
        places = {"@EACH@": value} | {f"@EACH.{i}@": part for i, part in enumerate(parts)}
        name = f"{row['name']} {number}" if "each" in row else row["name"]
        yield _filled({key: one for key, one in row.items() if key != "each"}, places) | {"name": name}


def verbs(row):
    """The commands that open what a row describes; ``@IT@`` stands for it."""
    return json.loads(CORPUS.read_text())["verbs"][row["kind"]]


def commands(row, it, out):
    """Those commands for what is at ``it``; they may write to the folder ``out``."""
    # An override is Hydra's: whoever types the name of a folder there escapes what Hydra would resolve.
    places = {"='@IT@'": f"='{it}'".replace("${", r"\${"), "@IT@": str(it), "@OUT@": str(out)}
    return [[_replaced(word, places) for word in argv] for argv in verbs(row)]


def build(row, sound, root):
    """Make what a row describes below ``root``, from a sound one; where it is.

    Args:
        row: of the corpus.
        sound: a folder with a sound file or folder of each kind, by its name.
        root: an empty folder.
    """
    outside = root / "outside"
    outside.mkdir()
    (outside / "private.txt").write_text(SECRET)
    places = {"@OUTSIDE@": str(outside), "@CANARY@": "${oc.env:FORMGYM_PRIVATE_NOTE}"}
    source = next(sound.glob(f"{row['kind']}*"))
    it = root / "given" / row.get("called", source.name)
    it.parent.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, it)
    else:
        it.parent.mkdir(exist_ok=True)
        shutil.copy(source, it)
    for name, content in row.get("files", {}).items():
        _lay(it / name if source.is_dir() else it, content, places)
    return it


def _lay(path, content, places):
    """Put a content at a path."""
    if isinstance(content, dict) and "times" in content:
        for number in range(content["times"]):
            shutil.copytree(path.parent / content["folder"], path.with_name(f"{path.name}{number}"), symlinks=True)
        return
    before = path.read_bytes() if path.is_file() else b""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if content is None:
        return
    if isinstance(content, dict) and "link" in content:
        path.symlink_to(_replaced(content["link"], places))
    elif isinstance(content, dict) and "fifo" in content:
        os.mkfifo(path)
    elif isinstance(content, dict) and "sparse" in content:
        with path.open("wb") as file:
            file.truncate(content["sparse"])
    else:
        path.write_bytes(_bytes(content, before, places))


def _bytes(content, before, places):
    """The bytes of a content, which may be laid over those that were there ``before``."""
    if isinstance(content, str):
        return _replaced(content, places).encode(errors="surrogatepass")
    if "base64" in content:
        return base64.b64decode(content["base64"])
    if "gzip" in content:
        inner = gzip.decompress(before) if before[:2] == b"\x1f\x8b" else before
        return _compressed(content["gzip"], inner, places)
    if "zip" in content:
        return _zipped(content["zip"], before, places)
    if "set" in content:
        first, newline, rest = before.partition(b"\n") if content.get("lines") else (before, b"", b"")
        value = json.loads(first)
        for dotted, new in content["set"].items():
            _set(value, dotted.split("."), _filled(new, places))
        return _written(value) + newline + rest
    if "png" in content:
        return _png(*content["png"])
    if "replace" in content:
        old, new = (text.encode() for text in content["replace"])
        assert old in before
        return before.replace(old, new)
    unit, times = content["repeat"]
    closing = content.get("closing", "") * times
    parts = [content.get("before", ""), unit * times, content.get("after", ""), closing]
    text = "".join(_replaced(part, places) for part in parts).encode()
    if mark := content.get("into", "").encode():
        assert mark in before
        return before.replace(mark, text + mark, 1)
    return text


def _png(width, height):
    """A black picture of one bit a pixel."""
    packer, row = zlib.compressobj(1), b"\0" * (1 + -(-width // 8))
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    chunks = (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)), (b"IDAT", data), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def _compressed(content, before, places):
    """Compressed, without having all of it in memory."""
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        if isinstance(content, dict) and "repeat" in content:
            unit, times = content["repeat"]
            chunk = max(1, _CHUNK // len(unit))
            packed.write(content.get("before", "").encode())
            for _ in range(times // chunk):
                packed.write(unit.encode() * chunk)
            packed.write(content.get("after", "").encode())
        else:
            packed.write(_bytes(content, before, places))
    return file.getvalue()


def _zipped(members, before, places):
    old = {}
    if before:
        with zipfile.ZipFile(io.BytesIO(before)) as archive:
            old = {name: archive.read(name) for name in archive.namelist()}
    long = {
        name: (content["long"][0].encode() * _CHUNK, content["long"][1])
        for name, content in members.items()
        if isinstance(content, dict) and "long" in content
    }
    for name, content in members.items():
        if name in long:
            continue
        old[name] = None if content is None else _bytes(content, old.get(name, b""), places)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in old.items():
            if content is not None:
                archive.writestr(name, content)
        for name, (unit, times) in long.items():
            with archive.open(name, "w") as member:
                for _ in range(times):
                    member.write(unit)
    return file.getvalue()


def _set(value, keys, new):
    """Set a value deep in JSON; what is on the way is made."""
    *inner, last = keys
    for key in inner:
        value = value[int(key)] if isinstance(value, list) else value.setdefault(key, {})
    if isinstance(value, list):
        value[int(last)] = new
    else:
        value[last] = new


def _filled(value, places):
    """A value of JSON with its places replaced."""
    if isinstance(value, str):
        return places[value] if value in places else _replaced(value, places)
    if isinstance(value, list):
        return [_filled(one, places) for one in value]
    if isinstance(value, dict):
        return {_replaced(name, places): _filled(one, places) for name, one in value.items()}
    return value


def _written(value):
    """A value as JSON, with what Python would not write."""
    text = re.sub(r'"@DIGITS(\d+)@"', lambda found: "9" * int(found[1]), json.dumps(value))
    text = re.sub(r"@LONG(\d+)@", lambda found: "x" * int(found[1]), text)
    return re.sub(r'"@NESTED(\d+)@"', lambda found: "[" * int(found[1]) + "]" * int(found[1]), text).encode()


def _replaced(text, places):
    for name, place in places.items():
        text = text.replace(name, place) if isinstance(place, str) else text
    return text
