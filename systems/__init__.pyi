from .compile import compile_system
from .explanation import AuctionExplanation, explain_auction
from .registry import absolute_name, cache_folder, is_system, named_systems, open_system, open_table
from .row_files import export_table, import_table, read_rows, sniff_format
from .system import System

__all__ = [
    "AuctionExplanation",
    "System",
    "absolute_name",
    "cache_folder",
    "compile_system",
    "explain_auction",
    "export_table",
    "import_table",
    "is_system",
    "named_systems",
    "open_system",
    "open_table",
    "read_rows",
    "sniff_format",
]
