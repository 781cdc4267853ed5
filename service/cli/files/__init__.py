"""Commands about files of deals, batches of them, and archives."""
