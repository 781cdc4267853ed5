"""Calls and auctions as headers write them: patterns, turns, what can follow."""
