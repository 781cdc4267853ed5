"""Bytes that were changed here and there, for readers that take anything."""

from collections.abc import Sequence
from random import Random


def mutated(data: bytes, pieces: Sequence[bytes], random: Random) -> bytes:
    """Bytes with a few of them changed, left out, or pieces put in."""
    found = bytearray(data)
    for _ in range(random.choice((1, 3, 20))):
        at = random.randrange(len(found) + 1)
        match random.randrange(4):
            case 0:
                found[at : at + 1] = bytes((random.randrange(256),))
            case 1:
                del found[at : at + random.randrange(1, 30)]
            case 2:
                found[at:at] = random.choice(pieces)
            case 3:
                found[at : at + 1] = random.choice(pieces)
    return bytes(found)
