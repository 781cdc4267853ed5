"""Which text encoding a file was written in, found from its bytes.

Bridge files come as UTF-8, as the Windows code pages of western (1252) and central Europe (1250)
and, where a program read UTF-8 as Latin-1 and wrote it as UTF-8 again, encoded twice.
"""

import re

UTF8 = "utf-8"
UTF8_SIG = "utf-8-sig"
UTF8_TWICE = "utf-8 twice"
CP1250 = "cp1250"
CP1252 = "cp1252"
LATIN1 = "latin-1"

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
_ASCII = re.compile(rb"[\x00-\x7f]|\Z")


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
    for page in (CP1252, LATIN1):
        try:
            once = run.decode(UTF8).encode(page)
            once.decode(UTF8)
        except UnicodeError:
            continue
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
        Without byte order mark. Letters that were encoded as UTF-8 twice are repaired; nothing
        else is changed.
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
    """Return what :func:`decode_text` does, as UTF-8 bytes; no copy if it is that already.

    Examples
    --------
    >>> decode_utf8(b"1NT")
    (b'1NT', 'utf-8')
    """
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


def _decode_code_page(data: bytes) -> tuple[str, str]:
    if _CENTRAL_EUROPEAN.search(data) and not _UNDEFINED_IN_1250.search(data):
        return data.decode(CP1250), CP1250
    if not _UNDEFINED_IN_1252.search(data):
        return data.decode(CP1252), CP1252
    return data.decode(LATIN1), LATIN1
