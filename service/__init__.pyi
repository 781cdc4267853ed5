from .bid_answer import BidAnswer, Candidate
from .engine import Engine, Mode

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode"]
