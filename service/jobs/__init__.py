"""Work that may be interrupted: batches, mining, vetting, jobs of the service, clusters."""
