"""The tree of a system, statements of lines, and conditions joined."""
