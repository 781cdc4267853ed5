"""The Blue Chip table-manager protocol: a seat of ours, and a table for four programs."""
