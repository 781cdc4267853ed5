"""Wide frames: everything that is known of each hand, as columns; see ``wide_columns``."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidExpression, InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.progress import Report
from bidcascade.loaders import (
    HAND_COLUMNS,
    Batch,
    deal_arrays,
    empty_deals,
    iter_deals,
    read_pbn,
    whole_deals,
)
from bidcascade.loaders.frames.trick_bounds import impossible_tables
from bidcascade.loaders.inputs import HEAD_BYTES, Source, find_sources, sniff
from bidcascade.loaders.parquet.parquet import (
    ROWS_PER_PART,
    count_deal_parquet,
    read_deal_parquet_part,
)
from bidcascade.loaders.parquet.parquet_decoder import decode_parquet
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, double_dummy_columns

from .augment import augment
from .wide_columns import RESULT_SCHEMA, shape_columns, wide_terms

CHUNK_DEALS = 50_000
"""Deals computed and written at a time; with 6,500 columns a chunk takes about 100 MB."""

_RESULT_TAGS = (b"DoubleDummyTricks", b"OptimumResultTable", b"OptimumScore")


def widen(
    engine: Engine,
    frame: pl.DataFrame,
    *,
    terms: Sequence[str] = (),
    expressions: Sequence[str] = (),
    auctions: Sequence[str] = (),
) -> pl.DataFrame:
    """Deal frame with all terms of each hand, its shape, and every expression of the table.

    Parameters
    ----------
    engine : Engine
        Its table gives vocabulary, expressions and entries, its backend computes.
    frame : polars.DataFrame
        Deal frame; columns of results (``DD_N_C`` …) are kept and go last.
    terms, expressions, auctions : sequence of str
        What is added besides; see :func:`.augment.augment`.

    Raises
    ------
    UnknownTerm, InvalidExpression, InvalidTable
        If a term, expression or auction is none.
    """
    vocabulary = engine.vocabulary
    of_table = [text for text in engine.table.expressions if not vocabulary.is_tag(text)]
    all_terms = list(dict.fromkeys((*wide_terms(vocabulary), *terms)))
    results = [name for name in RESULT_SCHEMA if name in frame.columns]
    found = augment(
        engine,
        frame.drop(results),
        terms=all_terms,
        expressions=[*of_table, *expressions],
        auctions=auctions,
    )
    shapes = shape_columns(deal_arrays(frame))
    taken = [name for name in shapes if name in found.columns]
    if taken:
        raise InvalidExpression(f"expected new columns, got {taken[0]!r}, which is there already")
    # behind the terms, before the expressions
    place = frame.width - len(results) + 4 * len(all_terms)
    ordered = [*found.columns[:place], *shapes, *found.columns[place:], *results]
    return found.with_columns(*frame.select(results), **shapes).select(ordered)


class WideDeals:
    r"""Deals of some inputs in chunks, with double-dummy results where a source has them.

    Parameters
    ----------
    inputs : sequence of str
        As for :func:`bidcascade.loaders.iter_deals`.
    """

    def __init__(self, inputs: Sequence[str]) -> None:
        self._sources = find_sources(inputs)
        self._inputs = inputs
        self.unread = 0
        """Results that could not be read, or are impossible with their deals."""
        self._with_results = [_has_results(source) for source in self._sources]

    @property
    def has_results(self) -> bool:
        """Whether some source has results; all batches have their columns then."""
        return any(self._with_results)

    def empty(self) -> pl.DataFrame:
        """Return a frame of the batches' columns without rows."""
        return _with_result_schema(empty_deals()) if self.has_results else empty_deals()

    def batches(
        self, progress: Report | None = None, *, chunk_deals: int = CHUNK_DEALS
    ) -> Iterator[Batch]:
        """Yield frames of at most ``chunk_deals`` deals; memory does not grow with the inputs.

        A PBN file with results is held as a whole.
        """
        if not self.has_results:
            yield from iter_deals(
                self._inputs, chunk_deals=chunk_deals, whole=True, progress=progress
            )
            return
        boards = 0
        for number, (source, has_results) in enumerate(
            zip(self._sources, self._with_results, strict=True), start=1
        ):
            for batch in self._of_source(source, has_results=has_results):
                for first in range(0, max(batch.deals.height, 1), chunk_deals):
                    rejects = batch.rejects if first == 0 else batch.rejects.clear()
                    yield Batch(batch.deals.slice(first, chunk_deals), rejects)
                boards += batch.deals.height
                if progress is not None:
                    progress(number, len(self._sources), boards)

    def _of_source(self, source: Source, *, has_results: bool) -> Iterator[Batch]:
        if not has_results or source.path is None:
            for batch in iter_deals(source, whole=True):
                yield Batch(_with_result_schema(batch.deals), batch.rejects)
        elif _is_parquet(source.path):
            for batch in map(whole_deals, _of_parquet(source.path, source.name)):
                deals, unread = _believed(batch.deals)
                self.unread += unread
                yield Batch(deals, batch.rejects)
        else:
            data = source.path.read_bytes()
            deals, rejects = whole_deals(read_pbn(data, source.name))
            results, unread = double_dummy_columns(data)
            self.unread += unread
            joined = deals.join(results, on="record", how="left", maintain_order="left")
            yield Batch(_with_result_schema(joined), rejects)


def _of_parquet(path: Path, name: str) -> Iterator[Batch]:
    """Read a deal frame with its columns of results, row by row the same."""
    for first in range(0, max(count_deal_parquet(path, name), 1), ROWS_PER_PART):
        batch = read_deal_parquet_part(path, name, first, ROWS_PER_PART)
        results = decode_parquet(
            path, name, columns=tuple(RESULT_SCHEMA), first=first, rows=ROWS_PER_PART
        ).frame
        read = np.ones(results.height, np.bool_)
        # a reject of Parquet has the 1-based number of its row
        read[batch.rejects["record"].drop_nulls().to_numpy() - np.uint32(first + 1)] = False
        whole = batch.deals.hstack(results.filter(pl.Series(read)))
        yield Batch(_with_result_schema(whole), batch.rejects)


def _believed(deals: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Let tables that are impossible with their deals be null; also how many there are."""
    columns = [deals[name].cast(pl.Int8).fill_null(-1).to_numpy() for name in DOUBLE_DUMMY_COLUMNS]
    hands = np.stack([deals[name].to_numpy() for name in HAND_COLUMNS])
    is_impossible = pl.Series(impossible_tables(hands, np.stack(columns, axis=1)))
    believed = (
        pl.when(~is_impossible).then(pl.col(name)).alias(name) for name in DOUBLE_DUMMY_COLUMNS
    )
    return deals.with_columns(believed), int(is_impossible.sum())


def _with_result_schema(deals: pl.DataFrame) -> pl.DataFrame:
    """Add the columns of results that are missing, and cast the others."""
    return deals.with_columns(
        (pl.col(name) if name in deals.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in RESULT_SCHEMA.items()
    )


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _has_results(source: Source) -> bool:
    if source.path is None:
        return False
    try:
        if _is_parquet(source.path):
            columns = decode_parquet(source.path, source.name, rows=0).frame.columns
            return any(name in RESULT_SCHEMA for name in columns)
        return _mentions_results(source.path)
    except (OSError, InvalidInput):
        # the reader says what is wrong with it
        return False


def _mentions_results(path: Path) -> bool:
    """Whether a PBN file has tags of results anywhere."""
    longest = max(map(len, _RESULT_TAGS))
    rest = b""
    with path.open("rb") as file:
        if sniff(file.read(HEAD_BYTES)) != "pbn":
            return False
        file.seek(0)
        while piece := file.read(1 << 22):
            if any(tag in rest + piece for tag in _RESULT_TAGS):
                return True
            rest = piece[-longest:]
    return False
