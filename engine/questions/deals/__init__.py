"""Whole deals: their auctions, double dummy, and deals for practice."""
