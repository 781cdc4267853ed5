"""Commands that serve: over REST, to editors and assistants, as a folder of the page."""
