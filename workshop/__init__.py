"""For authors of systems and tables: what they measure, tune and mine; nothing needs it."""
