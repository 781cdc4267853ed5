"""Bidding tables: expressions and their vocabulary, rows in and out, lint, explanation."""

from .bidding_table import BiddingTable
from .build import TableBuilder, build_table
from .columns import CAN_COMPLETE, COMPLETED, INSERTED, NONE_U32, UndescribedPolicy
from .evidence.announcements import Announcement, format_announcement, read_announcement
from .evidence.mining import Miner
from .formats.json_lines import row_object
from .formats.row_files import export_table, import_table, read_rows, sniff_format
from .import_report import ImportReport
from .language.criteria import is_satisfiable
from .language.explain import explain, explain_one
from .language.expressions import Expression, format_expression, parse_expression, to_postfix
from .language.vocabulary import Vocabulary
from .lint import LintReport, counts_through, lint, lint_on_deals
from .overlays.applying import apply_overlays
from .overlays.reader import read_overlay
from .registry import cache_folder, is_system, named_systems, open_system, open_table
from .row import Row
from .show import show, show_info
from .storage import open_folder, save
from .system.compile import compile_system
from .system.explanation import AuctionExplanation, explain_auction
from .system.system import System
from .truncation import is_suspected_truncation

__all__ = [
    "CAN_COMPLETE", "COMPLETED", "INSERTED", "NONE_U32", "Announcement", "AuctionExplanation",
    "BiddingTable", "Expression", "ImportReport", "LintReport", "Miner", "Row", "System",
    "TableBuilder", "UndescribedPolicy", "Vocabulary", "apply_overlays", "build_table",
    "cache_folder", "compile_system", "counts_through", "explain", "explain_auction", "explain_one",
    "export_table", "format_announcement", "format_expression", "import_table", "is_satisfiable",
    "is_suspected_truncation", "is_system", "lint", "lint_on_deals", "named_systems", "open_folder",
    "open_system", "open_table", "parse_expression", "read_announcement", "read_overlay",
    "read_rows", "row_object", "save", "show", "show_info", "sniff_format", "to_postfix",
]  # fmt: skip
