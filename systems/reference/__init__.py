"""What systems mean, in plain Python: the definition, which tests compare the core with.

It is slow, and no other path asks it: entries, facts and knowledge come from the core
(``kernels/core``) through :mod:`bidcascade.systems.bidder`.
"""

from .allowed_auctions import allowed_auctions
from .expansion import Expander

__all__ = ["Expander", "allowed_auctions"]
