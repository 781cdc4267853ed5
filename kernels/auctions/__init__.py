"""Kernels over auctions that were really bid."""
