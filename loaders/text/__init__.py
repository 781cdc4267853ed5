"""Deals as people and programs write them: hands in lines, as `dealer` prints, as JSON."""
