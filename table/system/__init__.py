"""Bidding systems: a text's tree and an auction to entries, knowledge of the hands, calls."""
