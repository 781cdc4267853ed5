"""Interpretation, layouts, leads and simulation for REST and command line."""
