"""Commands whose boards are bid by several players: matches, benches, tables of four."""
