"""Benchmarks of reading files, archives and wide frames."""
