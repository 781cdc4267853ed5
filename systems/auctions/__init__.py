"""Auctions by the core: places worked out as deals come to them, all that systems allow."""
