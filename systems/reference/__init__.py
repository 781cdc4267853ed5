"""What systems mean, in plain Python: the definition, which tests compare the core with.

It is slow. The backend ``reference`` bids by it, and so does who has no core; else entries, facts
and knowledge come from the core (``kernels/core``) through
:mod:`bidcascade.systems.auctions.bidder`.
"""

from .allowed_auctions import allowed_auctions
from .place_entries import Expander

__all__ = ["Expander", "allowed_auctions"]
