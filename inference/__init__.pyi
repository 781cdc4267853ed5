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
