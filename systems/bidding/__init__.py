"""Who bids, a system or a table, asked in one way, with reasons."""
