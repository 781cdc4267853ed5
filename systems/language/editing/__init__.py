"""Texts in editors: completion, names, complaints as one types, the formatter."""
