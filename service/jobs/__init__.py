"""The jobs of the service: taken in, queued, each run by a process of its own, removed in time."""
