"""Answers of solvers in memory, by canonical deal; the least recently used are forgotten."""

from typing import Final

from bidcascade.kernels.machine.caches import LruCache

DEFAULT_ENTRIES: Final = 1 << 17
"""About 40 MB when full."""

Known = int | bytes
"""Tricks of the leader's side with best play, or for each of 52 canonical cards (signed bytes)."""


class AnswerCache:
    """Bounded memory of answers; its user sees to it that one thread is in it at a time.

    Parameters
    ----------
    entries : int
        How many answers are kept; 0 for none.
    """

    def __init__(self, entries: int = DEFAULT_ENTRIES) -> None:
        self.hits = 0
        self.misses = 0
        self._known = LruCache[bytes, Known](entries)

    def __len__(self) -> int:
        return len(self._known)

    def value(self, key: bytes) -> int | None:
        """Tricks of the leader's side with best play, ``None`` if not known."""
        known = self._known.find(key)
        if known is None:
            self.misses += 1
            return None
        self.hits += 1
        if isinstance(known, int):
            return known
        # signed bytes, of which -1 stands for no answer: 255 when read as they are
        return max(known.replace(b"\xff", b""))

    def cards(self, key: bytes) -> bytes | None:
        """Tricks of the leader's side by canonical card, ``None`` if not known."""
        known = self._known.find(key)
        if not isinstance(known, bytes):
            self.misses += 1
            return None
        self.hits += 1
        return known

    def store(self, key: bytes, known: Known) -> None:
        """Keep an answer; one for all cards is not replaced by one for the best."""
        if isinstance(known, int) and isinstance(self._known.get(key), bytes):
            return
        self._known.store(key, known)

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
