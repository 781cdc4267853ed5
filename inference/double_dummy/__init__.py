"""Double dummy: solvers in processes of their own, a cache, par."""

from .abstract_solver import DoubleDummy, table_place
from .pool import DoubleDummyPool, default_pool

__all__ = ["DoubleDummy", "DoubleDummyPool", "default_pool", "table_place"]
