"""What users meet: the engine, the command line, batch jobs and the REST service."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bid_answer import BidAnswer, Candidate
    from .engine import Engine, Mode

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode"]

_HOMES = {
    "BidAnswer": "bid_answer", "Candidate": "bid_answer", "Engine": "engine", "Mode": "engine",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # the command line answers --help without loading polars and numba
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
