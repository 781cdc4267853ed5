"""Where compiled tables, parsed texts, places and solved deals are kept for the user."""

import os
import sys
from pathlib import Path
from typing import Final

CACHE_VARIABLE: Final = "BIDCASCADE_CACHE"
"""Environment variable that names the folder for compiled tables and parsed texts."""


def cache_folder() -> Path:
    """Folder for compiled tables and parsed texts.

    It is ``BIDCASCADE_CACHE``, or the user's cache folder: ``$XDG_CACHE_HOME/bidcascade`` or
    ``~/.cache/bidcascade``, on macOS and Windows the usual places there (XDG Base Directory
    Specification).

    Examples
    --------
    >>> cache_folder().is_absolute() or "BIDCASCADE_CACHE" in os.environ
    True
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    ours = user_cache_folder() / "bidcascade"
    return ours / "cache" if sys.platform == "win32" else ours


def user_cache_folder() -> Path:
    """Folder for what programs keep for a user."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    return Path.home() / ".cache"


def texts_folder() -> Path | None:
    """Folder for parsed texts of systems; None if there is no place for it."""
    try:
        return cache_folder() / "texts"
    except RuntimeError:
        # a user without a home
        return None
