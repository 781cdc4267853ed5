"""Engines of others: programs that are asked for calls, and bid where a system does."""
