"""What auctions show: consistent layouts, double dummy, choice by simulation, studies of play."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .hand_pictures import HandPicture
    from .interpretation import Interpretation, interpret
    from .layouts.equal import deal_where
    from .layouts.known import KnownCards, parse_known
    from .layouts.result import LayoutReport, Layouts, Relaxed
    from .layouts.sampling import sample_layouts
    from .layouts.where import Constraints

__all__ = [
    "Constraints", "HandPicture", "Interpretation", "KnownCards", "LayoutReport", "Layouts",
    "Relaxed", "deal_where", "interpret", "parse_known", "sample_layouts",
]  # fmt: skip

_HOMES = {
    "Constraints": "layouts.where", "HandPicture": "hand_pictures",
    "Interpretation": "interpretation", "KnownCards": "layouts.known",
    "LayoutReport": "layouts.result", "Layouts": "layouts.result", "Relaxed": "layouts.result",
    "deal_where": "layouts.equal", "interpret": "interpretation",
    "parse_known": "layouts.known", "sample_layouts": "layouts.sampling",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # worker processes import single modules of this package and must start fast
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
