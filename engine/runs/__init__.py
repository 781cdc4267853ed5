"""Work on any number of deals that may be interrupted: batches, mining, learning, vetting."""
