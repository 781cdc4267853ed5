"""What a table is built by: tries, numbers of texts and criteria, findings, checks of tuples."""
