"""Reports for people: one description of a page, written as Markdown or as one HTML file."""
