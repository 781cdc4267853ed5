"""The engines that are compared: ours, and the same work in numpy, polars and cudf."""
