"""Bytes to text, and text to numbered lines, for files from any machine and decade.

A byte-order mark decides; then the encoding a file states for itself; then UTF-8 where the bytes are valid UTF-8
(hardly any other text is by chance); else isolatin1, in which every byte is a letter.
"""

from __future__ import annotations

import codecs
import re

# UTF-32 first: its little-endian mark begins with that of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SYNONYMS = {"isolatin1": "latin-1", "isolatin9": "iso8859-15", "windows": "cp1252"}
_LINE_END = re.compile(r"\r{0,2}\n|\r")  # CR CR LF: DOS text that was made DOS text once more
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


class NotText(Exception):
    """Bytes that are no text; `expected` and `found` say why."""

    def __init__(self, expected: str, found: str) -> None:
        """Say what text was expected and what the bytes are."""
        self.expected, self.found = expected, found
        super().__init__(f"expected {expected}; found {found}")


def known_encoding(name: str) -> str | None:
    """The codec for an encoding's name, or None where there is none.

    >>> known_encoding("isolatin1"), known_encoding("klingon")
    ('iso8859-1', None)
    """
    name = name.strip().casefold()
    try:
        codec = codecs.lookup(_SYNONYMS.get(name, name))
        "".encode(codec.name)  # refuses the codecs that turn bytes into bytes, such as zip
    except (LookupError, ValueError):
        return None
    return codec.name


def decode(content: bytes, encoding: str | None = None) -> str:
    """The text of `content`, without a byte-order mark; `encoding` is what the file itself states, if anything.

    Raises `NotText` for an unknown encoding, bytes that do not fit it, and binary data.

    >>> decode("Stendané".encode("latin-1")), decode("Stendané".encode())
    ('Stendané', 'Stendané')
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return _printable(_strict(content[len(mark) :], name))
    if encoding is not None:
        codec = known_encoding(encoding)
        if codec is None:
            raise NotText("a known encoding such as utf-8 or isolatin1", repr(encoding))
        return _printable(_strict(content, codec))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return _printable(text)


def _strict(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except ValueError as error:
        raise NotText(f"text in {encoding}", f"bytes that are not: {error}") from None


def _printable(text: str) -> str:
    text = text.rstrip("\x1a")  # how DOS ended a file
    # one stray control character is a slip of somebody's editor, many are not text at all
    if "\x00" in text or len(_CONTROL.findall(text[:100_000])) * 50 > min(len(text), 100_000):
        raise NotText("text", "binary data")
    return text


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines that hold something, each with its number as an editor counts them: CR, LF, CRLF and CRCRLF end a line.

    >>> numbered_lines("a\\r\\n\\r\\nb\\rc\\r\\r\\nd")
    [(1, 'a'), (3, 'b'), (4, 'c'), (5, 'd')]
    """
    return [(number, line) for number, line in enumerate(_LINE_END.split(text), 1) if line.strip()]
