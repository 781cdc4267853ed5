"""Rows of bidding tables in and out: JSON Lines, Python literals, Parquet, pickles."""
