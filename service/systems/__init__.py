"""Answers from a bidding system: one call, a place, an auction, deals beyond the table."""
