"""Files read as a whole, up to a stated size: what strangers hand over must not fill the memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bidcascade.bridge import BidcascadeError, InvalidInput


def read_bounded(path: Path, most: int, error: type[BidcascadeError] = InvalidInput) -> bytes:
    """Bytes of a file that has at most so many.

    Parameters
    ----------
    path : path
    most : int
        Bytes it may have.
    error : type
        What is raised where it has more.

    Raises
    ------
    BidcascadeError
        If it has more: of the type that was given.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "notes.bml"
    ...     _ = file.write_bytes(b"1C Natural")
    ...     read_bounded(file, 10)
    b'1C Natural'
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise error(f"expected a file of at most {most:,} bytes, got a longer one: {path.name!r}")
    return content


def read_bounded_text(stream: IO[str], most: int, name: str) -> str:
    """Text of a stream that has at most so many characters.

    Raises
    ------
    InvalidInput
        If it has more.

    Examples
    --------
    >>> import io
    >>> read_bounded_text(io.StringIO("1C"), 1, "standard input")
    Traceback (most recent call last):
    bidcascade.bridge.errors.InvalidInput: expected at most 1 characters of text in 'standard \
input', got more
    """
    text = stream.read(most + 1)
    if len(text) > most:
        raise InvalidInput(f"expected at most {most:,} characters of text in {name!r}, got more")
    return text


def bounded_lines(
    stream: IO[str], most: int, name: str, error: type[BidcascadeError] = InvalidInput
) -> Iterator[str]:
    r"""Lines of a stream, none of them longer than so many characters.

    Raises
    ------
    BidcascadeError
        If one is longer: of the type that was given.

    Examples
    --------
    >>> import io
    >>> list(bounded_lines(io.StringIO("1C\n1D"), 5, "cases"))
    ['1C\n', '1D']
    """
    number = 0
    while line := stream.readline(most + 2):
        number += 1
        if len(line.rstrip("\r\n")) > most:
            raise error(
                f"{name}, line {number}: expected a line of at most {most:,} characters, "
                f"got a longer one: {line[:60]!r}…"
            )
        yield line
