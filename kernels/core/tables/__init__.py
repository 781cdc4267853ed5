"""Bidding tables in the core: tries of rows, the walk of blocks of deals, auctions counted."""
