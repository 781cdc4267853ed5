from .answers import Mode
from .bid_answer import BidAnswer, Candidate
from .call_rows import iter_call_rows
from .engine import Engine

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode", "iter_call_rows"]
