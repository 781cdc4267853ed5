"""One engine for all requests: what waits while it works becomes the next batch."""
