"""Bidding tables: compiled from systems, or read from files of rows."""
