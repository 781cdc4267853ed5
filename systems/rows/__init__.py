"""A system's text as rows of words for the core."""
