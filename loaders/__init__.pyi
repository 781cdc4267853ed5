from .endplay_adapter import from_endplay, to_endplay
from .files.encodings import decode_text
from .frames.frame import (
    AUCTION_STATUS,
    DEAL_SCHEMA,
    HAND_COLUMNS,
    REJECT_SCHEMA,
    REQUIRED_COLUMNS,
    ROOM,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
    Rejects,
    count_rejects,
    deal_arrays,
    deal_frame,
    empty_deals,
    empty_rejects,
    has_all_hands,
    reject_frame,
    rejects_by,
    whole_deals,
)
from .frames.play import count_declarer_tricks, count_tricks, play_disagrees, trick_winner
from .frames.random_deals import board_frame, random_deals
from .inputs import Kind, sniff
from .lin.handviewer_writer import format_handviewer
from .lin.lin import read_handviewer, read_lin, read_lin_files
from .lin.lin_writer import format_lin, write_lin
from .parquet.parquet import iter_deal_parquet, read_deal_parquet, write_deal_parquet
from .pbn.pbn import read_pbn
from .pbn.pbn_writer import write_pbn
from .pbn.rbn import read_rbn
from .pbn.rbn_writer import write_rbn
from .read import Deals, Progress, frame_of, iter_deals, read_deals
from .text.hand_text import parse_deal_line, read_hand_text, read_hands

__all__ = [
    "AUCTION_STATUS",
    "DEAL_SCHEMA",
    "HAND_COLUMNS",
    "REJECT_SCHEMA",
    "REQUIRED_COLUMNS",
    "ROOM",
    "SEAT_ENUM",
    "VULNERABILITY_ENUM",
    "Batch",
    "Deals",
    "Kind",
    "Progress",
    "Rejects",
    "board_frame",
    "count_declarer_tricks",
    "count_rejects",
    "count_tricks",
    "deal_arrays",
    "deal_frame",
    "decode_text",
    "empty_deals",
    "empty_rejects",
    "format_handviewer",
    "format_lin",
    "frame_of",
    "from_endplay",
    "has_all_hands",
    "iter_deal_parquet",
    "iter_deals",
    "parse_deal_line",
    "play_disagrees",
    "random_deals",
    "read_deal_parquet",
    "read_deals",
    "read_hand_text",
    "read_hands",
    "read_handviewer",
    "read_lin",
    "read_lin_files",
    "read_pbn",
    "read_rbn",
    "reject_frame",
    "rejects_by",
    "sniff",
    "to_endplay",
    "trick_winner",
    "whole_deals",
    "write_deal_parquet",
    "write_lin",
    "write_pbn",
    "write_rbn",
]
