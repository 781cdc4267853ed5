"""Expressions as literals, and hands packed so that literals are lanes and flags."""
