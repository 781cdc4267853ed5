"""Benchmarks of bidding: speed of systems, equal answers of core and definition, fits."""
