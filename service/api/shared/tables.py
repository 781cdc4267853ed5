"""The bidding tables of the service: the default one opened at start, others when they are named.

A service is ready with the default table. Whoever names another one that is not open yet has it
opened and waits for it; the thread that warms tables up opens what nobody has named.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import (
    BackendUnavailable,
    BidcascadeError,
    DeviceFault,
    InvalidOverlay,
    InvalidSystem,
    InvalidTable,
    UnknownTable,
)
from bidcascade.engine.browser_system import browser_system
from bidcascade.engine.engine import Engine
from bidcascade.kernels import backend_name
from bidcascade.page.static_files import StaticFile
from bidcascade.service.api.http.answering import JSON, json_bytes
from bidcascade.service.api.http.problems import Problem
from bidcascade.systems import absolute_name, is_system
from bidcascade.systems.auctions.budget import shared_budget
from bidcascade.systems.bidding.bidder_protocol import Query
from bidcascade.systems.chosen_options import chosen_options
from bidcascade.systems.language.shipped import file_of, resolved
from bidcascade.systems.registry import check_is_there
from bidcascade.table import UndescribedPolicy

from .auction_results import AuctionResults
from .collection import settle_again, without_full_collections
from .loaded_table import LoadedTable, loaded_table, plain_system, try_out
from .probe import Probe, probe_of

_logger = logging.getLogger("bidcascade.service")
_MOST_COMPLAINTS: Final = 20


class Tables:
    """All tables of a service by name, in the order of the settings; the first is the default.

    Parameters
    ----------
    paths : mapping of str to str
        Name and what :func:`bidcascade.systems.open_table` opens for it.
    backend : str
    overlays : mapping of str to sequence of str, optional
        Files of rules that are laid over the table of a name.
    undescribed : mapping of str to str, optional
        Policy for undescribed entries of a file of rows by name; that of ``""`` is for the others.
    system_options : sequence of str
        Words for :func:`bidcascade.systems.chosen_options.chosen_options`.

    Examples
    --------
    >>> tables = Tables({"sayc": "sayc"}, "reference")
    >>> tables.state
    'loading'
    """

    def __init__(
        self,
        paths: Mapping[str, str],
        backend: str,
        overlays: Mapping[str, Sequence[str]] | None = None,
        undescribed: Mapping[str, UndescribedPolicy] | None = None,
        system_options: Sequence[str] = (),
    ) -> None:
        # processes of jobs work in other folders
        self.paths = {name: absolute_name(path) for name, path in paths.items()}
        self.overlays = {
            name: tuple(str(Path(one).absolute()) for one in files)
            for name, files in (overlays or {}).items()
        }
        self._undescribed = dict(undescribed or {})
        self._system_options = tuple(system_options)
        self.requested_backend = backend
        self.backend = ""
        self.state = "loading"
        """``loading``, ``ready``, ``stopping``, or ``failed``."""
        self.error: BidcascadeError | None = None
        self.started_in_ms = 0
        self.is_warm = False
        """Whether each kind of question was answered once; a device has its kernels by then."""
        self.warmed = 0
        """Tables that answer as quickly as ever."""
        self._loaded: dict[str, LoadedTable] = {}
        self._openings: dict[str, Future[None]] = {}
        """Of tables that are being opened, done when they are open."""
        self._opening = threading.Lock()
        """Is held for a moment, never while a table is opened."""
        self._reloading = threading.Lock()
        self._probe: Probe | None = None

    def load(self, further: Callable[[], object] | None = None) -> None:
        """Open the default table; all answer from then on, quickly after :meth:`warm_up`.

        Both end with the table that they are at when the service is being stopped.

        Parameters
        ----------
        further : callable, optional
            What else is done while nobody waits for an answer yet.

        Raises
        ------
        BidcascadeError
            If the table or the backend cannot be used, or another table is not there; kept in
            ``error`` as well.
        """
        started = time.perf_counter()
        try:
            self.backend = backend_name(self.requested_backend)
            for name, path in self.paths.items():
                check_is_there(path)
                self.options_of(name)
            if self.paths and self.state != "stopping":
                self._load(self.default)
            self._probe = probe_of(self.backend, are_systems=all(map(self._is_system, self.paths)))
            self.check()
        except BidcascadeError as error:
            self.state, self.error = "failed", error
            raise
        if further is not None:
            further()
        self.started_in_ms = round(1000 * (time.perf_counter() - started))
        if self.state == "loading":
            self.state = "ready"
        _logger.info(
            "ready in %d ms: tables %s, backend %s",
            self.started_in_ms,
            ", ".join(self.paths),
            self.backend,
        )

    def warm_up(self, further: Callable[[], object] | None = None) -> None:
        """Answer each kind of question once by each table; a device compiles its kernels.

        Tables that nobody has named yet are opened, one after the other.

        Parameters
        ----------
        further : callable, optional
            Gets ready what else is to be at hand before the service says that it is warm.

        Raises
        ------
        BidcascadeError
            If a table cannot be opened or answer; kept in ``error``, and no table answers any more.

        Examples
        --------
        >>> tables = Tables({}, "reference")
        >>> tables.load()
        >>> tables.warm_up()
        >>> tables.is_warm
        True
        """
        try:
            for name in self.paths:
                if self.state != "ready":
                    return
                self.opening(name).result()
                if self.state != "ready":
                    return
                self._loaded[name].warm_up()
                self.warmed += 1
        except BidcascadeError as error:
            self.fail(error)
            raise
        if self.state != "ready":
            return
        if further is not None:
            further()
        self.is_warm = True

    def _load(self, name: str) -> None:
        """Open a table, which answers from then on."""
        self._loaded[name] = loaded_table(self._opened(name))

    def is_open(self, name: str | None = None) -> bool:
        """Whether the table of a name, or the default one, answers without being opened first."""
        return (name or self.default) in self._loaded

    def opening(self, name: str) -> "Future[None]":
        """Have a table opened by a thread of its own, unless it is or another one is at it.

        Returns
        -------
        Future
            Done when the table is open; who waits for it is told why it cannot be opened. The next
            one who asks has it tried again.
        """
        with self._opening:
            found = self._openings.get(name)
            if found is None:
                found = Future()
                if name in self._loaded:
                    found.set_result(None)
                    return found
                # nobody who waits can call it off for all
                found.set_running_or_notify_cancel()
                self._openings[name] = found
                threading.Thread(target=self._open, args=(name, found), name="open-table").start()
            return found

    def _open(self, name: str, opening: "Future[None]") -> None:
        try:
            with without_full_collections():
                self._load(name)
        except BaseException as error:
            if isinstance(error, DeviceFault):
                self.fail(error)
            failed: BaseException | None = error
        else:
            failed = None
        with self._opening:
            del self._openings[name]
        if failed is None:
            opening.set_result(None)
        else:
            opening.set_exception(failed)

    def finish_openings(self) -> None:
        """Wait for the tables that are being opened, whatever becomes of them."""
        with self._opening:
            openings = list(self._openings.values())
        wait(openings)

    @property
    def default(self) -> str:
        """Name of the table of requests that name none."""
        return next(iter(self.paths))

    def options_of(self, name: str) -> dict[str, Any]:
        """Options that the table of a name is opened with.

        Raises
        ------
        InvalidTable
            If a policy for undescribed entries was chosen for what is no file of rows.
        InvalidSystem
            If no system has an option that was chosen.
        """
        is_rows = not is_system(self.paths[name]) and not Path(self.paths[name]).is_dir()
        if name in self._undescribed and not is_rows:
            raise InvalidTable(
                f"expected undescribed (setting undescribed) only for a file of rows, got "
                f"{name}={self._undescribed[name]}: what another table means is settled there"
            )
        policy = self._undescribed.get(name, self._undescribed.get(""))
        if is_rows:
            return {} if policy is None else {"undescribed": policy}
        chosen = self._chosen_options.get(name)
        return {"options": chosen} if chosen else {}

    @cached_property
    def _chosen_options(self) -> dict[str, dict[str, bool]]:
        found = chosen_options(self._system_options, list(self.paths.items()))
        return dict(zip(self.paths, found, strict=True))

    def _opened(self, name: str) -> Engine:
        overlays, options = self.overlays.get(name, ()), self.options_of(name)
        _logger.info("loading table %s", name)
        engine = Engine.open(self.paths[name], self.backend, overlays=overlays, **options)
        engine.name = name
        return engine

    def reload(self, name: str) -> bool:
        """Open a table anew beside the one in use, try it out, and put it in its place.

        One whose files say what they said stays as it is, with all that it has learned. Requests
        that are being worked on end with the old one. If anything is wrong the old one stays, and
        :attr:`LoadedTable.reload_errors` and the log say what, with file and line.

        Returns
        -------
        bool
            Whether the table in use is now that of the files as they stand.

        Raises
        ------
        UnknownTable
            If the service has no table of that name.
        Problem
            503 while the tables are not loaded.
        """
        with self._reloading:
            old = self.get(name)
            try:
                with without_full_collections():
                    engine = self._opened(name)
                    if engine.table_info() == old.engine.table_info():
                        old.reload_errors = ()
                        _logger.info("table %s is unchanged", name)
                        return True
                    new = loaded_table(engine)
                    new.warm_up()
                    try_out(engine)
            except Exception as error:  # an error of ours too must not take the good table away
                if isinstance(error, DeviceFault):
                    self.fail(error)
                old.reload_errors = _complaints(error)
                _logger.error(
                    "table %s stays as it was, it cannot be loaded anew: %s",
                    name,
                    error,
                    exc_info=not isinstance(error, BidcascadeError),
                )
                return False
            self._loaded[name] = new
            changes = new.engine.bidder.changes_since(old.engine.bidder)
            _logger.info("table %s loaded anew, %s: %s", name, new.digest[:16], changes)
            # requests may still ask the old one, which goes with the last of them
            del old
            settle_again()
        return True

    def forget_learned(self) -> str | None:
        """Begin anew with the system that has learned most, if all have learned too much together.

        What is known at places can be dropped by itself, what was learned from a text only with its
        system: another one of the same text takes its place, and the old one goes with the last
        request that asks it. Systems may learn half of the memory that they share; one that has not
        learned much since it began stays.

        Returns
        -------
        str or None
            Name of the table that begins anew.

        Examples
        --------
        >>> Tables({}, "reference").forget_learned() is None
        True
        """
        if not self.is_warm or self.state != "ready":
            return None
        with self._reloading:
            learned = {
                name: (one.engine.bidder.learned_bytes, one.learned_at_start)
                for name, one in list(self._loaded.items())
            }
            if 2 * sum(now for now, _ in learned.values()) <= shared_budget():
                return None
            name = max(learned, key=lambda one: learned[one][0] - learned[one][1])
            now, at_start = learned[name]
            if now < 2 * at_start:
                return None
            with without_full_collections():
                self._loaded[name] = self._loaded[name].renewed()
            _logger.info("table %s had learned %d MiB and begins anew", name, now >> 20)
        return name

    def reload_all(self) -> bool:
        """Load all tables anew; whether all could be loaded.

        Examples
        --------
        >>> Tables({"sayc": "sayc"}, "reference").reload_all()
        False
        """
        if self.state != "ready":
            _logger.warning("tables are not loaded anew: the service is %s", self.state)
            return False
        # the service may be stopped meanwhile, which waits for no further table; one that is not
        # open yet will be read as its files stand then
        loaded = [self.state == "ready" and self.reload(name) for name in list(self._loaded)]
        return all(loaded)

    def check(self) -> None:
        """Ask the backend a small question whose answer is known.

        Raises
        ------
        Problem
            503 if the answer is another one.
        """
        if self._probe is None:
            raise self._not_ready()
        results = AuctionResults(self._probe.engine).write(self._probe.deals, Query())
        answer = [tuple(auction["calls"]) for auction in json.loads(results[0])["auctions"]]
        if answer != self._probe.answer:
            _logger.error("backend %s answers the probe with %r", self.backend, answer)
            raise Problem("not-ready", f"backend {self.backend!r} gives a wrong answer")

    def fail(self, error: BidcascadeError) -> None:
        """Answer nothing any more: what a device says after a fault may be wrong.

        Examples
        --------
        >>> tables = Tables({"sayc": "sayc"}, "reference")
        >>> tables.fail(DeviceFault("an illegal address was met"))
        >>> tables.state
        'failed'
        """
        if self.state != "failed":
            _logger.critical("backend %s failed, start anew: %s", self.backend, error)
        self.state, self.error = "failed", error

    def system_file(self, table: LoadedTable) -> StaticFile:
        """System of a table as the engine of the browser reads it, as JSON.

        Raises
        ------
        Problem
            404 if it has none, or overlays change what it says; 409 if its files have changed.
        """
        system = plain_system(table)
        if table.system_file is None:
            try:
                described = browser_system(system)
            except InvalidSystem as error:
                raise Problem("files-changed", str(error)) from error
            named = system.text.opponents
            if named is not None:
                # a table of another name may be that system
                same = (
                    name
                    for name, path in self.paths.items()
                    if resolved(file_of(path)) == resolved(named)
                )
                described["opponents"] = next(same, described["opponents"])
            answer = {"name": table.name, **described, "table": table.engine.table_info()}
            table.system_file = StaticFile.of(json_bytes(answer), JSON)
        return table.system_file

    @property
    def awaits_systems(self) -> bool:
        """Whether tables are being loaded, and some will be systems without overlays."""
        return self.state == "loading" and any(map(self._is_system, self.paths))

    def _is_system(self, name: str) -> bool:
        """Whether a table is a system without overlays."""
        return is_system(self.paths[name]) and not self.overlays.get(name)

    def names(self) -> list[str]:
        """Names of the tables, the default one first."""
        return list(self.paths)

    def opened(self) -> list[LoadedTable]:
        """Tables that are open, in the order of their names.

        Raises
        ------
        Problem
            503 while the default one is not.
        """
        self.check_ready()
        return [self._loaded[name] for name in self.paths if name in self._loaded]

    def all(self) -> list[LoadedTable]:
        """Every table; those that are not open yet are opened.

        Raises
        ------
        Problem
            503 while the default one is not open, or if one cannot be opened.
        """
        self.check_ready()
        return list(map(self.get, self.paths))

    def get(self, name: str | None = None) -> LoadedTable:
        """Table of a name; the default table for ``None``. It is opened if it is not yet.

        Raises
        ------
        UnknownTable
            If there is none; the message lists the names.
        Problem
            503 while the default table is not open, or if this one cannot be opened.
        """
        self.check_name(name)
        name = name or self.default
        if name not in self._loaded:
            try:
                self.opening(name).result()
            except BidcascadeError as error:
                reason = f"the bidding table {name!r} cannot be opened: {error}"
                raise Problem("not-ready", reason.partition("\n")[0]) from error
        return self._loaded[name]

    def check_name(self, name: str | None) -> None:
        """Check that there is a table of a name, and that it may be asked.

        Raises
        ------
        UnknownTable
            If there is none; the message lists the names.
        Problem
            503 while the default table is not open.
        """
        if name is not None and name not in self.paths:
            raise UnknownTable(
                f"expected a table of this service ({', '.join(self.paths)}), got {name[:100]!r}"
            )
        self.check_ready()

    def check_ready(self) -> None:
        """Check that the service answers.

        Raises
        ------
        Problem
            503 if it does not.
        """
        if self.state != "ready":
            raise self._not_ready()

    def _not_ready(self) -> Problem:
        reason = {
            "loading": "the bidding tables are being loaded",
            "stopping": "the service is being stopped",
        }.get(self.state, "the bidding tables could not be loaded")
        if isinstance(self.error, BackendUnavailable | DeviceFault):
            reason = str(self.error)
        return Problem("not-ready", reason, headers={"Retry-After": "1"})


def _complaints(error: Exception) -> tuple[str, ...]:
    """Say what is wrong, a line each: of a text every complaint with file and line."""
    if isinstance(error, InvalidOverlay) and error.complaints:
        return error.complaints[:_MOST_COMPLAINTS]
    if isinstance(error, InvalidSystem) and error.complaints:
        return tuple(f"{one.where}: {one.message}" for one in error.complaints[:_MOST_COMPLAINTS])
    return (str(error).partition("\n")[0],)
