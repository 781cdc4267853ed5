"""Double dummy: solvers in processes of their own, a cache, par."""

from .pool import DoubleDummyPool, default_pool
from .protocol import DoubleDummy, table_place

__all__ = ["DoubleDummy", "DoubleDummyPool", "default_pool", "table_place"]
