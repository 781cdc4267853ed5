"""What the core knows of a hand: terms, tests, cells of shape and points, packing."""
