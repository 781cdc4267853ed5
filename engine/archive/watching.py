"""Files that come into a folder, one by one and in their own time, and go into an archive.

Whoever writes a file does not say when it is whole. It is read when it has been still for a while;
what could not be read is told once, and tried again when it has changed. The others go on.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from os import stat_result
from pathlib import Path
from typing import Final, TypeAlias

from bidcascade.bridge import InvalidInput
from bidcascade.loaders.inputs import Input, Source, find_sources

from .adding import Added
from .catalogue import ArchiveBusy

STILL_S: Final = 10.0
"""Seconds in which a file must not have changed; fewer if looks are closer to each other."""

_SLEWED_S: Final = 2.0
"""Seconds by which a clock may be corrected from one look to the next without being set."""

Mark: TypeAlias = tuple[int, int, int] | None
"""What changes when a file does; None for what is read once."""


class Watch:
    """What there is to add, from one look to the next.

    Parameters
    ----------
    inputs : sequence of str or Path
        What :func:`bidcascade.loaders.read_deals` takes.
    add : function
        Adds sources to the archive.
    report : function
        Gets what is wrong with an input, once for each state of it.
    every_s : float
        Seconds between two looks.

    Examples
    --------
    >>> told = []
    >>> watch = Watch(["nowhere"], lambda sources: None, told.append, 60)
    >>> list(watch.look()), list(watch.look()), told
    ([], [], ["expected a file, a folder or a pattern, got 'nowhere': no such file"])
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        add: Callable[[list[Source]], Added],
        report: Callable[[str], None],
        every_s: float,
    ) -> None:
        self._inputs = list(inputs)
        self._add = add
        self._report = report
        self._every_s = every_s
        self._still_s = min(STILL_S, every_s)
        self._reported: dict[int, str] = {}
        self._seen: dict[str, tuple[Mark, float]] = {}
        self._ahead = time.time() - time.monotonic()
        self._clock_was_set = False
        self._tried: dict[str, Mark] = {}
        self.pause_s = every_s
        """Seconds until the next look: fewer while a file is being written."""

    def look(self) -> Iterator[Added]:
        """Add what is new and still, together if it can be, else by halves.

        Raises
        ------
        ArchiveBusy
            If another process writes to the archive; the next look tries the same again.
        """
        self.pause_s = self._every_s
        ahead = time.time() - time.monotonic()
        self._clock_was_set = abs(ahead - self._ahead) > _SLEWED_S
        self._ahead = ahead
        ready = [one for one in self._files().items() if self._is_ready(one[0])]
        yield from self._added(ready)

    def _files(self) -> dict[str, list[Source]]:
        """Find the sources of all inputs that are there, by the file that each is or lies in."""
        there = []
        for number, given in enumerate(self._inputs):
            reason = ""
            try:
                find_sources(given)
                there.append(given)
            except InvalidInput as error:
                reason = str(error)
                if self._reported.get(number) != reason:
                    self._report(reason)
            self._reported[number] = reason
        files: dict[str, list[Source]] = {}
        with suppress(InvalidInput):  # gone in this moment: the next look says so
            for source in find_sources(there):
                files.setdefault(_file_of(source), []).append(source)
        return files

    def _is_ready(self, file: str) -> bool:
        try:
            about = Path(file).stat() if file else None
        except OSError:
            return False  # it has gone since
        mark = _mark(about)
        if file in self._tried and self._tried[file] == mark:
            return False
        now = time.monotonic()
        before = self._seen.get(file)
        if before is None or before[0] != mark:
            # it may have come long before this look; what has a date to come came now, and where
            # the clock was set since the last look nobody knows
            age = 0.0 if about is None or self._clock_was_set else time.time() - about.st_mtime
            before = self._seen[file] = (mark, now - max(0.0, age))
        if about is not None and now - before[1] < self._still_s:
            self.pause_s = min(self.pause_s, self._still_s)
            return False
        return True

    def _added(self, ready: list[tuple[str, list[Source]]]) -> Iterator[Added]:
        if not ready:
            return
        marks = {file: self._seen[file][0] for file, _ in ready}
        try:
            added = self._add([source for _, sources in ready for source in sources])
        except ArchiveBusy:
            raise
        except InvalidInput as error:
            if len(ready) > 1:
                middle = len(ready) // 2
                yield from self._added(ready[:middle])
                yield from self._added(ready[middle:])
                return
            self._report(str(error))
        else:
            yield added
        self._tried |= marks


def _file_of(source: Source) -> str:
    """File that a source is or lies in, as the system knows it; empty for what is read once."""
    path = source.path if source.member is None else source.member.path
    return "" if path is None else str(path)


def _mark(about: stat_result | None) -> Mark:
    return None if about is None else (about.st_size, about.st_mtime_ns, about.st_ino)
