"""Layouts of the unseen cards that agree with an auction."""
