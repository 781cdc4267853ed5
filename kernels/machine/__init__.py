"""What the machine lends: memory, threads, processes, files, locks, caches."""
