"""Benchmarks of learning and mining."""
