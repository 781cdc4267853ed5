"""Bidding systems as text, what comes of them, and opening systems and tables by name or file."""

import lazy_loader

# each when it is asked for: a name of a system needs neither the core nor the grammar
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
