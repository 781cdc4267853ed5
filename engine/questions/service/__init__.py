"""The service itself: its tables, its jobs, how it is."""
