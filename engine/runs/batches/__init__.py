"""Batches: deals through a table in parts, here or on a cluster, into a folder."""
