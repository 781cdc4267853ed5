"""Work on a device: its streams, launches, the way of deals to it and of results back.

Three kinds of streams: kernels run in ``work``, deals come in on two others and results leave on
two more, in turns, so that copies of one chunk run beside the kernels of another.
"""

import contextlib
import logging
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels.cuda_device import (
    Device,
    DeviceArray,
    Event,
    KernelArgument,
    Stream,
    out_of_memory,
)
from bidcascade.kernels.device_frames import DeviceDeals
from bidcascade.kernels.results import DealArrays

from .lending import Lender

_logger = logging.getLogger("bidcascade.kernels")

_Made = TypeVar("_Made")
AnyDeals: TypeAlias = DealArrays | DeviceDeals

MEMORY_SHARE = 0.8
"""Share of the free device memory that an operation plans with."""
FEWEST_DEALS = 64
"""Chunks are not halved below this; chunks are whole 64-bit words of deals."""
SCAN_TILE = 1024
LAUNCH_LIMIT = 1 << 30
"""Most blocks of threads in a launch."""
_ALIGNMENT = 64


@dataclass
class CopyStream:
    """A stream for copies, with the one page-locked buffer that they pass.

    The buffer stays and grows to what the largest copy needs: page-locked memory is dear to take,
    and what is taken anew for every chunk adds up where chunks differ in size.
    """

    device: Device
    stream: Stream = field(init=False)
    _buffer: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        self.stream = self.device.stream()
        self._buffer = np.empty(0, np.uint8)

    def arrays(self, kinds: Sequence[tuple[int, DTypeLike]]) -> list[NDArray[Any]]:
        """Arrays in the buffer, by length and type, until the next call; waits for the stream."""
        self.device.synchronize(self.stream)
        places, end = [], 0
        for length, kind in kinds:
            places.append((end, end + length * np.dtype(kind).itemsize))
            end = -(-places[-1][1] // _ALIGNMENT) * _ALIGNMENT
        if end > len(self._buffer):
            self._buffer = np.empty(0, np.uint8)  # goes before a larger one comes
            self._buffer = self.device.pinned(1 << (end - 1).bit_length(), np.uint8)
        return [
            self._buffer[start:stop].view(kind)
            for (start, stop), (_, kind) in zip(places, kinds, strict=True)
        ]


@dataclass
class Session:
    """A device with its streams."""

    device: Device
    tables: "weakref.WeakSet[Any]" = field(default_factory=weakref.WeakSet, init=False)
    """What is kept on the device for plans; each can ``let_go()``."""
    work: Stream = field(init=False)
    ways_in: tuple[CopyStream, CopyStream] = field(init=False)
    ways_out: tuple[CopyStream, CopyStream] = field(init=False)
    lender: Lender = field(init=False)

    def __post_init__(self) -> None:
        self.work = self.device.stream()
        self.ways_in = (CopyStream(self.device), CopyStream(self.device))
        self.ways_out = (CopyStream(self.device), CopyStream(self.device))
        self.lender = Lender(self.device)

    def launch(
        self,
        file: str,
        entry: str,
        defines: Mapping[str, int],
        blocks: int,
        threads: int,
        arguments: Sequence[KernelArgument],
        *,
        shared_bytes: int = 0,
    ) -> None:
        """Put a launch into ``work``."""
        if blocks > LAUNCH_LIMIT:
            raise OutOfDeviceMemory(f"expected at most {LAUNCH_LIMIT} blocks, got {blocks}")
        self.device.kernel(file, entry, defines)(
            blocks, threads, arguments, shared_bytes=shared_bytes, stream=self.work
        )

    def each(
        self,
        file: str,
        entry: str,
        defines: Mapping[str, int],
        count: int,
        arguments: Sequence[KernelArgument],
        *,
        threads: int = 256,
        shared_bytes: int = 0,
    ) -> None:
        """Put a launch of a thread for each of ``count`` things into ``work``."""
        self.launch(
            file,
            entry,
            defines,
            -(-count // threads),
            threads,
            arguments,
            shared_bytes=shared_bytes,
        )

    def upload(self, array: NDArray[Any]) -> DeviceArray:
        """Bring a host array, in ``work``."""
        return self.device.upload(array, stream=self.work)

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """Take an array of zeros, zeroed in ``work``."""
        return self.device.zeros(shape, dtype, stream=self.work)

    def download(self, array: DeviceArray) -> NDArray[Any]:
        """Bring an array back; waits for ``work``."""
        return self.device.download(array, stream=self.work)

    def wait(self) -> None:
        """Wait for ``work``; raise what failed."""
        self.device.synchronize(self.work)

    def memory(self) -> int:
        """Bytes that an operation may plan with."""
        return int(self.device.free_bytes() * MEMORY_SHARE)

    def make_room(self) -> None:
        """Give back what is kept for plans and what is held for reuse; plans bring theirs again."""
        with self.device.lock():
            self.wait_for_all()
            for tables in list(self.tables):
                tables.let_go()
            self.device.release()

    def with_room(self, doing: str, work: Callable[[], _Made]) -> _Made:
        """Call what takes device memory; once more with room made, if it does not fit.

        Raises
        ------
        OutOfDeviceMemory
            If it still does not; also for what allocators of others raise (RMM's, CuPy's).
        """
        with contextlib.suppress(MemoryError):
            return work()
        # outside the handler, which holds on to what did not fit
        self.make_room()
        with out_of_memory(doing):
            return work()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Keep others off the device, and leave only when all streams are through.

        What the work used may be taken for something else behind the block.
        """
        with self.device.lock():
            try:
                yield
            except BaseException:
                # buffers of unfinished work must not be reused; a broken device reuses nothing
                with contextlib.suppress(DeviceFault, OutOfDeviceMemory):
                    self.wait_for_all()
                raise
            self.wait_for_all()

    def wait_for_all(self) -> None:
        """Wait for all streams."""
        ways_in, ways_out = ([way.stream for way in ways] for ways in (self.ways_in, self.ways_out))
        for stream in (*ways_in, self.work, *ways_out):
            self.device.synchronize(stream)


def halving(session: Session, deals: int, run: Callable[[int], Any], *, of: str = "deals") -> Any:
    """Call ``run(deals)``, and with half as many deals a chunk as long as the memory is short.

    ``run`` starts afresh every time. Says in the log what it halves to, and ``of`` what.

    Raises
    ------
    OutOfDeviceMemory
        If the smallest chunk does not fit.
    """
    while True:
        try:
            with out_of_memory(f"work on {of}"):
                return run(deals)
        except OutOfDeviceMemory as error:
            if deals <= FEWEST_DEALS:
                raise
            deals = max(FEWEST_DEALS, deals // 2 // FEWEST_DEALS * FEWEST_DEALS)
            # copies under way still use what the run holds; once the error is gone, that is free
            session.wait_for_all()
            # the text, not the error: whoever keeps log records would keep frames and their arrays
            _logger.warning("chunks of %d %s from now on: %s", deals, of, str(error))
        # outside the handler, which holds on to what did not fit
        session.make_room()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some deals on the device.

    Parameters
    ----------
    start : int
        Number of the first deal.
    count : int
    hands : uint64 [4, stride] on the device
    stride : int
    dealer, vulnerability : uint8 [stride] on the device
    first : int
        Where the chunk's first deal stands in the arrays.
    """

    start: int
    count: int
    hands: DeviceArray
    stride: int
    dealer: DeviceArray
    vulnerability: DeviceArray
    first: int

    def part(self, start: int, stop: int) -> "Chunk":
        """Deals ``start`` to ``stop`` of the chunk."""
        return replace(self, start=self.start + start, count=stop - start, first=self.first + start)


class DealFeed:
    """Brings deals to the device in chunks; the next one comes while this one is worked on.

    Deals that are on the device already are handed on where they lie.

    Parameters
    ----------
    session : Session
    deals : DealArrays or DeviceDeals
    size : int
        Most deals in a chunk.
    start : int
        First deal.
    """

    def __init__(self, session: Session, deals: AnyDeals, size: int, *, start: int = 0) -> None:
        self.session, self.deals, self.start = session, deals, start
        self.size = max(1, min(size, len(deals) - start))
        self._slots: list[list[DeviceArray]] = []
        self._done: list[Event | None] = [None, None]
        if isinstance(deals, DealArrays):
            slots = range(min(2, -(-(len(deals) - start) // self.size)))
            self._slots = [
                [session.device.empty(*kind) for kind in _kinds(self.size)] for _ in slots
            ]

    @staticmethod
    def bytes_per_deal(deals: AnyDeals) -> int:
        """Device memory that a deal of a chunk takes."""
        return 2 * 34 if isinstance(deals, DealArrays) else 0

    def __iter__(self) -> Iterator[Chunk]:
        deals = self.deals
        starts = range(self.start, len(deals), self.size)
        if isinstance(deals, DeviceDeals):
            for start in starts:
                yield Chunk(
                    start,
                    min(self.size, len(deals) - start),
                    deals.hands,
                    len(deals),
                    deals.dealer,
                    deals.vulnerability,
                    start,
                )
            return
        coming = self._bring(deals, 0)
        for number in range(len(starts)):
            chunk, arrival = coming
            self.session.device.wait(self.session.work, arrival)
            yield chunk
            self._done[number % 2] = self.session.device.record(self.session.work)
            # what the caller launched is running by now
            if number + 1 < len(starts):
                coming = self._bring(deals, number + 1)

    def _bring(self, deals: DealArrays, number: int) -> tuple[Chunk, Event]:
        device, way = self.session.device, self.session.ways_in[number % 2]
        start = self.start + number * self.size
        count = min(self.size, len(deals) - start)
        page_locked = way.arrays(_kinds(count))
        done = self._done[number % 2]
        if done is not None:
            device.wait(way.stream, done)
        arrays = []
        sources: list[NDArray[Any]] = [deals.hands, deals.dealer, deals.vulnerability]
        for source, host, slot in zip(sources, page_locked, self._slots[number % 2], strict=True):
            part = source[..., start : start + count]
            np.copyto(host.reshape(part.shape), part)
            device.copy_in(slot[: part.size], host, stream=way.stream)
            arrays.append(slot[: part.size].reshape(*part.shape))
        hands, dealer, vulnerability = arrays
        arrived = device.record(way.stream)
        return Chunk(start, count, hands, count, dealer, vulnerability, 0), arrived


def _kinds(deals: int) -> list[tuple[int, DTypeLike]]:
    """Lengths and types of hands, dealer and vulnerability."""
    return [(4 * deals, np.uint64), (deals, np.uint8), (deals, np.uint8)]


def in_chunks(
    session: Session,
    deals: AnyDeals,
    most: int,
    bytes_per_deal: float,
    results: Callable[[int], list[tuple[int, DTypeLike]]],
    prepare: Callable[[int], Callable[[Chunk, list[DeviceArray]], None]],
    use: Callable[[list[NDArray[Any]], int], None],
) -> None:
    """Work on deals in chunks; the results of one leave while the next one is worked on.

    Parameters
    ----------
    most : int
        Most deals in a chunk; fewer where the memory is short.
    bytes_per_deal : float
        Device memory that a deal takes, besides its way here.
    results : function
        Elements and type of each array of results, by the number of deals.
    prepare : function
        Takes what chunks of so many deals need, and returns what fills the results of a chunk.
    use : function
        Gets the results, on the host, and the number of their first deal.
    """

    def run(size: int) -> None:
        feed = DealFeed(session, deals, size)
        fill = prepare(feed.size)
        device, slots = session.device, range(min(2, -(-len(deals) // feed.size)))
        there = [[device.empty(*one) for one in results(feed.size)] for _ in slots]
        under_way: list[tuple[list[NDArray[Any]], int] | None] = [None, None]

        def arrive(slot: int) -> None:
            came = under_way[slot]
            if came is not None:
                device.synchronize(session.ways_out[slot].stream)
                under_way[slot] = None
                use(*came)

        number = -1
        for number, chunk in enumerate(feed):
            slot, way = number % 2, session.ways_out[number % 2]
            arrive(slot)
            came = way.arrays(results(chunk.count))
            made = [array[: len(host)] for array, host in zip(there[slot], came, strict=True)]
            fill(chunk, made)
            device.wait(way.stream, device.record(session.work))
            for target, source in zip(came, made, strict=True):
                device.copy_out(target, source, stream=way.stream)
            under_way[slot] = (came, chunk.start)
        arrive((number + 1) % 2)
        arrive(number % 2)

    if len(deals):
        per_deal = DealFeed.bytes_per_deal(deals) + bytes_per_deal
        with session.working():
            halving(session, fitting(session, per_deal, most, len(deals)), run)


def fitting(session: Session, bytes_per_deal: float, most: int, deals: int) -> int:
    """Deals of a chunk that fits the free memory: whole 64-bit words, ``most`` at most."""
    fit = int(session.memory() / max(1.0, bytes_per_deal))
    return max(64, min(most, fit, -(-deals // 64) * 64) // 64 * 64)


class RunningSums:
    """Sums of the values before each, of up to ``most`` values, on the device."""

    def __init__(self, session: Session, most: int) -> None:
        self.session = session
        self._sums: list[DeviceArray] = []
        while True:
            most = -(-most // SCAN_TILE)
            self._sums.append(session.device.empty(most, np.uint64))
            if most == 1:
                break

    def run(self, values: DeviceArray) -> int:
        """Replace values by sums; return the sum of all; waits."""
        levels = [values]
        for sums in self._sums:
            tiles = -(-levels[-1].size // SCAN_TILE)
            self.session.launch(
                "entries.cu",
                "scan_tiles",
                {},
                tiles,
                256,
                [levels[-1], np.uint64(levels[-1].size), sums[:tiles]],
            )
            if tiles == 1:
                total = sums[:1]
                break
            levels.append(sums[:tiles])
        for below, starts in zip(levels[-2::-1], levels[:0:-1], strict=True):
            arguments: list[KernelArgument] = [below, np.uint64(below.size), starts]
            self.session.each("entries.cu", "scan_add", {}, below.size, arguments)
        return int(self.session.download(total)[0])
