"""The command line ``bidcascade``: reads the arguments, calls the command, reports errors.

Each command lives in a module that is loaded only when it is asked for, and what a command needs is
loaded when it runs: ``bidcascade --help`` and ``bidcascade info`` wait for no compiler.
"""

import argparse
import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Any, Final, NoReturn

DONE: Final = 0
BAD_ARGUMENTS: Final = 1
BAD_INPUT: Final = 2
NO_BACKEND: Final = 3
INTERNAL_ERROR: Final = 70
INTERRUPTED: Final = 130
NOTHING_STAYS: Final = "nothing is kept"
"""What an interrupted command says unless it says what is kept."""
BROKEN_PIPE: Final = 141

COMMANDS: Final = {
    "auctions": ("answers.auctions", "auctions that a bidding table allows for deals"),
    "bid": ("answers.auctions", "the call that a bidding table makes with a hand, and why"),
    "load": ("files.deals", "deals in any format -> one file of deals"),
    "augment": ("files.deals", "add columns of terms, expressions and entries to deals"),
    "deals": ("files.deals", "random deals, also under a condition"),
    "batch": ("files.batch", "the archive job: any number of deals, safe to interrupt and resume"),
    "archive": (
        "files.archive",
        "boards kept to be asked: add, bid, solve, boards, calls and more",
    ),
    "export": ("files.export", "rows for learning: a row a call, as Parquet or NumPy arrays"),
    "table": (
        "tables.table",
        "bidding tables: import, export, show, lint, mine, learn, vet and more",
    ),
    "system": (
        "systems.system",
        "bidding systems as text: show, check, lint, fmt, import, export and more",
    ),
    "explain": ("systems.system", "what an auction has shown, call by call"),
    "compare": (
        "matches.compare",
        "systems against each other, or against par on an archive: IMPs, and why",
    ),
    "bench": (
        "matches.bench",
        "a bidder on fixed boards: matches with systems, distance from par, faults",
    ),
    "bank": ("matches.bank", "solved deals on which systems are compared at once: solve, count"),
    "table-manager": (
        "matches.table_manager",
        "a table for four programs that speak the table-manager protocol, or a seat at one",
    ),
    "interpret": (
        "answers.inference",
        "what an auction shows of all four hands, and the next calls",
    ),
    "layouts": ("answers.inference", "deals that fit an auction and what is known of the hands"),
    "infer": (
        "answers.inference",
        "single dummy: what a card tells about the hands that were not seen",
    ),
    "lead": ("answers.inference", "the best opening lead against a contract"),
    "serve": ("services.serve", "REST service"),
    "lsp": (
        "services.assistance",
        "a language server for texts of systems, on standard input and output",
    ),
    "mcp": ("services.assistance", "tools and pages for assistants, by the Model Context Protocol"),
    "page": ("services.page", "the page as a folder of files, which bids without a service"),
    "get": ("services.serve", "make a request to the service without a server"),
    "api-key": ("services.serve", "make a key for a service that asks for keys"),
    "info": ("info", "versions, backends, tables, cache places"),
    "completion": ("completion", "the script by which a shell completes commands and options"),
}
"""Commands with the module that has them, and what they do.

``configure_bid`` of the module adds the arguments of ``bid``, and its function ``bid`` runs it.
"""

_HELP: Final = ("-h", "--help")
_EPILOG: Final = (
    "exit codes: 0 done, 1 bad arguments, 2 bad input or output, 3 backend unavailable or failed, "
    "70 an error of bidcascade itself, 130 interrupted"
)


class _NarrowFormatter(argparse.HelpFormatter):
    """Does not ask how wide the terminal is, which each added argument would have done anew."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """Raises instead of leaving, so that errors are reported in one way; says what was meant."""

    _words: Sequence[str] = ()

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _NarrowFormatter, **given})

    def format_help(self) -> str:
        self.formatter_class = argparse.HelpFormatter
        return super().format_help()

    def format_usage(self) -> str:
        self.formatter_class = argparse.HelpFormatter
        return super().format_usage()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        self._words = args or ()
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            # said here and not by the parser above, which knows none of this command's options
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = _nearest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(
                action, error.message + (f"; did you mean {near!r}?" if near else "")
            ) from None

    def error(self, message: str) -> NoReturn:
        known = self._option_string_actions
        for word in self._words if "did you mean" not in message else ():
            name = word.partition("=")[0]
            # the hyphens, which all have, would make any two short names near
            names = [one[2:] for one in known if one.startswith("--")]
            is_unknown = name.startswith("--") and name not in known
            near = (_nearest(name[2:], names) or _begins(name[2:], names)) if is_unknown else ""
            if near:
                message += f"; did you mean --{near} instead of {name}?"
        from .shared import UsageError

        raise UsageError(f"{message} (see {self.prog} --help)")


def _begins(word: str, known: Iterable[str]) -> str:
    """Name that a longer one begins with, as `vul` for `vulnerability`; else an empty text."""
    return next((one for one in known if len(one) >= 3 and word.startswith(one)), "")


def _nearest(word: str, known: Iterable[str]) -> str:
    from bidcascade.systems.language.errors import nearest

    return nearest(word, known)


@contextmanager
def _interruptions() -> Iterator[list[int]]:
    """Remember that SIGINT came."""
    # ``KeyboardInterrupt`` alone does not tell: raised inside a call from C, it can come out as a
    # ``SystemError`` (ctypes) or as a panic (polars)
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt

    # only the main thread may set handlers, and nobody's own handler is replaced
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield came
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield came
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is returned.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; those of the process by default.

    Examples
    --------
    >>> main(["deals", "-3"])
    1
    """
    if arguments is None and "_ARGCOMPLETE" in os.environ:
        from .completion import complete

        complete()
    if arguments is None:
        # looking for garbage as often as python does is a fifth of a short command
        gc.set_threshold(300_000, 20, 100)
    _open_closed_streams()
    if arguments is None and isinstance(sys.stdout, io.TextIOWrapper):
        # a name or a suit that the terminal's encoding lacks is no reason to stop
        sys.stdout.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    with _interruptions() as interrupted:
        code = _run(words, interrupted)
    if arguments is None:
        # the process ends: nobody looks through all that is left for garbage
        gc.freeze()
    return code


_SURROGATES: Final = "surrogates not allowed"
"""What Python says of bytes of a name that are no UTF-8."""
_READ_ONLY: Final = {"inputs", "deals", "archive"}
"""Arguments whose files are read by any name that the system has for them."""


def _check_is_utf8(options: argparse.Namespace) -> None:
    """Refuse names that cannot be written down: manifests, tables and reports are UTF-8."""
    for name, value in vars(options).items():
        for word in value if isinstance(value, list) else [value]:
            if not isinstance(word, str) or name in _READ_ONLY:
                continue
            try:
                word.encode()
            except UnicodeEncodeError:
                from .shared import UsageError

                raise UsageError(f"expected text in UTF-8 ({name}), got {word!r}") from None


def _open_closed_streams() -> None:
    """Put nothing where a standard stream is closed: a file would take its number else."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _run(words: list[str], interrupted: list[int]) -> int:
    debug = "--debug" in words
    options = argparse.Namespace()
    try:
        options = make_parser(words).parse_args(words)
        _check_is_utf8(options)
        # behind what leaves with its help
        from .outputs import check_outputs

        check_outputs(options)
        code: int | None = options.handler(options)
        sys.stdout.flush()
        return code or DONE
    except BrokenPipeError:
        # whoever read our output has enough; python must not try to flush the rest at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except SystemExit:  # --help and --version
        raise
    # also an error of ours, or a panic of polars, which is no Exception: still one line, and how
    # to learn more
    except BaseException as error:
        from bidcascade.bridge import BidcascadeError, InvalidInput

        if debug and not isinstance(error, KeyboardInterrupt):
            import traceback

            traceback.print_exc()
        if interrupted or isinstance(error, KeyboardInterrupt):
            # a function where it depends on how far the command was
            hint = getattr(options, "interruption_hint", NOTHING_STAYS)
            _print_error(f"interrupted; {hint() if callable(hint) else hint}")
            return INTERRUPTED
        if isinstance(error, UnicodeEncodeError) and error.reason == _SURROGATES:
            # the current folder may be named so
            error = InvalidInput(f"expected names in UTF-8, got {error.object[:200]!r}")
        if isinstance(error, BidcascadeError | OSError | MemoryError):
            _print_error(_message(error))
            return exit_code(error)
        _print_error(
            f"internal error: {type(error).__name__}: {_message(error)}"
            + ("" if debug else " (--debug shows where)")
        )
        return INTERNAL_ERROR


def exit_code(error: BaseException) -> int:
    """Exit code for an error.

    Examples
    --------
    >>> from bidcascade.bridge import InvalidInput, NoSystem
    >>> exit_code(InvalidInput("no deals")), exit_code(NoSystem("no such option"))
    (2, 1)
    """
    from bidcascade.bridge import (
        BackendUnavailable,
        DeviceFault,
        DoubleDummyFailed,
        EngineFailed,
        InvalidInput,
        InvalidScript,
        InvalidSystem,
        InvalidTable,
        NoSuchDeal,
        OutOfDeviceMemory,
    )

    failed = BackendUnavailable | DeviceFault | DoubleDummyFailed | EngineFailed | OutOfDeviceMemory
    if isinstance(error, failed):
        return NO_BACKEND
    unusable = (
        InvalidInput
        | InvalidScript
        | InvalidSystem
        | InvalidTable
        | NoSuchDeal
        | OSError
        | MemoryError
    )
    if isinstance(error, unusable):
        return BAD_INPUT
    return BAD_ARGUMENTS


def _message(error: BaseException) -> str:
    from bidcascade.bridge import BidcascadeError, InvalidOverlay, InvalidSystem

    if isinstance(error, MemoryError) and not isinstance(error, BidcascadeError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, BidcascadeError):
        return f"{error.strerror}: {error.filename!r}" if error.filename else error.strerror
    if isinstance(error, InvalidSystem | InvalidOverlay):
        # every complaint with its line and a caret: a text is mended in one go
        return str(error)
    return str(error).partition("\n")[0]


def _print_error(message: str) -> None:
    from bidcascade.bridge import visible

    # perhaps nobody reads standard error any more
    with suppress(OSError):
        print(f"bidcascade: error: {visible(message)}", file=sys.stderr)


def make_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Parser for some arguments; only the command that they name is spelled out.

    Examples
    --------
    >>> make_parser(["info"]).parse_args(["info"]).command
    'info'
    """
    parser = _Parser(
        prog="bidcascade",
        description="Which calls and auctions does a bridge bidding table allow for these hands?",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and leave")
    _add_debug(parser)
    parser.set_defaults(handler=_without_command)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    named = next((word for word in words if not word.startswith("-")), None)
    # the others are listed by what asks for help, or for a command that does not exist
    are_listed = named not in COMMANDS or any(word in _HELP for word in words[: words.index(named)])
    for name, (module, meaning) in COMMANDS.items():
        if name != named and not are_listed:
            continue
        command = commands.add_parser(
            name,
            help=meaning,
            description=f"{meaning[0].upper()}{meaning[1:]}.",
            epilog=_EPILOG,
            allow_abbrev=False,
        )
        _add_debug(command)
        if name == named:
            there, function = (import_module(f".{module}", __package__), name.replace("-", "_"))
            # what has actions names a function for each of them
            command.set_defaults(handler=getattr(there, function, None))
            getattr(there, f"configure_{function}")(command)
    return parser


def _add_debug(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show where an error comes from",
    )


def _without_command(options: argparse.Namespace) -> int:
    if not options.version:
        from .shared import UsageError

        raise UsageError("expected a command: " + ", ".join(COMMANDS))
    from bidcascade.version import package_version

    print(f"bidcascade {package_version()}")
    return DONE
