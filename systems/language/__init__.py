"""Bidding systems as text: grammar, tree, reader with its complaints, formatter."""
