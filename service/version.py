"""The version of bidcascade, as answers and manifests state it."""

from functools import cache
from importlib import metadata


@cache
def package_version(name: str = "bidcascade") -> str:
    """Version of an installed distribution; ``not installed`` in a bare checkout.

    Examples
    --------
    >>> package_version("no-such-distribution")
    'not installed'
    """
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
