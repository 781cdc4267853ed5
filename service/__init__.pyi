from .answers import Mode
from .bid_answer import BidAnswer, Candidate
from .engine import Engine

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode"]
