"""Benchmarks of inference: matches of systems, studies of play."""
