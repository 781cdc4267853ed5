"""Jobs over REST: archives that are answered in the background, one process each."""
