"""What only those who run the service may do."""
