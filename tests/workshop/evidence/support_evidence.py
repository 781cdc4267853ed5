"""Deals and auctions as learning and vetting take them."""

import polars as pl

from bidcascade.kernels import Context
from bidcascade.table.real_calls import CallLists


def call_lists(auctions):
    return CallLists.of(pl.Series([list(one) for one in auctions], dtype=pl.List(pl.UInt8)))


def hand_and_context(deals, deal, seat):
    """Hand of a seat with what expressions may ask about its auction."""
    sides, dealer = int(deals.vulnerability[deal]), int(deals.dealer[deal])
    context = Context(
        seat=(seat - dealer) % 4 + 1,
        vul_we=sides >> (seat % 2) & 1,
        vul_they=sides >> (1 - seat % 2) & 1,
    )
    return int(deals.hands[seat, deal]), context
