"""The game itself: cards, hands, calls, auctions, contracts and scoring; no I/O, no data frames."""

from .auction import Auction, first_illegal_call
from .calls import (
    CALL_COUNT,
    CALL_TEXTS,
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    PASS,
    REDOUBLE,
    STRAINS,
    bid_level,
    bid_strain,
    format_call,
    format_calls,
    make_bid,
    parse_call,
    parse_calls,
    split_calls,
)
from .cards import (
    FULL_DECK,
    HOLDING_MASK,
    RANKS,
    SUITS,
    cards_of,
    format_card,
    format_holding,
    parse_card,
    parse_holding,
    parse_suit,
    suit_holding,
)
from .contract import Contract, parse_contract
from .deals import Deal, format_deal, format_deal_lin, parse_deal, parse_known_hands
from .errors import (
    BackendUnavailable,
    BidcascadeError,
    Cancelled,
    DeviceFault,
    DoubleDummyFailed,
    EngineFailed,
    ForkedProcess,
    IllegalCall,
    InvalidCall,
    InvalidCard,
    InvalidContract,
    InvalidDeal,
    InvalidExpression,
    InvalidHand,
    InvalidInput,
    InvalidOverlay,
    InvalidSystem,
    InvalidTable,
    LimitExceeded,
    NoSuchDeal,
    NoSystem,
    OutOfDeviceMemory,
    TimedOut,
    UnknownAuction,
    UnknownTable,
    UnknownTerm,
    visible,
)
from .hands import check_hand, format_hand, format_hand_bbo, parse_hand
from .scoring import imps, score
from .seats import (
    SEATS,
    VULNERABILITIES,
    VULNERABILITY_WORDS,
    Seat,
    Vulnerability,
    board_dealer,
    board_vulnerability,
    dealer_relative_seat,
    is_vulnerable,
    parse_seat,
    parse_vulnerability,
    seat_of_call,
)
from .shown_answers import ShownAnswer

__all__ = [
    "CALL_COUNT", "CALL_TEXTS", "DOUBLE", "FIRST_BID", "FULL_DECK", "HOLDING_MASK", "LAST_BID",
    "PASS", "RANKS", "REDOUBLE", "SEATS", "STRAINS", "SUITS", "VULNERABILITIES",
    "VULNERABILITY_WORDS", "Auction", "BackendUnavailable", "BidcascadeError", "Cancelled",
    "Contract", "Deal", "DeviceFault", "DoubleDummyFailed", "EngineFailed", "ForkedProcess",
    "IllegalCall", "InvalidCall", "InvalidCard", "InvalidContract", "InvalidDeal",
    "InvalidExpression", "InvalidHand", "InvalidInput", "InvalidOverlay", "InvalidSystem",
    "InvalidTable", "LimitExceeded", "NoSuchDeal", "NoSystem", "OutOfDeviceMemory", "Seat",
    "ShownAnswer", "TimedOut", "UnknownAuction", "UnknownTable", "UnknownTerm", "Vulnerability",
    "bid_level", "bid_strain", "board_dealer", "board_vulnerability", "cards_of", "check_hand",
    "dealer_relative_seat", "first_illegal_call", "format_call", "format_calls", "format_card",
    "format_deal", "format_deal_lin", "format_hand", "format_hand_bbo", "format_holding", "imps",
    "is_vulnerable", "make_bid", "parse_call", "parse_calls", "parse_card", "parse_contract",
    "parse_deal", "parse_hand", "parse_holding", "parse_known_hands", "parse_seat", "parse_suit",
    "parse_vulnerability", "score", "seat_of_call", "split_calls", "suit_holding", "visible",
]  # fmt: skip
