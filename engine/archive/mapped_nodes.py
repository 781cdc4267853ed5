"""The index of mode ``all`` as a file: nodes in the order of their auctions, with their boards."""

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.systems.allowed_index import AllowedNode

NODE_SCHEMA: Final = pl.Schema(
    {"auction": pl.Binary(), "boards": pl.UInt32(), "rows": pl.Binary(), "digest": pl.Binary()}
)
"""Columns of ``all-*.arrow``: those of :class:`bidcascade.systems.allowed_index.AllowedNode`."""


class MappedNodes(Mapping[bytes, AllowedNode]):
    """An index of mode ``all`` as a file has it, each node read when it is asked for.

    Raises
    ------
    InvalidInput
        If the frame is no such index.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        if frame.schema != NODE_SCHEMA:
            raise InvalidInput(f"expected an index of mode all, got columns {frame.columns}")
        self._frame = frame
        self._places = {auction: place for place, auction in enumerate(frame["auction"])}

    def __getitem__(self, auction: bytes) -> AllowedNode:
        return AllowedNode(*self._frame.row(self._places[auction]))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
