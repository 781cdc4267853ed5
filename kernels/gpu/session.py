"""Work on a device: its streams, launches, the way of deals to it and of results back.

Three kinds of streams: kernels run in ``work``, deals come in on two others and results leave on
two more, in turns, so that copies of one chunk run beside the kernels of another.
"""

import contextlib
import logging
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels.cuda_device import Device, DeviceArray, Event, KernelArgument, Stream
from bidcascade.kernels.deals import DealArrays
from bidcascade.kernels.device_frames import DeviceDeals

_logger = logging.getLogger("bidcascade.kernels")

AnyDeals: TypeAlias = DealArrays | DeviceDeals

MEMORY_SHARE = 0.8
"""Share of the free device memory that an operation plans with."""
FEWEST_DEALS = 64
"""Chunks are not halved below this; chunks are whole 64-bit words of deals."""
LAUNCH_LIMIT = 1 << 30
"""Most blocks of threads in a launch."""


@dataclass
class Session:
    """A device with its streams."""

    device: Device
    tables: "weakref.WeakSet[Any]" = field(default_factory=weakref.WeakSet, init=False)
    """What is kept on the device for plans; each can ``let_go()``."""
    work: Stream = field(init=False)
    ways_in: tuple[Stream, Stream] = field(init=False)
    ways_out: tuple[Stream, Stream] = field(init=False)

    def __post_init__(self) -> None:
        self.work = self.device.stream()
        self.ways_in = (self.device.stream(), self.device.stream())
        self.ways_out = (self.device.stream(), self.device.stream())

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
            file, entry, defines, -(-count // threads), threads, arguments,
            shared_bytes=shared_bytes,
        )  # fmt: skip

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
        for stream in (*self.ways_in, self.work, *self.ways_out):
            self.device.synchronize(stream)


def halving(session: Session, deals: int, run: Callable[[int], Any]) -> Any:
    """Call ``run(deals)``, and with half as many deals a chunk as long as the memory is short.

    ``run`` starts afresh every time. Says in the log what it halves to.

    Raises
    ------
    OutOfDeviceMemory
        If the smallest chunk does not fit.
    """
    while True:
        try:
            return run(deals)
        except OutOfDeviceMemory as error:
            if deals <= FEWEST_DEALS:
                raise
            deals = max(FEWEST_DEALS, deals // 2 // FEWEST_DEALS * FEWEST_DEALS)
            # copies under way still use what the run holds; once the error is gone, that is free
            session.wait_for_all()
            # the text, not the error: whoever keeps log records would keep frames and their arrays
            _logger.warning("chunks of %d deals from now on: %s", deals, str(error))
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
        return Chunk(
            self.start + start, stop - start, self.hands, self.stride, self.dealer,
            self.vulnerability, self.first + start,
        )  # fmt: skip


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
        self._slots: list[tuple[DeviceArray, DeviceArray, DeviceArray]] = []
        self._pinned: list[tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8]]] = []
        self._done: list[Event | None] = [None, None]
        if isinstance(deals, DealArrays):
            device = session.device
            for _ in range(min(2, -(-(len(deals) - start) // self.size))):
                self._slots.append(
                    (
                        device.empty(4 * self.size, np.uint64),
                        device.empty(self.size, np.uint8),
                        device.empty(self.size, np.uint8),
                    )
                )
                self._pinned.append(
                    (
                        device.pinned(4 * self.size, np.uint64),
                        device.pinned(self.size, np.uint8),
                        device.pinned(self.size, np.uint8),
                    )
                )

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
                    start, min(self.size, len(deals) - start), deals.hands, len(deals),
                    deals.dealer, deals.vulnerability, start,
                )  # fmt: skip
            return
        coming = self._bring(deals, 0) if len(starts) else None
        for number, _ in enumerate(starts):
            assert coming is not None
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
        pinned = self._pinned[number % 2]
        slot = self._slots[number % 2]
        hands, dealer, vulnerability = slot[0][: 4 * count], slot[1][:count], slot[2][:count]
        device.synchronize(way)  # the copy before the last has left the pinned memory
        done = self._done[number % 2]
        if done is not None:
            device.wait(way, done)
        np.copyto(pinned[0][: 4 * count].reshape(4, count), deals.hands[:, start : start + count])
        np.copyto(pinned[1][:count], deals.dealer[start : start + count])
        np.copyto(pinned[2][:count], deals.vulnerability[start : start + count])
        device.copy_in(hands, pinned[0][: 4 * count], stream=way)
        device.copy_in(dealer, pinned[1][:count], stream=way)
        device.copy_in(vulnerability, pinned[2][:count], stream=way)
        chunk = Chunk(start, count, hands.reshape(4, count), count, dealer, vulnerability, 0)
        return chunk, device.record(way)


class Returns:
    """Brings arrays back in turns; a chunk's leave while the next one is worked on.

    Parameters
    ----------
    session : Session
    sizes : sequence of (int, dtype)
        Most elements of each array of a chunk.
    chunks : int
        How many chunks there will be; one needs no second set of arrays.
    """

    def __init__(
        self, session: Session, sizes: Sequence[tuple[int, DTypeLike]], chunks: int
    ) -> None:
        self.session = session
        device = session.device
        slots = range(min(2, chunks))
        self._arrays = [[device.empty(size, dtype) for size, dtype in sizes] for _ in slots]
        self._pinned = [[device.pinned(size, dtype) for size, dtype in sizes] for _ in slots]
        self._waiting: list[Callable[[], None] | None] = [None, None]
        self._number = 0

    def arrays(self) -> list[DeviceArray]:
        """Arrays for the chunk's results; those of the chunk before the last have arrived."""
        self._arrive(self._number % 2)
        return self._arrays[self._number % 2]

    def send(self, lengths: Sequence[int], use: Callable[[list[NDArray[Any]]], None]) -> None:
        """Send the first elements of the arrays; ``use`` gets them when they are here."""
        slot = self._number % 2
        device, way = self.session.device, self.session.ways_out[slot]
        device.wait(way, device.record(self.session.work))
        here = [pinned[:length] for pinned, length in zip(self._pinned[slot], lengths, strict=True)]
        for target, source in zip(here, self._arrays[slot], strict=True):
            device.copy_out(target, source[: len(target)], stream=way)
        self._waiting[slot] = lambda: use(here)
        self._number += 1

    def finish(self) -> None:
        """Wait for all that is under way."""
        for slot in (self._number % 2, (self._number + 1) % 2):
            self._arrive(slot)

    def _arrive(self, slot: int) -> None:
        use = self._waiting[slot]
        if use is not None:
            self.session.device.synchronize(self.session.ways_out[slot])
            self._waiting[slot] = None
            use()
