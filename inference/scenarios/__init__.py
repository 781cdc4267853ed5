"""Scripts that say which deals are wanted, as the program ``dealer`` reads them, and themes."""
