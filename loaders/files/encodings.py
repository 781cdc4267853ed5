"""Which text encoding a file was written in, found from its bytes.

Bridge files come as UTF-8, as the Windows code pages of western (1252) and central Europe (1250)
and, where a program read UTF-8 as Latin-1 and wrote it as UTF-8 again, encoded twice.
"""

import re
from collections.abc import Callable, Iterable, Iterator

UTF8 = "utf-8"
UTF8_SIG = "utf-8-sig"
UTF8_TWICE = "utf-8 twice"
CP1250 = "cp1250"
CP1252 = "cp1252"
LATIN1 = "latin-1"

_LONGEST_WORD = 16 << 20
"""Bytes without any blank are no text; where they are cut matters no more."""

_PAGES = (CP1250, CP1252, LATIN1)
_BOM = b"\xef\xbb\xbf"

# Polish, Czech, Slovak and Hungarian letters of code page 1250 whose byte is a sign or nothing
# at all in 1252: next to a letter they tell that the page is 1250. BF before a letter tells
# nothing: Spanish questions begin with it.
_CENTRAL_EUROPEAN = re.compile(
    rb"[A-Za-z][\xa3\xa5\xaf\xb3\xb9\xbc\xbe\xbf\x8d\x8f\x9d](?![\xa0-\xbf])"
    rb"|(?<![\x80-\xff])[\xa3\xa5\xaf\xb3\xb9\xbc\xbe\x8d\x8f\x9d][A-Za-z]"
)
_UNDEFINED_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_UNDEFINED_IN_1250 = re.compile(rb"[\x81\x83\x88\x90\x98]")

# The lead byte C2-F4 of a UTF-8 sequence, itself encoded, before an encoded continuation byte.
# The continuation bytes 80-9F may have gone through code page 1252 (dashes, quotes, Œ, Š …).
_TWICE = re.compile(rb"\xc3[\x82-\xb4][\xc2\xc5\xc6\xcb\xe2]")
# Letters from U+0180 on: Greek, Cyrillic and so on.
_FAR_LETTER = re.compile(rb"[\xc6-\xdf]")
_LOW_CONTINUATION = re.compile(rb"[\x80-\x9f]")
_ASCII = re.compile(rb"[\x00-\x7f]|\Z")


_HEAD_BYTES = 1 << 20
_CONTROLS = bytes({*range(1, 32), 127} - set(b"\t\n\v\f\r\x1a"))
"""Bytes that no text has; 1A ended files once."""


def is_binary(data: bytes) -> bool:
    r"""Whether bytes are no text at all, told from the first MiB.

    NUL bytes alone do not tell: a transfer or a disk that fails leaves some in a text, which is
    read with blanks for them.
    """
    head = data[:_HEAD_BYTES]
    return b"\0" in head and 50 * (len(head) - len(head.translate(None, _CONTROLS))) > len(head)


def _repair(data: bytes) -> bytes:
    """Undo one encoding of each run of letters in valid UTF-8 where that gives valid UTF-8."""
    pieces: list[bytes] = []
    done = 0
    for match in _TWICE.finditer(data):
        start = match.start()
        if start < done:
            continue
        while start > done and data[start - 1] >= 0x80:
            start -= 1
        behind = _ASCII.search(data, match.end())
        end = len(data) if behind is None else behind.start()
        pieces += (data[done:start], _once(data[start:end]))
        done = end
    return b"".join((*pieces, data[done:]))


def _once(run: bytes) -> bytes:
    """Undo one encoding of a run of letters if that gives valid UTF-8 that is likely meant."""
    # Chinese remarks in GBK that were encoded as if they were Latin-1 give pairs like ``Ç¿`` or
    # ``Ð»Ð»`` that happen to be valid, too; unlike Russian or Greek words, they hold no byte below
    # A0 behind the lead bytes: without one, letters of such alphabets are not believed
    for page in (CP1252, LATIN1):
        try:
            once = run.decode(UTF8).encode(page)
            once.decode(UTF8)
        except UnicodeError:
            continue
        if _FAR_LETTER.search(once) and not _LOW_CONTINUATION.search(once):
            return run
        return once
    return run


def decode_text(data: bytes) -> tuple[str, str]:
    """Text of a file's bytes and the name of the encoding found.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    text : str
        Without byte order mark, with blanks for NUL bytes. Letters that were encoded as UTF-8
        twice are repaired; nothing else is changed.
    encoding : str
        ``utf-8``, ``utf-8-sig``, ``utf-8 twice``, ``cp1250``, ``cp1252`` or ``latin-1``.

    Notes
    -----
    Every byte string decodes: Latin-1 is the last resort. The choice between 1250 and 1252 is a
    guess from bytes that are letters in the one and signs in the other.

    Examples
    --------
    >>> decode_text("Gromöller".encode("utf-8"))
    ('Gromöller', 'utf-8')
    >>> decode_text("Gromöller".encode("cp1252"))
    ('Gromöller', 'cp1252')
    >>> decode_text("Jagniewski, Pasław".encode("cp1250"))
    ('Jagniewski, Pasław', 'cp1250')
    >>> decode_text("GromÃ¶ller".encode("utf-8"))
    ('Gromöller', 'utf-8 twice')
    """
    text, encoding = decode_utf8(data)
    return text.decode(UTF8), encoding


def decode_utf8(data: bytes) -> tuple[bytes, str]:
    """Return what :func:`decode_text` does, as UTF-8 bytes; no copy if it is that already."""
    # bytes that hold no NUL are not copied
    data = data.replace(b"\0", b" ")
    if data.isascii():
        return data, UTF8
    encoding = UTF8
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
        encoding = UTF8_SIG
    try:
        data.decode(UTF8)
    except UnicodeDecodeError:
        text, encoding = _decode_code_page(data)
        return text.encode(UTF8), encoding
    repaired = _repair(data)
    return (data, encoding) if repaired == data else (repaired, UTF8_TWICE)


class _CodePage:
    """Which code page bytes are in that are no UTF-8, told from all their parts."""

    def __init__(self) -> None:
        self.is_central_european = False
        self.may_be_1250 = True
        self.may_be_1252 = True

    def add(self, part: bytes) -> None:
        self.is_central_european |= _CENTRAL_EUROPEAN.search(part) is not None
        self.may_be_1250 &= _UNDEFINED_IN_1250.search(part) is None
        self.may_be_1252 &= _UNDEFINED_IN_1252.search(part) is None

    def name(self) -> str:
        if self.is_central_european and self.may_be_1250:
            return CP1250
        return CP1252 if self.may_be_1252 else LATIN1


def _decode_code_page(data: bytes) -> tuple[str, str]:
    page = _CodePage()
    page.add(data)
    return data.decode(page.name()), page.name()


def find_encoding(read: Callable[[], Iterable[bytes]]) -> str:
    """Name the encoding :func:`decode_text` finds in bytes that come block by block.

    Parameters
    ----------
    read : callable
        Gives the blocks; it is called again if they are no UTF-8.
    """
    is_twice = False
    encoding = UTF8
    for number, part in enumerate(_parts(read())):
        if not number and part.startswith(_BOM):
            encoding = UTF8_SIG
            part = part[len(_BOM) :]
        if part.isascii():
            continue
        try:
            part.decode(UTF8)
        except UnicodeDecodeError:
            break
        is_twice = is_twice or _repair(part) != part
    else:
        return UTF8_TWICE if is_twice else encoding
    page = _CodePage()
    for number, part in enumerate(_parts(read())):
        page.add(part if number else part.removeprefix(_BOM))
    return page.name()


def _parts(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Bytes as they come, but cut behind lines, blanks and the like: no pattern spans a cut."""
    rest = b""
    for block in blocks:
        rest += block
        end = max(rest.rfind(sign) for sign in (b"\n", b" ", b"|", b"\r")) + 1
        if not end and len(rest) > _LONGEST_WORD:
            end = len(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
    yield rest


class PartDecoder:
    """Decodes a text part by part.

    Parameters
    ----------
    encoding : str, optional
        What :func:`find_encoding` said; else the parts seen so far decide.

    Attributes
    ----------
    encoding : str
        Name of the encoding, as far as it is known by now.
    """

    def __init__(self, encoding: str | None = None) -> None:
        self.is_known = encoding is not None
        self.encoding = encoding or UTF8
        self.is_first = True
        self.page = _CodePage()

    def decode(self, part: bytes) -> bytes:
        """Return the next part as UTF-8; it must not begin or end amid a letter."""
        part = part.replace(b"\0", b" ")
        if self.is_first:
            self.is_first = False
            if part.startswith(_BOM):
                part = part[len(_BOM) :]
                self.encoding = self.encoding if self.is_known else UTF8_SIG
        if part.isascii():
            return part
        if self.is_known:
            if self.encoding in _PAGES:
                return part.decode(self.encoding).encode(UTF8)
            return _repair(part) if self.encoding == UTF8_TWICE else part
        self.page.add(part)
        try:
            part.decode(UTF8)
        except UnicodeDecodeError:
            self.encoding = self.page.name()
            return part.decode(self.encoding).encode(UTF8)
        repaired = _repair(part)
        if repaired != part and self.encoding not in _PAGES:
            self.encoding = UTF8_TWICE
        return repaired
