"""What the hands that made a call had in common: bounds and rules, and tables that follow them."""

from .bounds import quantile, read_quantiles
from .expression_grid import expression_grid
from .layers import LAYERS, Layer, Layered, on_layer
from .learning import BOUNDS, RULES, Boards, Learned, Options, learn
from .measures import DEFAULT_FLAGS, DEFAULT_LANES, make_measures
from .rules import RULE_SCHEMA, Thresholds

__all__ = [
    "BOUNDS", "DEFAULT_FLAGS", "DEFAULT_LANES", "LAYERS", "RULES", "RULE_SCHEMA", "Boards",
    "Layer", "Layered", "Learned", "Options", "Thresholds", "expression_grid",
    "learn", "make_measures", "on_layer", "quantile", "read_quantiles",
]  # fmt: skip
