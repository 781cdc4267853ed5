"""Rules laid over a table: added, replaced, removed; and what such a change leaves as it was."""
