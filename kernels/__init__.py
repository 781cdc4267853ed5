"""Features, bit columns and the cascade: arrays in, bits out; no text, no data frames."""

from .arrow import ArrowBits
from .backend import BACKENDS, Backend, backend_name, get_backend, why_unavailable
from .plan import ALWAYS, CAN_COMPLETE, COMPLETED, NEVER, UNDESCRIBED_POLICIES, Plan, build_plan
from .reference import evaluate_postfix, term_value
from .results import NO_ENTRY, BitColumns, DealArrays, EntryLists, FirstAuctions
from .terms import PROFILES, Context, Term, term_is_boolean, term_names, term_range, terms
from .types import Postfix

__all__ = [
    "ALWAYS", "BACKENDS", "CAN_COMPLETE", "COMPLETED", "NEVER", "NO_ENTRY", "PROFILES",
    "UNDESCRIBED_POLICIES", "ArrowBits", "Backend", "BitColumns", "Context", "DealArrays",
    "EntryLists", "FirstAuctions", "Plan", "Postfix", "Term", "backend_name", "build_plan",
    "evaluate_postfix", "get_backend", "term_is_boolean", "term_names", "term_range", "term_value",
    "terms", "why_unavailable",
]  # fmt: skip
