"""What all requests share: tables, the batcher, archives, threads."""
