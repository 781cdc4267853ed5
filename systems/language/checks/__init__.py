"""What a system that reads well says that cannot be."""
