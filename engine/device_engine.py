"""An engine whose deals and answers stay on the GPU: frames of device arrays in and out.

Deals come as a cudf frame or as device arrays and are read where they lie; answers are columns on
the device, which become a cudf frame without a copy, or a polars frame on the host.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory, format_calls
from bidcascade.kernels import DealArrays, Plan
from bidcascade.kernels.device_frames import (
    DeviceDeals,
    bits_on_device,
    cudf_frame,
    deals_of_cudf,
    deals_on_device,
    downloaded,
    is_cudf_frame,
    list_numbers_on_device,
)
from bidcascade.kernels.types import U64
from bidcascade.loaders import deal_arrays
from bidcascade.systems.auctions.allowed import CountedAuctions
from bidcascade.systems.bidding.bidder_protocol import AnyBidder
from bidcascade.systems.bidding.system_bidder import SystemBidder
from bidcascade.table import BiddingTable
from bidcascade.table.columns import offsets_of

from .answers import CONTRACT_TEXTS, SEATS_AND_NONE, bid_frame, count_frame
from .bounds import check_count_bounds
from .expression_columns import evaluation_plan

if TYPE_CHECKING:
    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.kernels.cuda_device import Device, DeviceArray
    from bidcascade.kernels.gpu.session import Session
    from bidcascade.kernels.gpu.systems.systems import DeviceAuctions


class DeviceFrame:
    """Columns on a device, all of one length.

    Parameters
    ----------
    session : Session
    arrays : mapping of str to device array
        By name. Each has ``__cuda_array_interface__`` and, from CuPy, DLPack.
    booleans : sequence of str
        Columns of bytes 0 and 1 that are truth values.
    """

    def __init__(
        self,
        session: "Session",
        arrays: "Mapping[str, DeviceArray]",
        *,
        booleans: Sequence[str] = (),
    ) -> None:
        self._session = session
        self._arrays = dict(arrays)
        self._booleans = frozenset(booleans)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._arrays)

    def __getitem__(self, name: str) -> "DeviceArray":
        """One column as a device array."""
        return self._arrays[name]

    def __len__(self) -> int:
        return next((array.size for array in self._arrays.values()), 0)

    def to_cudf(self) -> Any:
        """Give a cudf frame over the same memory.

        Raises
        ------
        BackendUnavailable
            If there is no cudf here; says why.
        OutOfDeviceMemory
            If cudf gets no memory, though all that is kept for reuse was given back.
        """
        return self._session.with_room(
            "cudf", lambda: cudf_frame(self._arrays, booleans=[*self._booleans])
        )

    def to_polars(self) -> pl.DataFrame:
        """Copy to the host, as a polars frame."""
        columns = []
        for name, array in self._arrays.items():
            values = self._session.device.download(array)
            columns.append(
                pl.Series(name, values.view(np.bool_) if name in self._booleans else values)
            )
        return pl.DataFrame(columns)


class DeviceAuctionsFrame(DeviceFrame):
    """Auctions that a system bids, on a device.

    Columns are ``calls`` (uint8, of all auctions) and ``ends`` (int32, one more than deals: auction
    i is ``calls[ends[i] : ends[i + 1]]``); a value a deal have ``defaults`` (uint16, passes made
    because no entry held), ``contract`` (uint8: 0 passed out, else
    ``1 + 3 * (bid - 3) + doubling``) and ``declarer`` (uint8 by compass, 4 for none).
    """

    def __len__(self) -> int:
        return self["contract"].size

    def to_cudf(self) -> Any:
        """Give a cudf frame: lists of calls over the same memory, contracts as text.

        ``auction``, ``defaults``, ``contract`` and ``declarer`` as of :meth:`Engine.auctions`; its
        other columns are the same for all deals.

        Raises
        ------
        BackendUnavailable, OutOfDeviceMemory
            As :meth:`DeviceFrame.to_cudf`.
        """
        columns = {
            "auction": self["calls"],
            **{name: self[name] for name in ("defaults", "contract", "declarer")},
        }
        texts = {"contract": CONTRACT_TEXTS, "declarer": SEATS_AND_NONE.to_list()}
        return self._session.with_room(
            "cudf", lambda: cudf_frame(columns, texts=texts, ends={"auction": self["ends"]})
        )

    def to_polars(self) -> pl.DataFrame:
        """Copy to the host, as the frame that :meth:`Engine.auctions` gives."""
        calls, ends, defaults, contract, declarer = (
            self._session.device.download(self[name])
            for name in ("calls", "ends", "defaults", "contract", "declarer")
        )
        return bid_frame(calls, np.diff(ends).astype(np.int64), defaults, contract, declarer)


class DeviceCountsFrame(DeviceFrame):
    """How many deals may bid auctions of a system, on a device.

    Columns are ``calls`` (uint8, of all auctions), ``ends`` (int32, one more than auctions: auction
    i is ``calls[ends[i] : ends[i + 1]]``) and ``count`` (uint64, a value an auction).

    Parameters
    ----------
    session : Session
    arrays : mapping
        The columns.
    least : int
        Auctions that fewer deals may bid are not there.
    cut : str or None
        What left longer auctions out; see :meth:`Engine.counts`.
    """

    def __init__(
        self, session: "Session", arrays: "dict[str, DeviceArray]", least: int, cut: str | None
    ) -> None:
        super().__init__(session, arrays)
        self.least, self.cut = least, cut

    def __len__(self) -> int:
        return self["count"].size

    def to_cudf(self) -> Any:
        """Give a cudf frame: ``auction``, lists of calls over the same memory, and ``count``.

        Raises
        ------
        BackendUnavailable, OutOfDeviceMemory
            As :meth:`DeviceFrame.to_cudf`.
        """
        columns = {"auction": self["calls"], "count": self["count"]}
        return self._session.with_room(
            "cudf", lambda: cudf_frame(columns, ends={"auction": self["ends"]})
        )

    def to_polars(self) -> pl.DataFrame:
        """Copy to the host, as the frame that :meth:`Engine.counts` gives."""
        calls, ends, counts = (
            self._session.device.download(self[name]) for name in ("calls", "ends", "count")
        )
        whole = calls.tobytes()
        auctions = [whole[start:stop] for start, stop in pairwise(ends.tolist())]
        return count_frame(CountedAuctions(auctions, counts.view(np.int64), self.cut), self.least)


class _CountFrames:
    """Writes how many deals may bid auctions, to a device."""

    def __init__(
        self, session: "Session", until_there: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._session, self._until_there = session, until_there

    def entry_counts(self, counts: U64) -> DeviceFrame:
        """Write how many deals reach each entry of a table."""
        with self._until_there():
            return DeviceFrame(self._session, {"count": self._session.device.upload(counts)})

    def auction_counts(self, found: CountedAuctions, least: int) -> DeviceFrame:
        """Write auctions that enough deals may bid."""
        arrays = {
            "calls": np.frombuffer(b"".join(found.calls), np.uint8),
            "ends": offsets_of([len(calls) for calls in found.calls], np.int32),
            "count": found.counts.astype(np.uint64),
        }
        upload = self._session.device.upload
        with self._until_there():
            columns = {name: upload(array) for name, array in arrays.items()}
        return DeviceCountsFrame(self._session, columns, least, found.cut)


class _FirstFrames:
    """Writes auctions of mode ``first``."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    def first(
        self, entry: "DeviceArray", passes: "DeviceArray", defaults: "DeviceArray"
    ) -> DeviceFrame:
        """Write the auctions that a table bids."""
        arrays = {"entry": entry, "passes": passes, "defaults": defaults}
        return DeviceFrame(self._session, arrays)

    def auctions(self, found: "DeviceAuctions", defaults: "DeviceArray") -> DeviceFrame:
        """Write the auctions that a system bids."""
        return DeviceAuctionsFrame(self._session, {**found._asdict(), "defaults": defaults})


class DeviceEngine:
    """A bidding table or system on a GPU, from deals on the device to answers on the device.

    Of a system :meth:`first` gives whole auctions. For :meth:`counts` and :meth:`members` of it a
    copy of the deals goes to the host, which asks the device and puts the answer together.
    :meth:`entries` are those of the table that a system is compiled into when it is first asked
    for.

    Made by :meth:`Engine.on_device`. What it takes as deals: what :meth:`deals` returns or takes.

    Parameters
    ----------
    bidder : AnyBidder
    backend : CudaBackend
    """

    def __init__(self, bidder: AnyBidder, backend: "CudaBackend") -> None:
        self._backend, self._bidder = backend, bidder
        self.session: Session = backend.session
        self.device: Device = backend.session.device

    @property
    def table(self) -> BiddingTable:
        """The table; a system is compiled for it."""
        return self._bidder.table

    @property
    def plan(self) -> Plan:
        """What the kernels know of the table; made when first asked for."""
        return self.table.plan()

    def deals(self, source: Any) -> DeviceDeals:
        """Take deals; nothing that is on the device leaves it.

        Parameters
        ----------
        source : cudf.DataFrame, polars.DataFrame, mapping or DeviceDeals
            A deal frame; or contiguous device arrays by name: ``north east south west`` uint64,
            ``dealer vulnerability`` uint8. A polars frame is copied to the device.

        Raises
        ------
        InvalidInput
            If a column is missing or of another type, or a row is no deal; names it.
        """
        if isinstance(source, DeviceDeals):
            return source
        if isinstance(source, pl.DataFrame):
            deals = deal_arrays(source)
            with self._until_there():
                return self._backend.bring(deals)
        with self._until_there():
            if is_cudf_frame(source):
                return self.session.with_room("cudf", lambda: deals_of_cudf(self.device, source))
            return self.session.with_room("deals", lambda: deals_on_device(self.device, source))

    @property
    def _is_system(self) -> bool:
        return isinstance(self._bidder, SystemBidder)

    def _on_host(self, deals: Any) -> DealArrays:
        taken = self.deals(deals)
        with self._until_there():
            return downloaded(taken)

    @contextlib.contextmanager
    def _until_there(self) -> Iterator[None]:
        """Keep other threads off the device until the default stream is through."""
        # memory of what is made inside and dropped may come again for the streams of those threads
        with self.device.lock():
            try:
                yield
            except BaseException:
                # a device that failed takes nothing again
                with contextlib.suppress(DeviceFault, OutOfDeviceMemory):
                    self.device.synchronize()
                raise
            self.device.synchronize()

    def counts(
        self, deals: Any, *, share: float = 1 / 100, max_depth: int | None = None
    ) -> DeviceFrame:
        """How many of the deals reach each entry: ``count`` uint64, a row for every entry.

        Of a system the auctions that :meth:`Engine.counts` counts, as :class:`DeviceCountsFrame`;
        ``share`` and ``max_depth`` are those of that method.

        Raises
        ------
        ValueError
            If the share is not between 0 and 1, or the depth is below 1.
        """
        check_count_bounds(share, max_depth)
        if self._is_system:
            copied = self._on_host(deals)
            writer = _CountFrames(self.session, self._until_there)
            return self._bidder.counts(copied, share, max_depth, writer)
        counts = self._backend.counts_on_device(self.plan, self.deals(deals))
        return DeviceFrame(self.session, {"count": counts})

    def first(self, deals: Any) -> DeviceFrame:
        """Mode ``first``, a row for each deal.

        ``entry`` uint32 (:data:`~bidcascade.kernels.NO_ENTRY` where not even the first call is in
        the table), ``passes`` uint8 that follow it, ``defaults`` uint16. Of a system whole
        auctions, as :class:`DeviceAuctionsFrame`.

        Raises
        ------
        InvalidInput
            If a system's auctions have more calls than a column of lists may have.
        """
        return self._bidder.first_on_device(self.deals(deals), _FirstFrames(self.session))

    def entries(
        self,
        deals: Any,
        *,
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> Iterator[DeviceFrame]:
        """Mode ``all``: ``deal`` uint32 and ``entry`` uint32, in frames that fit the device.

        Options as for :meth:`Engine.auctions`.
        """
        for lists in self._backend.lists_on_device(
            self.plan,
            self.deals(deals),
            completed_only=completed_only,
            max_depth=max_depth,
            limit=limit,
        ):
            with self._until_there():
                numbers = list_numbers_on_device(
                    self.device, lists.offsets, lists.entries.size, first=lists.first_deal
                )
            yield DeviceFrame(self.session, {"deal": numbers, "entry": lists.entries})

    def members(self, deals: Any, entries: Iterable[int | str]) -> DeviceFrame:
        """Which deals reach chosen entries: a truth value a deal, columns named by auctions.

        The bits, an eighth of a byte a deal and entry, go by way of the host. Of a system, which
        deals may bid chosen auctions.

        Raises
        ------
        InvalidTable
            If the table has no such entry.
        InvalidCall, IllegalCall
            If an auction of a system is none, or illegal.
        """
        if self._is_system:
            found = self._bidder.members(self._on_host(deals), list(entries))
            with self._until_there():
                truths = {
                    format_calls(calls): self.device.upload(column.to_numpy().view(np.uint8))
                    for calls, column in found
                }
            return DeviceFrame(self.session, truths, booleans=[*truths])
        numbers = self.table.entry_numbers(entries)
        taken = self.deals(deals)
        bits = self._backend.members(self.plan, taken, numbers)
        with self._until_there():
            columns = {
                format_calls(self.table.auction_of(entry)): bits_on_device(
                    self.device, self.device.upload(bits.words[column, 0]), len(taken)
                )
                for column, entry in enumerate(numbers)
            }
        return DeviceFrame(self.session, columns, booleans=[*columns])

    def evaluate(self, deals: Any, expressions: Sequence[str] | str) -> DeviceFrame:
        """Truth of expressions on all four hands; columns as of :meth:`Engine.evaluate`.

        Raises
        ------
        InvalidExpression, UnknownTerm
            If an expression does not parse or a term is unknown.
        """
        plan, names = evaluation_plan(expressions, self._bidder.vocabulary)
        taken = self.deals(deals)
        bits = self._backend.evaluate_on_device(plan, taken)
        words = bits.shape[2]
        rows = bits.reshape(4 * len(names), words)
        with self._until_there():
            columns = {
                name: bits_on_device(
                    self.device,
                    rows[4 * number + seat : 4 * number + seat + 1].reshape(words),
                    len(taken),
                )
                for number, row in enumerate(names)
                for seat, name in enumerate(row)
            }
        return DeviceFrame(self.session, columns, booleans=[*columns])
