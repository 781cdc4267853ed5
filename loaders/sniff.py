"""Tell what kind of deal file some bytes are, by what is in them rather than by the name."""

import re
from typing import Literal, TypeAlias

from .lin import find_lin_token, looks_like_handviewer, looks_like_lin

Kind: TypeAlias = Literal["lin", "pbn", "handviewer", "hands", "parquet"]

HEAD_BYTES = 1 << 20
"""How much of a file is looked at."""

_BLANKS = b"\xef\xbb\xbf \t\r\n"
_PBN_TAG = re.compile(rb'(?:^|[\r\n\]}])[ \t]*\[[ \t]*[A-Za-z][A-Za-z0-9_]*[ \t]+"')
_PBN_HEADER = re.compile(rb"\A\s*%[ \t]*(?:PBN|EXPORT)\b")
_RANKS = rb"(?:[AKQJTakqjt2-9]|10)"
_DOTTED_HAND = re.compile(
    rb"(?:^|[\s:\"'])(?:%b*\.){3}%b*(?:$|[\s,;\"'])" % (_RANKS, _RANKS), re.MULTILINE
)
_LETTERED_HAND = re.compile(
    rb"(?:^|[\s:,1-4])[Ss]%b*[Hh]%b*[Dd]%b*[Cc]%b*(?:$|[\s,;])" % ((_RANKS,) * 4), re.MULTILINE
)


def sniff(data: bytes) -> Kind | None:
    """Return the kind of a deal file, or ``None`` if it is none.

    Parameters
    ----------
    data : bytes
        The file or its beginning; the first MiB is looked at.

    Examples
    --------
    >>> sniff(b"pn|a,b,c,d|md|"), sniff(b'[Event "Cup"]'), sniff(b"no bridge")
    ('lin', 'pbn', None)
    >>> sniff(b"N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    'hands'
    """
    head = data[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PAR1"):
        return "parquet"
    if b"\0" in head or not head.strip(_BLANKS):
        return None
    if looks_like_handviewer(head):
        return "handviewer"
    is_lin = looks_like_lin(head)
    # either kind may quote the other in a remark: what comes first counts
    before_lin = head[: find_lin_token(head)] if is_lin else head
    if _PBN_HEADER.match(head) is not None or _PBN_TAG.search(before_lin) is not None:
        return "pbn"
    if is_lin:
        return "lin"
    if head.lstrip(_BLANKS)[:1] in (b"<", b"{", b"["):
        return None
    if _DOTTED_HAND.search(head) or _LETTERED_HAND.search(head):
        return "hands"
    return None
