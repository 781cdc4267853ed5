"""What a table has: lint, places shown, topics, meanings, announcements understood."""
