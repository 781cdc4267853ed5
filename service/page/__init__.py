"""Pages for people: the page of the service, reports of matches and of vetted tables."""
