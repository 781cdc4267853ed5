"""The address of a Dask scheduler, as the command line takes it."""

import re

from bidcascade.bridge import InvalidInput

_ADDRESS = re.compile(r"(?:tcp|tls)://(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})", re.ASCII)


def check_address(text: str) -> str:
    """Check the address of a scheduler.

    Raises
    ------
    InvalidInput
        If it is none.

    Examples
    --------
    >>> check_address("tcp://10.0.0.7:8786")
    'tcp://10.0.0.7:8786'
    >>> check_address("10.0.0.7")
    Traceback (most recent call last):
    bidcascade.bridge.errors.InvalidInput: expected a scheduler as tcp://host:port, got '10.0.0.7'
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found[1]) < 1 << 16:
        raise InvalidInput(f"expected a scheduler as tcp://host:port, got {text!r}")
    return text
