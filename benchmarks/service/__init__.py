"""Benchmarks of the service: requests, load, memory over reloads, clusters."""
