"""Better texts: numbers, options, and lines that a search would change."""
