"""A foreign engine as a child process, asked over its standard input and output."""

import hashlib
import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from time import perf_counter, sleep
from types import TracebackType
from typing import IO, Final, Self

from bidcascade.bridge import EngineFailed, visible
from bidcascade.kernels.machine.child_processes import start_module

from .protocol import LONGEST_LINE, REMARK, Reply, Turn, format_turn, parse_reply, where

DEFAULT_TIMEOUT_S: Final = 10.0
"""For one call."""
START_S: Final = 60.0
"""For the first call in addition: an engine may have to load a model."""
_END_S: Final = 1.0
"""For an engine to end by itself when its input closes."""
_READ: Final = 1 << 16
_LOOK_S: Final = 0.005
_MOST_LEFT: Final = 1000
"""Lines unasked for that are read when an engine ends."""
_UNDER_WAY: Final = 1 << 15
"""Most bytes of questions without an answer that are sent."""
_LAST_WORDS: Final = 400
_MOST_REMARKS: Final = 1 << 20
"""Bytes of remarks between two answers."""


class ProcessEngine:
    """A program that answers questions of the line protocol, a line each, in their order.

    It is started when it is first asked, and ended with everything that it started when this closes
    or this process ends; what has left its group of processes goes on where the system is not
    Linux.

    Parameters
    ----------
    command : str or sequence of str
        Words of the command; a text is taken apart as a shell does, but no shell runs it.
    timeout_s : float
        For each call.
    name : str, optional
        For reports; the last part of the command's first path by default.

    Examples
    --------
    >>> from bidcascade.bridge import Seat, Vulnerability, parse_hand
    >>> turn = Turn(parse_hand("AQ4.KJ3.K876.Q52"), Seat.NORTH, Vulnerability.NONE, ())
    >>> with ProcessEngine("sed -u s/.*/P/") as passes:
    ...     passes.answers([turn, turn])
    [Reply(call=0, meaning=''), Reply(call=0, meaning='')]
    """

    def __init__(
        self, command: str | Sequence[str], *, timeout_s: float = DEFAULT_TIMEOUT_S, name: str = ""
    ) -> None:
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise EngineFailed(
                f"expected the words of a command, got {command!r}: {str(error).lower()}",
                "no start",
            ) from None
        if not words or not words[0]:
            raise EngineFailed(f"expected a command, got {command!r}", "no start")
        self._words = words
        self._timeout_s = timeout_s
        self.name = name or _name_of(words)
        self._process: subprocess.Popen[bytes] | None = None
        self._watch = -1
        self._held = b""
        self._error_output = b""
        self._answered = 0
        self._remarks = 0
        self.seconds = 0.0
        """Spent waiting for answers."""
        self.requests = 0
        """How many calls it was asked for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the engine; where all went well, lines that nobody asked for are an error."""
        left = self._end()
        if left and kind is None:
            raise EngineFailed(
                f"expected one line for each question, got {len(left)} more from the engine "
                f"{self.name!r}, so its answers may belong to other questions",
                "too much",
            )

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the command and of the files that its words name."""
        found = hashlib.sha256()
        for word in self._words:
            program = shutil.which(word)
            path = Path(word if program is None else program)
            found.update(Path(word).name.encode() + b"\0")
            # an interpreter is none of the engine's own
            if path.is_file() and (word != self._words[0] or "/" in word):
                found.update(hashlib.sha256(path.read_bytes()).digest())
        return found.hexdigest()

    # --- start and end ----------------------------------------------------------------------------

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        if shutil.which(self._words[0]) is None:
            raise EngineFailed(
                f"expected a program to start as an engine, got {self._words[0]!r}, which is not "
                "there or may not be run",
                "no start",
            )
        ours, theirs = os.pipe()
        try:
            process = start_module(
                "bidcascade.seats.foreign.watchdog",
                Path.cwd(),
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(ours,),
            )
        except BaseException:
            os.close(theirs)
            raise
        finally:
            os.close(ours)
        self._watch, self._process = theirs, process
        self._held, self._error_output, self._answered = b"", b"", 0
        for stream in _streams(process):
            os.set_blocking(stream.fileno(), False)
        order = json.dumps({"command": self._words, "watch": ours}) + "\n"
        # shorter than any pipe holds, which is empty
        os.write(_streams(process)[0].fileno(), order.encode())
        return process

    def close(self) -> None:
        """End the engine and all that it started; it is started anew if it is asked again."""
        self._end()

    def _end(self) -> list[bytes]:
        """End the engine; lines that it wrote unasked, as far as they come in time."""
        process, self._process = self._process, None
        if process is None:
            return []
        left: list[bytes] = []
        try:
            with suppress(OSError):
                _streams(process)[0].close()
            left = self._rest(process)
            _exit_code(process, _END_S)
        finally:
            # the watchdog kills what the engine started and its group, or is gone; what is left of
            # that is killed here, before its number is free for others
            os.close(self._watch)
            _exit_code(process, _END_S)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in _streams(process)[1:]:
                stream.close()
        return left

    def _rest(self, process: subprocess.Popen[bytes]) -> list[bytes]:
        """Lines that come before the engine's output ends, if that is soon."""
        incoming, errors = (one.fileno() for one in _streams(process)[1:])
        ends, left = perf_counter() + _END_S, list[bytes]()
        with selectors.DefaultSelector() as selector:
            selector.register(incoming, selectors.EVENT_READ)
            selector.register(errors, selectors.EVENT_READ)
            while len(left) < _MOST_LEFT and (patience := ends - perf_counter()) > 0:
                for key, _ in selector.select(patience):
                    new = _read(key.fd)
                    if new == b"":
                        selector.unregister(key.fd)
                        if key.fd == incoming:
                            return left
                    elif new is not None and key.fd == incoming:
                        left += self._lines_of(new)
                        if len(self._held) >= LONGEST_LINE:
                            return left
        return left

    def _last_words(self) -> str:
        """Last line that the engine wrote to its standard error, for messages."""
        lines = self._error_output.decode("utf-8", "replace").strip().splitlines()
        return f"; it said {visible(lines[-1])!r}" if lines else ""

    # --- questions --------------------------------------------------------------------------------

    def answers(
        self, turns: Sequence[Turn], deals: Sequence[int] | None = None
    ) -> list[Reply | EngineFailed]:
        """Ask for calls.

        Parameters
        ----------
        turns
        deals
            Numbers of the deals, for messages; their places in ``turns`` by default.

        Returns
        -------
        list of Reply or EngineFailed
            The error stands where an answer cannot be read; the engine may go on.

        Raises
        ------
        EngineFailed
            If the engine cannot be started, ends, answers too late, too much, or in endless lines.
            It is ended then.
        """
        numbers = range(len(turns)) if deals is None else deals
        self.requests += len(turns)
        started = perf_counter()
        try:
            lines = self._exchange([format_turn(one) for one in turns], turns, numbers)
        except BaseException:
            self.close()
            raise
        finally:
            self.seconds += perf_counter() - started
        found: list[Reply | EngineFailed] = []
        for number, turn, line in zip(numbers, turns, lines, strict=True):
            try:
                found.append(parse_reply(line))
            except EngineFailed as error:
                found.append(EngineFailed(f"{where(number, turn)}: {error}", error.fault))
        return found

    def _exchange(
        self, questions: Sequence[str], turns: Sequence[Turn], deals: Sequence[int]
    ) -> list[bytes]:
        """Lines that answer the questions; what is wrong is told of the first without one."""
        if not questions:
            return []
        outgoing, incoming, errors = (one.fileno() for one in _streams(self._start()))
        lines: list[bytes] = []

        def failed(expected: str, got: str, fault: str) -> EngineFailed:
            at = min(len(lines), len(turns) - 1)
            self._error_output = (self._error_output + (_read(errors) or b""))[-_LAST_WORDS:]
            return EngineFailed(
                f"{where(deals[at], turns[at])}: expected {expected}, got {got} from the engine "
                f"{self.name!r}{self._last_words()}",
                fault,
            )

        def another() -> EngineFailed:
            return failed("one line for each question", "another line", "too much")

        if self._lines_of(_read(incoming) or b""):
            raise another()
        encoded = [f"{one}\n".encode() for one in questions]
        sent, under_way, waiting = 0, 0, b""
        limit = self._timeout_s + (0.0 if self._answered else START_S)
        ends = perf_counter() + limit
        with selectors.DefaultSelector() as selector:
            selector.register(incoming, selectors.EVENT_READ)
            selector.register(errors, selectors.EVENT_READ)
            is_writing = False
            while len(lines) < len(questions):
                while sent < len(encoded) and under_way < _UNDER_WAY:
                    waiting += encoded[sent]
                    under_way += len(encoded[sent])
                    sent += 1
                if bool(waiting) != is_writing:
                    is_writing = bool(waiting)
                    if is_writing:
                        selector.register(outgoing, selectors.EVENT_WRITE)
                    else:
                        selector.unregister(outgoing)
                left = ends - perf_counter()
                ready = {key.fd for key, _ in selector.select(max(0.0, left))}
                if not ready and left <= 0:
                    raise failed(
                        f"a call within {limit:g} s (an engine must flush its output after each "
                        "line)",
                        "none",
                        "too late",
                    )
                if outgoing in ready:
                    try:
                        waiting = waiting[os.write(outgoing, waiting[:_READ]) :]
                    except BrokenPipeError:
                        # what it answered before is read until its output ends
                        waiting, sent = b"", len(encoded)
                if errors in ready:
                    output = _read(errors)
                    self._error_output = (self._error_output + (output or b""))[-_LAST_WORDS:]
                    if output == b"":
                        selector.unregister(errors)
                if incoming not in ready or (new := _read(incoming)) is None:
                    continue
                if not new:
                    assert self._process is not None
                    code = _exit_code(self._process, _END_S)
                    with_code = "" if code is None else f" (exit code {code})"
                    raise failed("a call", f"the end{with_code}", "ended")
                found = self._lines_of(new)
                if len(lines) + len(found) > len(questions):
                    raise another()
                if max(map(len, (*found, self._held))) >= LONGEST_LINE:
                    raise failed(
                        f"lines of at most {LONGEST_LINE} bytes", "a longer one", "too much"
                    )
                if self._remarks > _MOST_REMARKS:
                    raise failed(f"at most {_MOST_REMARKS:,} bytes of remarks", "more", "too much")
                if found:
                    under_way -= sum(map(len, encoded[len(lines) : len(lines) + len(found)]))
                    lines += found
                    self._answered += len(found)
                    self._remarks = 0
                    limit = self._timeout_s
                    ends = perf_counter() + limit
        return lines

    def _lines_of(self, new: bytes) -> list[bytes]:
        """Whole lines but remarks of what has come; the rest is held."""
        *whole, self._held = (self._held + new).split(b"\n")
        found = [one for one in whole if not one.startswith(REMARK)]
        self._remarks += sum(map(len, whole)) - sum(map(len, found))
        return found


def _streams(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """Give the standard streams, as they are numbered."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _read(descriptor: int) -> bytes | None:
    """Read what has come; nothing at the end, None if nothing has come yet."""
    try:
        return os.read(descriptor, _READ)
    except BlockingIOError:
        return None


def _exit_code(process: subprocess.Popen[bytes], patience_s: float) -> int | None:
    """Exit code of a process that ends in time, which stays there to be waited for."""
    ends = perf_counter() + patience_s
    while True:
        found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_status
        if perf_counter() >= ends:
            return None
        sleep(_LOOK_S)


def _name_of(words: Sequence[str]) -> str:
    """Name for a command: that of the script if an interpreter runs one, else the program's."""
    scripts = [one for one in words[1:] if Path(one).suffix in (".py", ".js", ".mjs", ".rb", ".jl")]
    return Path((scripts or words)[0]).stem or words[0]
