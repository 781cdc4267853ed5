from .hand_pictures import HandPicture
from .interpretation import Interpretation, interpret
from .layouts.known import KnownCards, parse_known
from .layouts.result import LayoutReport, Layouts, Relaxed
from .layouts.sampling import deal_where, sample_layouts
from .layouts.where import Constraints

__all__ = [
    "Constraints", "HandPicture", "Interpretation", "KnownCards", "LayoutReport", "Layouts",
    "Relaxed", "deal_where", "interpret", "parse_known", "sample_layouts",
]  # fmt: skip
