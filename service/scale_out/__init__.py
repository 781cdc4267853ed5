"""Batches answered by the workers of a Dask cluster; ``distributed`` is loaded only when used."""
