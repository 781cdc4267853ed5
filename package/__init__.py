"""Bridge bidding tables: which calls and auctions they allow for which hands.

Examples
--------
>>> from bidcascade import Engine
>>> Engine.open("sayc").bid("K52.AQ3.9876.KJ2", "1N P").call
'3N'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidcascade.engine.engine import Engine
    from bidcascade.loaders import read_deals

    __version__: str

__all__ = ["Engine", "__version__", "read_deals"]


def __getattr__(name: str) -> Any:
    # each when it is asked for: the compiler and the frames take a second to load
    try:
        if name == "Engine":
            from bidcascade.engine.engine import Engine

            return Engine
        if name == "read_deals":
            from bidcascade.loaders import read_deals

            return read_deals
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bidcascade."):
            raise ImportError(
                f"expected the distribution bidcascade for {name}, got bidcascade-client, "
                "which has bidcascade.service.client alone"
            ) from error
        raise
    if name == "__version__":
        from bidcascade.version import package_version

        return package_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
