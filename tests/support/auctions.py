"""Legal auctions by chance, whole or cut off, which no system need have bid."""

import random

import polars as pl

from bidcascade.bridge import PASS, Auction


def random_auction(seed: int) -> tuple[int, ...]:
    """One of at most 24 calls, seldom without any."""
    rng = random.Random(seed)
    auction = Auction()
    for _ in range(rng.randrange(25)):
        if auction.is_complete:
            break
        legal = list(auction.legal_calls())
        # low bids more often, so that auctions go on
        auction = auction.add(
            PASS if rng.random() < 0.4 else legal[int(rng.random() ** 3 * len(legal))]
        )
    return auction.calls


def random_auctions(count: int, seed: int) -> pl.Series:
    """Column of a deal frame."""
    calls = [list(random_auction(seed * count + number)) for number in range(count)]
    return pl.Series("auction", calls, dtype=pl.List(pl.UInt8))
