"""Cut a stream of PBN text where games end, with what the next game inherits."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from .encodings import PartDecoder
from .pbn_tokens import Inheritance, find_last_game, normalise


class PbnPart(NamedTuple):
    """Some games of a longer text; :func:`.read_pbn_part` reads them as the whole would be."""

    text: str
    before: Inheritance | None
    goes_on: bool
    """More games follow."""
    refused: bool = False
    """No end of a game was found: the rest of the stream is not read."""


def cut_pbn(
    stream: BinaryIO, head: bytes, decoder: PartDecoder, *, block: int, longest: int
) -> Iterator[PbnPart]:
    r"""Yield parts of a PBN stream, in bounded memory.

    Parameters
    ----------
    stream : binary stream
    head : bytes
        What has been read from the stream already.
    decoder : PartDecoder
        A fresh one.
    block : int
        How many bytes to read at a time; a part is about as long.
    longest : int
        If no game ends within so many bytes, the rest is refused.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO(b'[Board "1"][Deal "x"]\n\n[Board "2"][Deal "#"]\n[Site ""]\n\n')
    >>> parts = list(cut_pbn(stream, b"", PartDecoder(), block=40, longest=1000))
    >>> [part.text.split() for part in parts]
    [['[Board', '"1"][Deal', '"x"]'], ['[Board', '"2"][Deal', '"#"]', '[Site', '""]']]
    """
    text = ""
    before: Inheritance | None = None
    undecoded = head
    while True:
        more = stream.read(block)
        undecoded += more
        # a line may end with a carriage return, but one at the end may belong to a line feed
        end = max(undecoded.rfind(b"\n"), undecoded.rfind(b"\r", 0, -1)) + 1
        if not more:
            end = len(undecoded)
        text += normalise(decoder.decode(undecoded[:end]).decode())
        undecoded = undecoded[end:]
        if not more:
            yield PbnPart(text, before, goes_on=False)
            return
        start, inheritance = find_last_game(text, before)
        if start:
            yield PbnPart(text[:start], before, goes_on=True)
            text = text[start:]
            before = inheritance
        elif len(text) + len(undecoded) >= longest:
            yield PbnPart(
                text or undecoded[:1000].decode("utf-8", "replace"),
                None,
                goes_on=False,
                refused=True,
            )
            return
