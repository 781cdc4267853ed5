"""What tells LIN and handviewer links from other files, without the kernels that read them."""

import re
from typing import Final

from bidcascade.loaders.files.encodings import is_binary

from .handviewer import first_link

LEADING: Final = b"\xef\xbb\xbf \t\r\n"
"""What may stand before the first token of a file."""
_TOKEN: Final = re.compile(
    rb"(?:^|[|\s\xbf])(?:(?i:vg|rs|pn|pw|qx|md|sv|mb|an|nt|at|pc|mc|pg|ah|st)"
    rb"|rh|bt|tu|mn|bn|ob|em|va|ha|hc)[ \t]*\|"
)
_PAST_TOKEN: Final = 256
"""Bytes behind the first token in which a link that holds it is still recognised."""


def find_lin_token(data: bytes) -> int:
    """Return where the first LIN token begins, -1 if there is none."""
    match = _TOKEN.search(data)
    return -1 if match is None else match.start()


def looks_like_lin(data: bytes) -> bool:
    """Whether the bytes hold LIN tokens and are no page of another kind."""
    if is_binary(data) or data[:256].lstrip(LEADING)[:1] in (b"<", b"{", b"["):
        return False
    return find_lin_token(data) >= 0


def looks_like_handviewer(data: bytes) -> bool:
    """Whether the bytes hold a handviewer link, and are not LIN from the start."""
    if data[:256].lstrip(LEADING)[:1] == b"<":
        # no LIN: what looks like a token belongs to the page
        return first_link(data) >= 0
    token = find_lin_token(data)
    # most files begin with a token: only what stands before it is looked through for links,
    # and a little more, as the first token may be the link's own
    link = first_link(data if token < 0 else data[: token + _PAST_TOKEN])
    return link >= 0 and (token < 0 or link < token)
