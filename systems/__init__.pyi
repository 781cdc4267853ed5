from .registry import absolute_name, cache_folder, is_system, named_systems, open_system, open_table
from .system import System
from .tables.compile import compile_system
from .tables.row_files import export_table, import_table, read_rows, sniff_format
from .words.explanation import AuctionExplanation, explain_auction

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
