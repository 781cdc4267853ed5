"""``python -m benchmarks gpu``: whether a GPU answers right, and how fast it is, in one command."""
