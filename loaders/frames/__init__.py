"""Deal frames: their columns, what values must be, random ones, and what plays and tables say."""
