"""The version of bidcascade, as answers and manifests state it."""

from functools import cache
from importlib import metadata


@cache
def package_version(name: str = "bidcascade") -> str:
    """Version of an installed distribution, or of its client; ``not installed`` without one.

    Examples
    --------
    >>> package_version("no-such-distribution")
    'not installed'
    """
    for one in (name, f"{name}-client"):
        try:
            return metadata.version(one)
        except metadata.PackageNotFoundError:
            continue
    return "not installed"
