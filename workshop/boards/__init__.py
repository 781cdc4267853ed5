"""Boards that systems bid: matches, distance from par, faults, what lines cost."""
