"""Whether a published set names anybody who is protected: every byte of every file is looked through.

A name is looked for as a whole in either order, and in each part of four letters or more that is no word of anything
public (`common`: schools, places, people who are not protected). Case and accents do not count, nor what stands between
the parts. Text is taken out of whatever holds it: entities, escapes, archives, PDF streams, embedded data.
"""

from __future__ import annotations

import base64
import html
import io
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from ratinglab.history import History
from ratinglab.minors import minors
from ratinglab.names import key

SHORTEST = 4
LONGEST_BY_CHANCE = 7
_LETTERS = re.compile(r"[^\W\d_]+")
# words, and what parts one name from the next: the end of a line or a cell, figures
_IN_A_LINE = re.compile(r"[^\W\d_]+|[\n\r\t\d\";<>|]")
_EMBEDDED = re.compile(r"base64,([A-Za-z0-9+/=\s]{8,})")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|#x?([0-9a-fA-F]{2,4});")
_OCTAL = re.compile(r"\\([0-7]{3})")


class Binary(str):
    """What bytes that are no text say, read as if they were."""

    __slots__ = ()


class Leak(NamedTuple):
    """A protected name, or another text that must not be seen, and the file in which it stands."""

    file: str
    name: str
    found: str


def leaks(folder: Path, names: Iterable[str], common: Iterable[str] = (), texts: Collection[str] = ()) -> list[Leak]:
    """Every file of the folder with every name of `names` in it, and every one of `texts` (as they are written)."""
    sought = Sought(names, common, texts)
    found = []
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(folder).as_posix()
        found += [Leak(where, *one) for one in sought.in_texts([where])]
        if path.is_file():
            told = list(texts_of(path.read_bytes()))
            glued = path.suffix == ".pdf"
            found += [Leak(where, *one) for one in sought.in_texts(told, glued=glued)]
    return found


def secrets(history: History) -> tuple[list[str], list[str], list[str]]:
    """Who is protected at the end of a history, the public words of it, and the birth dates of the protected."""
    protected = minors(history, history.events["end_date"].max()).index
    entries, events = history.entries, history.events
    everybody = set(entries["player"]) | set(history.players["player"])
    common = (everybody - set(protected)) | {"Latha"}  # a font that the theme of every workbook names
    for column in (entries["school"], entries["team"], entries["section"], events["name"], events["place"]):
        common |= set(column.dropna())
    own = entries[entries["player"].isin(protected)]
    listed = history.players[history.players["player"].isin(protected)]
    born = {*own["birth_date"].dropna(), *listed["birth_date"].dropna()} - {*events["date"], *events["end_date"]}
    dates = [date.strftime(form) for date in born for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d")]
    return sorted(protected), sorted(common), sorted(dates)


class Sought:
    """Names in the forms in which they are looked for."""

    def __init__(self, names: Iterable[str], common: Iterable[str], texts: Collection[str] = ()) -> None:
        self.common = {word for text in common for word in _LETTERS.findall(fold(text))}
        self.texts = texts
        self.wholes: dict[str, tuple[str, list[str]]] = {}
        self.parts: dict[str, str] = {}
        for name in names:
            parts = _LETTERS.findall(fold(key(name)))
            for order in (parts, [parts[-1], *parts[:-1]]):
                if len(parts) > 1:
                    self.wholes["".join(order)] = (name, parts)
            for part in parts:
                if len(part) >= SHORTEST and part not in self.common:
                    self.parts[part] = name

    def in_texts(self, told: Iterable[str], *, glued: bool = False) -> list[tuple[str, str]]:
        """The names in these texts, with what of each was found; `glued`: parts may be broken anywhere, as glyphs."""
        found: dict[tuple[str, str], None] = {}
        for text in told:
            folded = fold(text)
            once = set(_LETTERS.findall(folded))
            # a chance run of letters, as of a font or of packed data, is nobody's name
            least = LONGEST_BY_CHANCE if isinstance(text, Binary) else SHORTEST
            inside = "\n".join(sorted(once - self.common))
            every = "\n".join(sorted(once))
            found |= {(n, part): None for part, n in self.parts.items() if len(part) >= least and part in inside}
            together = None
            for whole, (name, parts) in self.wholes.items():
                if all(part in every for part in parts):
                    together = "".join(_IN_A_LINE.findall(folded)) if together is None else together
                    if whole in together:
                        found[name, whole] = None
            if glued:
                together = "".join(_LETTERS.findall(folded))
                # one name below another makes a third, where each part is somebody's who is not protected
                told_apart = {w: one for w, (one, parts) in self.wholes.items() if not self.common.issuperset(parts)}
                found |= {(name, whole): None for whole, name in told_apart.items() if whole in together}
            found |= {(secret, "as written"): None for secret in self.texts if secret in text}
        return list(found)


def fold(text: str) -> str:
    """The text without case and accents."""
    parted = unicodedata.normalize("NFKD", text.casefold())
    return parted if parted.isascii() else "".join(c for c in parted if not unicodedata.combining(c))


def texts_of(content: bytes, depth: int = 0) -> Iterator[str]:
    """Every text that a file's bytes hold, as they are and unpacked."""
    if depth > 3:
        return
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield "\n".join(archive.namelist())
            yield archive.comment.decode("utf-8", "replace")
            for member in archive.infolist():
                yield member.comment.decode("utf-8", "replace")
                yield from texts_of(archive.read(member), depth + 1)
        return
    if content.startswith(b"%PDF"):
        yield from _texts_of_pdf(content)
    yield from _decoded(content, depth)


def _decoded(content: bytes, depth: int) -> Iterator[str]:
    try:
        texts = [content.decode("utf-8")]
    except UnicodeDecodeError:
        texts = [content.decode("utf-8", "ignore"), content.decode("latin-1")]
    if b"\0" in content:
        texts += [content[at:].decode(f"utf-16-{end}", "ignore") for at in (0, 1) for end in ("le", "be")]
    # compressed data and fonts are full of bytes that no text has
    binary = sum(content.count(byte) for byte in range(9)) > len(content) / 50
    for text in texts:
        yield Binary(text) if binary else text
        plain = text
        for _ in range(2):  # what is escaped may be escaped once more
            plain = _OCTAL.sub(_letter_of_octal, _ESCAPE.sub(_letter, unquote(html.unescape(plain))))
        if plain != text:
            yield Binary(plain) if binary else plain
        if "<" in plain:
            bare = re.sub(r"<[^>]*>", "\n", re.sub(r"</?(?:b|i|em|strong|span|a|r)\b[^>]*>", "", plain))
            yield Binary(bare) if binary else bare
        for found in _EMBEDDED.finditer(text):
            yield from texts_of(_unpacked(found.group(1)), depth + 1)


def _letter(found: re.Match[str]) -> str:
    return chr(int(next(group for group in found.groups() if group), 16))


def _letter_of_octal(found: re.Match[str]) -> str:
    return chr(int(found.group(1), 8))


def _unpacked(text: str) -> bytes:
    try:
        return base64.b64decode(re.sub(r"\s", "", text) + "==")
    except ValueError:
        return b""


def _texts_of_pdf(content: bytes) -> Iterator[str]:
    """The text of each page, all strings of all objects (properties, outlines, alternative texts), all streams."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content))
    yield "\n".join(page.extract_text() for page in reader.pages)
    for number in range(1, int(reader.trailer["/Size"])):
        made = reader.get_object(number)
        if made is not None:
            yield "\n".join(_strings(made))
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        try:
            yield from _decoded(zlib.decompressobj().decompress(packed), 3)
        except zlib.error:
            continue


def _strings(made: Any) -> Iterator[str]:
    """Every string in an object; a stream's own data as well."""
    if isinstance(made, dict):
        for name, value in made.items():
            yield str(name)
            if not hasattr(value, "idnum"):
                yield from _strings(value)
        if hasattr(made, "get_data") and str(made.get("/Type")) in ("/Metadata", "/EmbeddedFile"):
            yield from _decoded(made.get_data(), 3)
    elif isinstance(made, list):
        for value in made:
            if not hasattr(value, "idnum"):
                yield from _strings(value)
    elif isinstance(made, bytes):
        yield made.decode("latin-1")
    elif isinstance(made, str):
        yield made


def in_order_of(labels: Iterable[str], true_name: dict[str, str]) -> bool:
    """Whether rows that name people by these labels stand in the order of the true names' alphabet, up or down."""
    told = [key(true_name[label]) for label in labels if label in true_name]
    steps = [one <= other for one, other in pairwise(told)]
    return len(steps) > 3 and (all(steps) or not any(steps))
