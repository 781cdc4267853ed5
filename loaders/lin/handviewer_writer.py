"""A deal frame as links to BBO's handviewer, written with ``lin``, which holds all that LIN has."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import polars as pl

from .lin_writer import format_lin

HANDVIEWER: Final = "https://www.bridgebase.com/tools/handviewer.html"


def format_handviewer(frame: pl.DataFrame) -> Iterator[str]:
    """Yield a link to each board of a deal frame; columns that are missing count as null.

    :func:`bidcascade.loaders.read_handviewer` reads them back, as :func:`.lin_writer.write_lin`
    says.

    Examples
    --------
    >>> from bidcascade.loaders import random_deals, read_handviewer
    >>> deals = random_deals(1, seed=1)
    >>> (link,) = format_handviewer(deals)
    >>> link[:67]
    'https://www.bridgebase.com/tools/handviewer.html?lin=st%7C%7Cmd%7C3'
    >>> read_handviewer(link).deals["north"].equals(deals["north"])
    True
    """
    for board in frame.iter_slices(1):
        text = "".join(format_lin(board)).replace("|\n", "|")
        yield f"{HANDVIEWER}?lin={quote(text, safe='')}"
