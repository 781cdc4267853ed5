"""Measurements of bidcascade: workloads, engines, reports. Run ``python -m benchmarks``."""
