"""Bidding tables: expressions and their vocabulary, rows in and out, lint, explanation."""

import lazy_loader

# each when it is asked for: conditions of a text need no tables, and tables load polars
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
