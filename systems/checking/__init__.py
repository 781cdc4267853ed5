"""A text put to the test: on deals, by cases, against another text, number by number."""
