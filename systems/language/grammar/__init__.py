"""One logical line: its grammar, the parser, builders of statements, advice on faults."""
