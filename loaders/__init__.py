"""LIN, PBN, hand text, Parquet and random deals to the deal frame, and the writers back."""

import lazy_loader

# each when it is asked for: readers load a compiler, endplay its solver; the stub names them
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
