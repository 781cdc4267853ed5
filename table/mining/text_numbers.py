"""Texts of calls by number: each distinct one is kept once, whatever call it was given with."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.kernels.types import U32

I64 = NDArray[np.int64]

NOTE: Final = np.uint32(1)
"""Lowest bit of a text's number at a call: set where it stood in a note, not in the record."""


class TextNumbers:
    """Numbers for texts, from 1; texts are stripped, and those without anything are no texts.

    Examples
    --------
    >>> texts = TextNumbers()
    >>> texts.number(["Stayman", "8+ HCP", "Stayman"])
    [1, 2, 1]
    >>> texts.texts
    ['Stayman', '8+ HCP']
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> list[str]:
        """All texts; number 1 comes first."""
        return list(self._numbers)

    def since(self, count: int) -> list[str]:
        """Texts that came after the first ``count``."""
        return self.texts[count:]

    def number(self, texts: Iterable[str]) -> list[int]:
        """Numbers of texts, new ones for new texts."""
        numbers = self._numbers
        return [numbers.setdefault(text, len(numbers) + 1) for text in texts]

    def of_calls(
        self, announcements: pl.Series, is_note: pl.Series, offsets: I64
    ) -> tuple[U32, int]:
        """Numbers of the texts given with calls.

        Parameters
        ----------
        announcements : List(String) [auctions]
            A text a call in the order of the calls, empty or null where there is none.
        is_note : Boolean [auctions]
            Whether the texts of an auction stood in notes.
        offsets : int64 [auctions + 1]
            Where each auction begins among the calls and the last one ends.

        Returns
        -------
        tuple of uint32 [calls] and int
            Twice the number of the text of each call, plus 1 where it stood in a note; 0 for none.
            And how many texts stood behind the last call.

        Examples
        --------
        >>> lists = pl.Series([["Strong", "", "behind"], None])
        >>> notes = pl.Series([True, False])
        >>> TextNumbers().of_calls(lists, notes, np.array([0, 2, 3]))
        (array([3, 0, 0], dtype=uint32), 1)
        """
        lengths = announcements.list.len().fill_null(0).to_numpy().astype(np.int64)
        calls = np.diff(offsets)
        numbers = np.zeros(int(offsets[-1]), np.uint32)
        flat = announcements.filter(announcements.list.len() > 0).explode()
        found = self._of_texts(flat.str.strip_chars())
        auction = np.repeat(np.arange(len(lengths)), lengths)
        notes = is_note.fill_null(value=False).to_numpy()[auction]
        coded = np.where(found > 0, found * np.uint32(2) + notes * NOTE, np.uint32(0))
        if np.array_equal(lengths, calls):
            return coded.astype(np.uint32), 0
        within = np.arange(len(auction)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        has_call = within < calls[auction]
        numbers[offsets[auction[has_call]] + within[has_call]] = coded[has_call]
        return numbers, int(np.count_nonzero(coded[~has_call]))

    def _of_texts(self, texts: pl.Series) -> U32:
        frame = pl.DataFrame({"text": texts})
        distinct = frame["text"].unique(maintain_order=True)
        distinct = distinct.filter(distinct.is_not_null() & (distinct != ""))
        if not len(distinct):
            return np.zeros(len(texts), np.uint32)
        known = pl.DataFrame(
            {"text": distinct, "number": pl.Series(self.number(distinct), dtype=pl.UInt32)}
        )
        joined = frame.join(known, on="text", how="left", maintain_order="left")
        return joined["number"].fill_null(0).to_numpy()
