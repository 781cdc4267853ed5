"""Places of a system: what its lines say there, and what is known of the hands there."""
