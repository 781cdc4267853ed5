from .call_rows import iter_call_rows
from .engine import BidAnswer, Candidate, Engine, Mode

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode", "iter_call_rows"]
