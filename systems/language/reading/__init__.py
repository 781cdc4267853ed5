"""Files to lines to blocks: sources, layout, options, statements put in their places."""
