"""The catalogue of phrases, the tree in words again, and what players say instead."""
