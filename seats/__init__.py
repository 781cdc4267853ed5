"""Who sits at a table: foreign engines, players that search, table managers."""
