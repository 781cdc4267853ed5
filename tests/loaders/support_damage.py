"""Damage of the kinds that disks, transfers and programs do to files."""

import random

NOISE = (b"\0", b"\0" * 64, b"|", b'"', b"[", b"{", b"\xff\xfe", b"\r", b"md|", b"qx|", b"[Deal ")


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Damage a file in one of eight ways.

    Examples
    --------
    >>> damaged(b"md|1SAK", random.Random(2)) != b"md|1SAK"
    True
    """
    text = bytearray(data)
    size = len(text)
    start, end = sorted((chance.randrange(size), chance.randrange(size)))
    end = min(end, start + max(1, size // 8))
    way = chance.randrange(8)
    if way == 0:
        for _ in range(chance.choice((1, 1, 3, 30))):
            text[chance.randrange(size)] ^= 1 << chance.randrange(8)
    elif way == 1:
        del text[start:]
    elif way == 2:
        del text[start:end]
    elif way == 3:
        text[start:start] = chance.choice(NOISE)
    elif way == 4:
        text[start:start] = text[start:end]
    elif way == 5:
        half = (start + end) // 2
        text[start:end] = text[half:end] + text[start:half]
    elif way == 6:
        text[start:end] = bytes(end - start)
    else:
        # no text of another encoding fits a file that is none
        wrong = chance.choice(("utf-16", "utf-16-le", "utf-8", "cp437"))
        return bytes(data).decode("latin-1").encode(wrong, "replace")
    return bytes(text)
