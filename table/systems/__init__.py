"""Bidding systems that come with the package: texts (``*.bidding``) and their test cases."""
