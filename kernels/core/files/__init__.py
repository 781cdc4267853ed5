"""LIN and PBN in bulk, read by the core."""
