"""Archives to mined tables, learning and vetting: reading, resuming, reporting."""
