"""Systems on a device: deals go from place to place, and new places are worked out."""
