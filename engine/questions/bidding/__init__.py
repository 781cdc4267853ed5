"""The call for one hand, and what calls have shown."""
