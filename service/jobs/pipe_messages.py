"""Messages between the service and the processes of its jobs: JSON with a block of bytes behind.

    4 bytes length of the JSON, 8 bytes length of the block (both little-endian), JSON, block

Nothing that arrives is ever run or unpickled.
"""

import json
import logging
import os
import signal
import struct
import sys
from collections.abc import Mapping
from typing import IO, Any, Final

_HEAD: Final = struct.Struct("<IQ")


def own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Give standard input and output of a process that was started to answer messages.

    What a library prints goes to standard error and not between the messages. An interruption is
    for who started the process, and ends it by closing the pipe.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    return incoming, outgoing


def send(stream: IO[bytes], message: Mapping[str, Any], block: bytes = b"") -> None:
    """Send a message.

    Examples
    --------
    >>> import io
    >>> pipe = io.BytesIO()
    >>> send(pipe, {"do": "count"}, b"deals")
    >>> pipe.seek(0)
    0
    >>> receive(pipe)
    ({'do': 'count'}, b'deals')
    """
    text = json.dumps(message).encode()
    stream.write(_HEAD.pack(len(text), len(block)))
    stream.write(text)
    stream.write(block)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Receive a message; ``None`` where the other side is gone, also in the middle of one."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    text_length, block_length = _HEAD.unpack(head)
    text, block = stream.read(text_length), stream.read(block_length)
    if len(text) < text_length or len(block) < block_length:
        return None
    message: dict[str, Any] = json.loads(text)
    return message, block
