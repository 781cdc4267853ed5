"""Bidding tables that are made up, of any size, and what a large one takes."""
