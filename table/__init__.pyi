from .bidding_table import BiddingTable, open_folder, save
from .build import TableBuilder, build_table
from .columns import CAN_COMPLETE, COMPLETED, INSERTED, NONE_U32, UndescribedPolicy
from .formats.json_lines import row_object
from .import_report import ImportReport
from .inspection.announcements import Announcement, format_announcement, read_announcement
from .inspection.linting import LintReport, counts_through, lint, lint_on_deals
from .inspection.showing import show, show_info
from .inspection.truncation import is_suspected_truncation
from .language.criteria import is_satisfiable
from .language.explain import explain, explain_one
from .language.expressions import Expression, format_expression, parse_expression, to_postfix
from .language.vocabulary import Vocabulary
from .overlays.applying import apply_overlays
from .overlays.reader import read_overlay
from .row import Row

__all__ = [
    "CAN_COMPLETE",
    "COMPLETED",
    "INSERTED",
    "NONE_U32",
    "Announcement",
    "BiddingTable",
    "Expression",
    "ImportReport",
    "LintReport",
    "Row",
    "TableBuilder",
    "UndescribedPolicy",
    "Vocabulary",
    "apply_overlays",
    "build_table",
    "counts_through",
    "explain",
    "explain_one",
    "format_announcement",
    "format_expression",
    "is_satisfiable",
    "is_suspected_truncation",
    "lint",
    "lint_on_deals",
    "open_folder",
    "parse_expression",
    "read_announcement",
    "read_overlay",
    "row_object",
    "save",
    "show",
    "show_info",
    "to_postfix",
]
