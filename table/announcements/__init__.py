"""Announcements of GIB: text to expressions and tags, canonical text back, reports on many."""
