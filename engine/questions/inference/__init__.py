"""Hands that are not seen: layouts that fit an auction, and what is made of them."""
