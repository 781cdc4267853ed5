"""Single dummy with inference: what a play tells about the hands that were not seen."""

from .endings import EndingSolver
from .position import Position, View
from .study import Decision, Study, decisions, infer
from .ties import Ties

__all__ = [
    "Decision",
    "EndingSolver",
    "Position",
    "Study",
    "Ties",
    "View",
    "decisions",
    "infer",
]
