"""What auctions show: consistent layouts, double dummy, choice by simulation, studies of play."""

import lazy_loader

# each when it is asked for: worker processes import single modules and must start fast
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
